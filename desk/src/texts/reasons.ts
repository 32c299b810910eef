/** Messages of the server in the words and the language of the editor. */
import type { Texts } from './en.ts';

type Say = (texts: Texts, detail: string) => string;

/** Messages that editors see, each with the text that replaces it. */
const KNOWN: readonly (readonly [RegExp, Say])[] = [
  [/but the final value was: `null`|must be defined\.?$/, ({ required }) => required],
  [/must be at least (\d+) characters$/, ({ tooShort }, length) => tooShort(Number(length))],
  [/must be at most (\d+) characters$/, ({ tooLong }, length) => tooLong(Number(length))],
  [/must be greater than or equal to (\S+)$/, ({ tooSmall }, bound) => tooSmall(bound)],
  [/must be less than or equal to (\S+)$/, ({ tooLarge }, bound) => tooLarge(bound)],
  [/must be (?:an integer|a valid integer|a `number` type)/, ({ noNumber }) => noNumber],
  [/must be a valid email$/, ({ reasons }) => reasons.email],
  [/must be one of the following values/, ({ reasons }) => reasons.choice],
  [/must be unique$/, ({ reasons }) => reasons.taken],
  [/^Block node is of invalid type/, ({ reasons }) => reasons.foreignBlock],
  [/^Invalid identifier or password$/, ({ reasons }) => reasons.credentials],
  [/^Incorrect code provided$/, ({ reasons }) => reasons.code],
  [/^The provided current password is invalid$/, ({ reasons }) => reasons.password],
  [/^Your new password must be different/, ({ reasons }) => reasons.samePassword],
  [/^Passwords do not match$/, ({ reasons }) => reasons.repetition],
  [/^Too many requests/, ({ reasons }) => reasons.often],
  [/^Forbidden$/, ({ reasons }) => reasons.forbidden],
  [/^Not Found$/, ({ reasons }) => reasons.gone],
  [/^Precondition Failed$/, ({ reasons }) => reasons.overtaken],
  [/^The release is released/, ({ releases }) => releases.final],
  [/^The release has no entries$/, ({ releases }) => releases.empty],
  [/^Internal Server Error$/, ({ reasons }) => reasons.serverFailed],
  [/^The server cannot be reached$/, ({ reasons }) => reasons.unreachable],
];

/** Returns a message of the server in the words of the desk; unknown ones stay as they are. */
export function reasonText(message: string, texts: Texts): string {
  for (const [pattern, say] of KNOWN) {
    const match = pattern.exec(message);
    if (match !== null) return say(texts, match[1] ?? '');
  }
  return message;
}

/** Says why content could not be loaded. */
export const failureText = ({ message }: { readonly message: string }, texts: Texts): string =>
  texts.failed(reasonText(message, texts));
