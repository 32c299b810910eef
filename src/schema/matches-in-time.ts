/** Whether a text matches a pattern of the host's, however long the pattern would take with it (S36). */
import { createContext, Script } from 'node:vm';
import { validationError } from '../errors.js';
import { isObject } from '../json.js';

/** Milliseconds; a pattern that takes this long with a text never comes to an end with a longer one. */
const LONGEST = 500;
/** Characters with which two repetitions are compared soon. */
const SHORT = 1000;
/** A group that is repeated: what repeats inside it, too, may be tried in exponentially many ways. */
const REPEATED_GROUP = /\)[*+{]/;
const REPETITION = /[*+}]/g;

const script = new Script('pattern.test(text)');
const place: { pattern: RegExp | null; text: string } = { pattern: null, text: '' };
const context = createContext(place);

/** Whether a pattern is soon done with every short text. */
function isSimple({ source }: RegExp): boolean {
  return !REPEATED_GROUP.test(source) && (source.match(REPETITION)?.length ?? 0) <= 2;
}

const isTooLate = (error: unknown): boolean =>
  isObject(error) && error['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/**
 * Like `pattern.test(text)`. Throws a ValidationError where that would hold everybody up: a script can be
 * ended, which a regular expression by itself cannot.
 */
export function matchesInTime(pattern: RegExp, text: string): boolean {
  if (text.length <= SHORT && isSimple(pattern)) return pattern.test(text);
  try {
    Object.assign(place, { pattern, text });
    return script.runInContext(context, { timeout: LONGEST }) === true;
  } catch (error) {
    if (!isTooLate(error)) throw error;
    throw validationError(`A value takes too long to be held against "${String(pattern)}"`);
  }
}
