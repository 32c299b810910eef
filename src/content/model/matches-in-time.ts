/** Regular expression matching with a timeout. */
import { createContext, Script } from 'node:vm';
import { codeOf, validationError } from '../../kernel/errors.js';

/**
 * Milliseconds. A pattern that needs longer for a text is likely to need exponential time for longer texts.
 */
const TIMEOUT_MS = 500;
/** Longest text, in characters, for which a pattern with two repetitions is fast. */
const MAX_SIMPLE_LENGTH = 1000;
/** Repeated group: with another repetition inside it, matching may take exponential time. */
const REPEATED_GROUP = /\)[*+{]/;
const REPETITION = /[*+}]/g;

const script = new Script('pattern.test(text)');
const sandbox: { pattern: RegExp | null; text: string } = { pattern: null, text: '' };
const context = createContext(sandbox);

function isSimple({ source }: RegExp): boolean {
  return !REPEATED_GROUP.test(source) && (source.match(REPETITION)?.length ?? 0) <= 2;
}

const isTooLate = (error: unknown): boolean => codeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/**
 * Returns `pattern.test(text)`. Throws a ValidationError on a timeout: a regular expression cannot be
 * interrupted, but a `vm` script can.
 */
export function matchesInTime(pattern: RegExp, text: string): boolean {
  if (text.length <= MAX_SIMPLE_LENGTH && isSimple(pattern)) return pattern.test(text);
  try {
    Object.assign(sandbox, { pattern, text });
    return script.runInContext(context, { timeout: TIMEOUT_MS }) === true;
  } catch (error) {
    if (!isTooLate(error)) throw error;
    throw validationError(`A value takes too long to match against "${String(pattern)}"`);
  }
}
