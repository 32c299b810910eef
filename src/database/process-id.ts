import { print, type Statement, sql } from '../sql.js';
import { withoutJit } from './jit.js';

/** Whose connection a transaction is on, of which nothing is compiled from here on. */
export const processIdStatement = (): Statement => print(sql`select pg_backend_pid() as pid, ${withoutJit}`);
