/** Conversion of scalar values in request bodies (protocol section 14), one function per value shape. */
import { isEmail, isInt, isNumber, matches, max, maxLength, min, minLength } from 'class-validator';
import { ContentError } from '../../kernel/errors.js';
import { checkBlocks, normaliseBlocks } from './blocks.js';
import type { BlockNode, ScalarDefinition } from './definitions.js';
import { exactBoolean } from './formats.js';
import { matchesInTime } from './matches-in-time.js';
import type { ValueContext } from './value-context.js';

/**
 * Checks and converts one value, neither null nor undefined. Reports problems to the context; the result is
 * valid only if there were none.
 */
export type Cast = (value: unknown, def: ScalarDefinition, at: ValueContext) => unknown;

const NUL = '\u0000';

/** Returns a text that PostgreSQL can store: without NUL characters and broken surrogates. */
export const storableText = (text: string): string => text.replaceAll(NUL, '').toWellFormed();

/**
 * Whether any string in a value, keys included, contains a NUL or half a surrogate pair. PostgreSQL cannot
 * store either.
 */
export function unstorable(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(NUL) || !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, nested]) => unstorable(key) || unstorable(nested));
}

const patterns = new WeakMap<ScalarDefinition, RegExp>();

function pattern(def: ScalarDefinition): RegExp | undefined {
  if (def.regex === undefined) return undefined;
  const regex = patterns.get(def) ?? new RegExp(def.regex);
  patterns.set(def, regex);
  return regex;
}

interface TextRules {
  readonly def: ScalarDefinition;
  readonly cap: number | undefined;
}

function checkString(value: string, { def, cap }: TextRules, at: ValueContext): void {
  if (unstorable(value)) at.report(`${at.label} must not contain NUL characters or broken surrogates`, value);
  const longest = def.maxLength ?? cap;
  // A text has at most as many characters as UTF-16 units, so most texts need no counting.
  if (longest !== undefined && value.length > longest && !maxLength(value, longest))
    at.report(`${at.label} must be at most ${longest} characters`, value);
  if (at.draft) return;
  if (def.minLength !== undefined && !minLength(value, def.minLength)) {
    at.report(`${at.label} must be at least ${def.minLength} characters`, value);
  }
  // As in Strapi, an optional attribute may be emptied by an empty text.
  const regex = value === '' && def.required !== true ? undefined : pattern(def);
  if (regex !== undefined && !matchesInTime(regex, value))
    at.report(`${at.label} must match the following: "${String(regex)}"`, value);
}

/** Casts strings of at most `cap` characters if the definition sets no `maxLength`. */
export const castString =
  (cap?: number): Cast =>
  (value, def, at) => {
    if (typeof value !== 'string') return at.reportType('string', value);
    checkString(value, { def, cap }, at);
    return value;
  };

const ONE_LETTER_DOMAIN = /\.[a-z]$/i;

/**
 * Returns whether a text is an e-mail address. Its last domain may be a single letter. `isEmail` throws for
 * broken surrogates.
 */
export const isEmailAddress = (text: string): boolean =>
  text.isWellFormed() && isEmail(text, { require_tld: !ONE_LETTER_DOMAIN.test(text) });

export const castEmail: Cast = (value, def, at) => {
  if (typeof value !== 'string') return at.reportType('string', value);
  checkString(value, { def, cap: 255 }, at);
  if (at.draft) return value;
  if (value === '') at.report(`${at.label} cannot be empty`, value);
  else if (!isEmailAddress(value)) at.report(`${at.label} must be a valid email`, value);
  return value;
};

const UID = /^[A-Za-z0-9-_.~]*$/;

export const castUid: Cast = (value, def, at) => {
  if (typeof value !== 'string') return at.reportType('string', value);
  checkString(value, { def, cap: 255 }, at);
  if (!matches(value, UID)) at.report(`${at.label} must match the following: "${String(UID)}"`, value);
  return value;
};

/** Longest password in bytes (protocol 14.16, 19.7): common hash functions silently truncate longer ones. */
export const MAX_PASSWORD_BYTES = 72;

export const castPassword: Cast = (value, def, at) => {
  if (typeof value !== 'string') return at.report(`${at.label} must be a \`string\` type`);
  // All lone surrogates would encode to the same bytes, so that different passwords would match.
  if (unstorable(value)) at.report(`${at.label} must not contain NUL characters or broken surrogates`);
  if (Buffer.byteLength(value) > MAX_PASSWORD_BYTES)
    at.report(`${at.label} must be less than ${MAX_PASSWORD_BYTES + 1} bytes`);
  if (!at.draft && def.minLength !== undefined && !minLength(value, def.minLength)) {
    at.report(`${at.label} must be at least ${def.minLength} characters`);
  }
  return value;
};

export const castEnumeration: Cast = (value, def, at) => {
  const allowed = def.enum ?? [];
  if (typeof value === 'string' && allowed.includes(value)) return value;
  const shown = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  // The empty entry at the end means null, which the list of allowed values contains.
  return at.report(`${at.label} must be one of the following values: ${[...allowed, ''].join(', ')}`, shown);
};

function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return value.trim() === '' ? Number.NaN : Number(value);
  return Array.isArray(value) && value.length === 1 ? toNumber(value[0]) : Number.NaN;
}

interface Range {
  readonly lowest: number;
  readonly highest: number;
}

interface NumberRules {
  readonly def: ScalarDefinition;
  readonly range: Range;
}

function checkBounds(
  value: number,
  { def, range: { lowest, highest } }: NumberRules,
  at: ValueContext,
): void {
  const lower = def.min === undefined ? undefined : Number(def.min);
  const upper = def.max === undefined ? undefined : Number(def.max);
  if (!at.draft && lower !== undefined && !min(value, lower)) {
    at.report(`${at.label} must be greater than or equal to ${lower}`, value);
  } else if (upper !== undefined && !max(value, upper)) {
    at.report(`${at.label} must be less than or equal to ${upper}`, value);
  } else if (value < lowest || value > highest) {
    at.report(`${at.label} must be between ${lowest} and ${highest}`, value);
  }
}

const number =
  (integer: boolean, range: Range, store: (value: number) => number): Cast =>
  (value, def, at) => {
    const cast = toNumber(value);
    if (!isNumber(cast)) return at.reportType('number', Number.NaN, value);
    if (integer && !isInt(cast)) return at.report(`${at.label} must be an integer`, cast);
    checkBounds(cast, { def, range }, at);
    return store(cast);
  };

export const MAX_INTEGER = 2_147_483_647;
export const MIN_INTEGER = -2_147_483_648;
/** numeric(10,2): ten digits, two of them after the point. */
export const MAX_DECIMAL = 99_999_999.99;
const MAX_FLOAT = Number.MAX_VALUE;

/** Rounds half away from zero on the decimal digits, as a numeric column does. */
function roundDecimal(value: number): number {
  const scaled = Math.round(Number(`${Math.abs(value)}e2`));
  const rounded = Number(`${scaled}e-2`);
  return Number.isNaN(rounded) ? Number(value.toFixed(2)) : Math.sign(value) * rounded;
}

const notDenormal = (value: number): number => (Math.abs(value) < 2.3e-308 ? 0 : value);

export const castInteger = number(true, { lowest: MIN_INTEGER, highest: MAX_INTEGER }, (value) => value + 0);
export const castFloat = number(false, { lowest: -MAX_FLOAT, highest: MAX_FLOAT }, notDenormal);
export const castDecimal = number(false, { lowest: -MAX_DECIMAL, highest: MAX_DECIMAL }, roundDecimal);

const BIGINT = /^[+-]?\d{1,40}$/;
const MAX_BIGINT = 2n ** 63n - 1n;

export function toBigint(value: unknown): string | undefined {
  const text = typeof value === 'number' && Number.isInteger(value) ? BigInt(value).toString() : value;
  if (typeof text !== 'string' || !BIGINT.test(text.trim())) return undefined;
  const exact = BigInt(text.trim().replace(/^\+/, ''));
  return exact > MAX_BIGINT || exact < -MAX_BIGINT - 1n ? undefined : exact.toString();
}

export const castBiginteger: Cast = (value, def, at) => {
  const digits = toBigint(value);
  if (digits === undefined) return at.report(`${at.label} must be a valid integer`, value);
  const exact = BigInt(digits);
  if (!at.draft && def.min !== undefined && exact < BigInt(def.min)) {
    at.report(`${at.label} must be greater than or equal to ${def.min}`, value);
  }
  if (def.max !== undefined && exact > BigInt(def.max))
    at.report(`${at.label} must be less than or equal to ${def.max}`, value);
  return digits;
};

export const castBoolean: Cast = (value, _def, at) => exactBoolean(value) ?? at.reportType('boolean', value);

export const castFormat =
  (convert: (value: unknown) => string): Cast =>
  (value, _def, at) => {
    try {
      return convert(value);
    } catch (error) {
      if (error instanceof ContentError) return at.report(error.message, value);
      throw error;
    }
  };

/** Whether a value contains a number that JSON cannot express. It would be stored as null. */
function overflows(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(overflows);
}

/** Any JSON value; a string stays a string (protocol 14.14). */
export const castJson: Cast = (value, _def, at) => {
  if (unstorable(value)) at.report(`${at.label} must not contain NUL characters or broken surrogates`);
  if (overflows(value)) at.report(`${at.label} must not contain numbers that are too large`);
  return value;
};

export const castArray: Cast = (value, def, at) => {
  const json = castJson(value, def, at);
  return Array.isArray(json) ? json : at.reportType('array', value);
};

/** Any value except a list clears the attribute, as clients of the protocol expect. */
export const castBlocks: Cast = (value, _def, at) => {
  if (!Array.isArray(value)) return null;
  if (unstorable(value)) at.report(`${at.label} must not contain NUL characters or broken surrogates`);
  const problems = checkBlocks(value);
  for (const problem of problems) {
    const below = problem.path.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('');
    at.report(problem.message(`${at.label}${below}`), problem.value, problem.path);
  }
  return problems.length === 0 ? normaliseBlocks(value as BlockNode[]) : null;
};
