/**
 * Compiling statements, which PostgreSQL does where it expects them to take long ("jit"): one that populates
 * much has so many expressions that compiling takes seconds, where running it takes milliseconds.
 */
import { print, silently, sql } from '../sql.js';
import type { Pool } from './pool-types.js';

/** Options of a connection whose statements are not compiled. */
export const NO_JIT = '-c jit=off';

/** The same for what is left of a transaction: of one that has begun, or of a flight. */
export const withoutJit = sql`set_config('jit', 'off', true)`;
export const LOCAL_NO_JIT = silently(print(sql`select ${withoutJit}`));

/** What has fewer characters is compiled in some hundredths of a second, and seldom: not worth the words. */
export const LONG = 3000;

/** Whether the statements of a pool may be compiled. */
export const mayCompile = ({ options }: Pool): boolean => options.options?.includes(NO_JIT) !== true;
