/** The suites that take longest come first, so that all workers end together, also where nobody has timed them. */
import Sequencer from '@jest/test-sequencer';

/**
 * Those of more than some five seconds, about longest first: of these, the ones that collect garbage begin before their
 * worker holds much, and the compiler's come last.
 */
const LONGEST = [
  'access/agreement',
  'storage/contract',
  'fuzz/leak',
  'files/kept-links',
  'migrations',
  'security/accounts',
  'security/content',
  'conformance/conformance',
  'archive/archive',
  'security/tokens',
  'http/routes',
  'ledger/servers',
  'crowd/crowd',
  'linearizable/linearizable',
  'crowd/stalls',
  'crowd/connections',
  'archive/files',
  'http/registration',
  'http/schedules',
  'sample/atlas',
  'fuzz/injection',
  'faults/faults',
  'ledger/cache',
  'ledger/replicas',
  'files/crash',
  'openapi/page',
  'http/long-lists',
  'concurrency/flights',
  'sample/atlas-pglite',
  'types',
  'docs',
];

const placeOf = ({ path }) => {
  const place = LONGEST.findIndex((name) => path.endsWith(`/test/${name}.spec.ts`));
  return place < 0 ? LONGEST.length : place;
};

export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
