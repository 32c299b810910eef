/**
 * Statements that fail on purpose, so that what was sent along behind them is not done, a COMMIT at the end
 * included.
 */
import { randomBytes } from 'node:crypto';
import { constant, join, type Sql, sql } from '../sql.js';

/** Why: an answer is too large, or there is none; documents that a write counted on are not there. */
export type Flaw = 'over' | 'absent' | 'unexpected';

const FLAWS: readonly Flaw[] = ['over', 'absent', 'unexpected'];

/** What a flaw is known by, in PostgreSQL's own words about a text that is no number. Nobody can guess it. */
const MARK = `content_flaw_${randomBytes(6).toString('hex')}`;

/** A value that cannot be made where one of the conditions is true. */
export function failing(conditions: Partial<Readonly<Record<Flaw, Sql>>>): Sql {
  const cases = FLAWS.flatMap((flaw) => {
    const condition = conditions[flaw];
    return condition === undefined ? [] : [sql`when ${condition} then ${constant(`${MARK}_${flaw}`)}`];
  });
  return sql`(case ${join(cases, ' ')} else '0' end)::int4`;
}

/** Why a statement failed, from its error; null for any other error. */
export function flawOf(error: unknown): Flaw | null {
  const { message = '' } = error as { message?: string };
  return FLAWS.find((flaw) => message.includes(`${MARK}_${flaw}`)) ?? null;
}
