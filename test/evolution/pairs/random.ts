/** Random pairs of models, counted. */
import { createDatabase } from '../../support/database.ts';
import { FAULTS, type Fault, PairFailure } from './failure.ts';
import { pairOf, runPair } from './run-pair.ts';
import { print } from './sketch.ts';

export interface Counts {
  pairs: number;
  migrated: number;
  refused: number;
  'model error': number;
  back: number;
  advised: number;
  requests: number;
  readonly faults: Record<Fault, number>;
}

/** Pairs between two lines about the progress. */
const PROGRESS = 100;

/** Runs the pairs of a seed from one number to another. Calls `say` with each failure. */
export async function runPairs(
  { seed, first, count }: { readonly seed: number; readonly first: number; readonly count: number },
  say: (text: string) => void,
  progress: (text: string) => void = () => undefined,
): Promise<Counts> {
  const none = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<Fault, number>;
  const counts: Counts = {
    ...{ pairs: 0, migrated: 0, refused: 0, 'model error': 0, back: 0, advised: 0, requests: 0 },
    faults: none,
  };
  const database = await createDatabase();
  for (let number = first; number < first + count; number += 1) {
    counts.pairs += 1;
    const pair = pairOf(seed, number);
    try {
      const { result, hasBack, advised, requests } = await runPair(pair, database);
      counts[result] += 1;
      counts.back += hasBack ? 1 : 0;
      counts.advised += advised;
      counts.requests += requests;
    } catch (error) {
      counts.faults[error instanceof PairFailure ? error.fault : 'other'] += 1;
      const changes = pair.changes.map((line) => `  - ${line}`).join('\n');
      say(
        `FAILED  --seed ${seed} --only-pair ${number}\n${changes}\n  ${(error as Error).message.slice(0, 2000)}`,
      );
      if (count === 1)
        say(
          `${JSON.stringify([print(pair.before), print(pair.after, pair.before)])}\n${(error as Error).stack ?? ''}`,
        );
    }
    if (counts.pairs % PROGRESS === 0) progress(`${counts.pairs} pairs, ${counts.migrated} migrated`);
  }
  await database.drop();
  return counts;
}
