/** Coverage of a run: added over callers and processes, and printed at the end. */
import { ALL_PARTS, partsOf, type Probe } from './leak-probes.ts';
import type { WriteTally } from './leak-writes.ts';

export interface Coverage {
  /** Requests, each sent to two worlds. */
  pairs: number;
  answered: number;
  /** Requests whose responses without hidden data were compared, and those that differed. */
  control: number;
  detected: number;
  combinations: number;
  /** Responses with an ETag, which was sent as `If-None-Match`. */
  tagged: number;
  /** Number of requests in the whole matrix of these callers. */
  matrix: number;
  /** Responses that were compared with the API description of their caller. */
  described: number;
  /** Responses from the cache. */
  kept: number;
  readonly callers: Set<string>;
  readonly roots: Set<string>;
  readonly leaves: Set<string>;
  readonly operators: Set<string>;
  readonly wrappers: Set<string>;
  readonly techniques: Set<string>;
  readonly questions: Set<number>;
  readonly writers: Map<string, WriteTally>;
}

export const nothing = (): Coverage => ({
  pairs: 0,
  answered: 0,
  control: 0,
  detected: 0,
  combinations: 0,
  tagged: 0,
  matrix: 0,
  described: 0,
  kept: 0,
  callers: new Set(),
  roots: new Set(),
  leaves: new Set(),
  operators: new Set(),
  wrappers: new Set(),
  techniques: new Set(),
  questions: new Set(),
  writers: new Map(),
});

/** Hash of a request. About two of a million requests collide. */
function hash(text: string): number {
  let h1 = 0xdeadbeef;
  let h2 = 0x41c6ce57;
  for (let i = 0; i < text.length; i += 1) {
    h1 = Math.imul(h1 ^ text.charCodeAt(i), 2654435761);
    h2 = Math.imul(h2 ^ text.charCodeAt(i), 1597334677);
  }
  return (h1 >>> 0) * 2 ** 20 + ((h2 >>> 0) & 0xfffff);
}

export function note(
  coverage: Coverage,
  caller: string,
  { technique, type, path, query, secret }: Probe,
): void {
  const { wrapper, operator } = partsOf(technique);
  coverage.callers.add(caller);
  coverage.roots.add(type.singularApiId);
  coverage.techniques.add(technique);
  coverage.questions.add(hash(`${caller} ${path.split('/')[0]} ${query}`));
  if (secret !== null) coverage.leaves.add(secret);
  if (wrapper !== undefined) coverage.wrappers.add(wrapper);
  if (operator !== undefined) coverage.operators.add(operator);
}

const COUNTS = [
  'pairs',
  'answered',
  'control',
  'detected',
  'combinations',
  'tagged',
  'matrix',
  'described',
  'kept',
] as const;
const SETS = ['callers', 'roots', 'leaves', 'operators', 'wrappers', 'techniques', 'questions'] as const;

/** Adds the coverage of another process. */
export function add(to: Coverage, from: Coverage): void {
  for (const name of COUNTS) to[name] += from[name];
  for (const name of SETS) for (const item of from[name]) (to[name] as Set<string | number>).add(item);
  for (const [writer, tally] of from.writers) to.writers.set(writer, tally);
}

const sum = (tallies: Iterable<WriteTally>, name: keyof WriteTally): number =>
  [...tallies].reduce((total, tally) => total + tally[name], 0);

export function describeCoverage(coverage: Coverage, worlds: number): string {
  const { writers, matrix, questions } = coverage;
  const share = matrix === 0 ? 0 : (100 * questions.size) / matrix;
  const tallies = [...writers.values()];
  return [
    `worlds: ${worlds}; callers who read: ${coverage.callers.size}, who write: ${writers.size}`,
    `reads: ${coverage.pairs} requests in pairs, each three times, ${coverage.answered} answered with 200, ${coverage.combinations} of them two questions at once`,
    `  ${coverage.kept} answers were kept ones, ${coverage.tagged} pairs had tags that If-None-Match named`,
    `  ${coverage.roots.size} roots, ${coverage.leaves.size} hidden leaves, ${coverage.operators.size} of ${ALL_PARTS.operators.length} operators, ` +
      `${coverage.wrappers.size} of ${ALL_PARTS.wrappers.length} wrappings, ${coverage.techniques.size} techniques`,
    `  ${questions.size} different questions of ${matrix} in the whole matrix (${share.toFixed(2)} %)`,
    `  with nothing hidden ${coverage.detected} of ${coverage.control} show a difference`,
    `${coverage.described} responses compared with the API description`,
    `writes: ${sum(tallies, 'writes')} in pairs, ${sum(tallies, 'accepted')} accepted, ${sum(tallies, 'conditional')} conditional, ${sum(tallies, 'refused')} of them a 412, ${sum(tallies, 'reads')} reads after them, ` +
      `${sum(tallies, 'past')} of them versions, trash or audit log, ` +
      `${sum(tallies, 'bulks')} bulk writes, ${sum(tallies, 'taken')} distinguished by an existing unique value, which is allowed`,
    `events: ${sum(tallies, 'streamed')} in pairs of streams and ${sum(tallies, 'delivered')} by webhooks, beside ${sum(tallies, 'unseen')} writes of the application itself, and ${sum(tallies, 'hidden')} to hidden documents of one world`,
    `probes in pairs: ${coverage.pairs + sum(tallies, 'writes') + sum(tallies, 'reads')}`,
  ].join('\n');
}
