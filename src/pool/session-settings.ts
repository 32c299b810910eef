/**
 * Settings of PostgreSQL's JIT compiler. A statement that populates much has so many expressions that
 * compiling takes seconds, while running it takes milliseconds.
 */
import { print, silently, sql } from '../kernel/sql.js';
import type { Pool } from './pool-types.js';

/** Connection option that disables JIT. */
export const NO_JIT = '-c jit=off';

/** Disables JIT for the rest of a transaction or pipelined batch. */
export const withoutJit = sql`set_config('jit', 'off', true)`;
export const LOCAL_NO_JIT = silently(print(sql`select ${withoutJit}`));

/** Characters above which JIT is disabled. Shorter statements are compiled rarely, and in about 10 ms. */
export const LONG = 3000;

/** Whether the statements of a pool may be compiled. */
export const mayCompile = ({ options }: Pool): boolean => options.options?.includes(NO_JIT) !== true;
