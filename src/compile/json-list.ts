import { type Sql, sql } from '../sql.js';

/**
 * A JSON value as a list. A value that an older model stored as one instance becomes a list of it. A list is
 * unchanged, at no cost.
 */
export const listOf = (value: Sql): Sql => sql`(${value} || '[]')`;
