/** The suites that take longest come first, so that all workers end together, also where nobody has timed them. */
import Sequencer from '@jest/test-sequencer';

/**
 * Those of more than some four seconds, about longest first: of these, the ones that collect garbage begin before their
 * worker holds much, and the compiler's come last.
 */
const LONGEST = [
  'fuzz/leak',
  'storage/contract',
  'access/agreement',
  'files/kept-links',
  'content/http/routes',
  'security/content',
  'crowd/crowd',
  'conformance/conformance',
  'security/tokens',
  'http/registration',
  'sample/atlas',
  'ledger/cache',
  'openapi/page',
  'sample/atlas-pglite',
  'security/accounts',
  'concurrency/concurrency',
  'crowd/connections',
  'fuzz/injection',
  'faults/faults',
  'fuzz/body',
  'concurrency/flights',
  'evolution/evolution',
  'archive/archive',
  'ledger/replicas',
  'http/names',
  'images/pictures',
  'http/peers',
  'archive/files',
  'files/large',
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
