import { type Sql, sql } from '../sql.js';

/**
 * Prints a JSON value as a list. A single instance, stored by an older model, becomes a list of one. A list
 * is unchanged, at no cost.
 */
export const listOf = (value: Sql): Sql => sql`(${value} || '[]')`;
