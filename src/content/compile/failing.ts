/** Statements that fail on purpose, so that the statements sent after them do nothing, a COMMIT included. */
import { messageOf } from '../../kernel/errors.js';
import { randomBytes } from 'node:crypto';
import { constant, join, type Sql, sql } from '../../kernel/sql.js';

/** Reason of a failure: the response is too large or empty, or expected documents do not exist. */
export type Flaw = 'over' | 'absent' | 'unexpected';

const FLAWS: readonly Flaw[] = ['over', 'absent', 'unexpected'];

/** Marker that PostgreSQL quotes in its error. It is random, so stored values cannot imitate it. */
const MARK = `content_flaw_${randomBytes(6).toString('hex')}`;

/** Prints an expression that fails to cast if one of the conditions is true. */
export function failing(conditions: Partial<Readonly<Record<Flaw, Sql>>>): Sql {
  const cases = FLAWS.flatMap((flaw) => {
    const condition = conditions[flaw];
    return condition === undefined ? [] : [sql`when ${condition} then ${constant(`${MARK}_${flaw}`)}`];
  });
  return sql`(case ${join(cases, ' ')} else '0' end)::int4`;
}

/** Returns the reason of a failed statement, from its error; null for any other error. */
export function flawOf(error: unknown): Flaw | null {
  const message = messageOf(error);
  return FLAWS.find((flaw) => message.includes(`${MARK}_${flaw}`)) ?? null;
}
