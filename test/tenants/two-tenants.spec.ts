/** A sample of `npm run fuzz:tenants`, with fixed seeds. */
import { dose } from '../support/dose.ts';
import { describeFinding } from './describe-finding.ts';
import { WAYS } from './model.ts';
import { TenantPair } from './pair.ts';
import { prepareWorlds } from './worlds.ts';

const ROUNDS = dose(4, 15);

describe.each(WAYS)('a tenant, separated by %s,', (way) => {
  const closing: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
  });

  it('neither sees nor changes anything of another tenant, whatever it sends', async () => {
    const pair = await TenantPair.start(await prepareWorlds(way, closing), closing, 7);
    for (let round = 0; round < ROUNDS; round += 1) {
      const finding = await pair.round();
      expect(finding === null ? null : describeFinding(finding)).toBeNull();
    }
    const { requests, accepted, written } = pair.tally;
    expect(5 * accepted).toBeGreaterThan(requests);
    expect(written).toBeGreaterThan(ROUNDS);
  });
});
