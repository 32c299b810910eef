import { print, type Statement, sql } from '../sql.js';

/** Whose connection a transaction is on. */
export const processIdStatement = (): Statement => print(sql`select pg_backend_pid() as pid`);
