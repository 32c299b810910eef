import { runPairs } from '../faults/file-pairs.ts';

it('S1: no file lacks its bytes when two instances remove and upload the same ones with a slow bucket', async () => {
  let seed = 11;
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const { files, missing, left, statuses } = await runPairs(200, random);
  expect({ missing, left }).toEqual({ missing: 0, left: 0 });
  expect(files).toBeGreaterThan(20);
  expect(Object.keys(statuses).filter((status) => !['200', '201', '503'].includes(status))).toEqual([]);
});
