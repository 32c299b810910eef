import { killUploads } from '../faults/file-kill.ts';

it('a process that is killed during an upload leaves no row without bytes, and the check repairs the rest', async () => {
  let seed = 7;
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const { problems, files } = await killUploads(4, random);
  expect(problems).toEqual([]);
  expect(files).toBeGreaterThan(0);
});
