/** The suites that take longest come first, so that all workers end together, also where nobody has timed them. */
import Sequencer from '@jest/test-sequencer';

/** Those of more than ten seconds, longest first. */
const LONGEST = [
  'migrations',
  'access/agreement',
  'fuzz/leak',
  'archive/files',
  'fuzz/injection',
  'security/accounts',
  'security/content',
  'security/tokens',
  'sample/atlas-pglite',
  'storage/contract',
  'crowd/connections',
  'crowd/crowd',
  'http/registration',
  'conformance/conformance',
  'linearizable/linearizable',
  'fuzz/query',
  'fuzz/body',
  'archive/archive',
  'docs',
  'ledger/replicas',
  'ledger/servers',
  'openapi/page',
  'evolution/evolution',
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
