/**
 * Compiling statements, which PostgreSQL does where it expects them to take long ("jit"): one that populates
 * much has so many expressions that compiling takes seconds, where running it takes milliseconds.
 */
import { print, sql, type Statement } from '../sql.js';

/** Options of a connection that does without. */
export const NO_JIT = '-c jit=off';

/** What to do about a server that compiles. */
export const JIT_ADVICE = `The database compiles statements ("jit"), which takes seconds for what populates much: set driverOptions.options to "${NO_JIT}", or "jit" to off for the database or the role`;

/** Whether a connection has its statements compiled, as `jit`. */
export const compileJit = (): Statement =>
  print(sql`select current_setting('jit') = 'on' and pg_jit_available() as jit`);
