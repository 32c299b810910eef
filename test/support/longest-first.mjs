/**
 * Starts the longest suites first, so that all workers end at about the same time. It needs no recorded
 * durations.
 */
import Sequencer from '@jest/test-sequencer';

/**
 * Suites of more than about four seconds, longest first. Suites that collect garbage start before their
 * worker uses much memory, and those that run the compiler come last.
 */
const LONGEST = [
  'fuzz/leak',
  'storage/contract',
  'access/agreement',
  'files/kept-links',
  'http/routes',
  'security/content',
  'crowd/crowd',
  'conformance/conformance',
  'security/tokens',
  'http/registration',
  'adopt/compare',
  'sample/atlas',
  'change-log/cache',
  'openapi/page',
  'sample/atlas-pglite',
  'security/accounts',
  'concurrency/concurrency',
  'crowd/connections',
  'fuzz/injection',
  'faults/faults',
  'fuzz/body',
  'concurrency/shared-transactions',
  'evolution/evolution',
  'archive/interrupted',
  'archive/archive',
  'accounts/audit-command',
  'change-log/replicas',
  'http/bulk-alike',
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
