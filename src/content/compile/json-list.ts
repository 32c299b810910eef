import { type Sql, sql } from '../../kernel/sql.js';

/** Prints a JSON value as a list; an older model may have stored a single instance. */
export const listOf = (value: Sql): Sql => sql`(${value} || '[]')`;
