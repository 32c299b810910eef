/** Messages of the server in the words and the language of the editor. */
import type { Texts } from './en.ts';

/** Returns the name of a value, such as a stage. */
type NameOf = (value: string) => string;
type Say = (texts: Texts, detail: string, nameOf: NameOf) => string;

/** Names in quotes, such as `"ready" or "final"`. */
const quoted = (text: string): string[] => [...text.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name);

function rangeText(bounds: string, { range }: Texts['reasons']): string {
  const [lowest = '', highest = ''] = bounds.split(' and ');
  return range(lowest, highest);
}

const kindNames = (kinds: string, { media }: Texts): string => {
  const names: Readonly<Record<string, string>> = media.kinds;
  return kinds
    .split(', ')
    .map((kind) => names[kind] ?? kind)
    .join(', ');
};

/** Messages that editors see, each with the text that replaces it. */
const KNOWN: readonly (readonly [RegExp, Say])[] = [
  [/but the final value was: `null`|must be defined\.?$|is a required field$/, ({ required }) => required],
  [/cannot be empty$|^name must be a string$/, ({ required }) => required],
  [/must be at least (\d+) characters$/, ({ tooShort }, length) => tooShort(Number(length))],
  [/must be at most (\d+) characters$/, ({ tooLong }, length) => tooLong(Number(length))],
  [/must be greater than or equal to (\S+)$/, ({ tooSmall }, bound) => tooSmall(bound)],
  [/must be less than or equal to (\S+)$/, ({ tooLarge }, bound) => tooLarge(bound)],
  [/must be between (\S+ and \S+)$/, ({ reasons }, bounds) => rangeText(bounds, reasons)],
  [/must be (?:an integer|a valid integer)/, ({ noWhole }) => noWhole],
  [/must be a `number` type/, ({ noNumber }) => noNumber],
  [/must be a `array` type/, ({ noList }) => noList],
  [/must be less than (\d+) bytes$/, ({ reasons }, limit) => reasons.tooManyBytes(Number(limit) - 1)],
  [/must match the following: /, ({ noPattern }) => noPattern],
  [/must have at least (\d+) items$/, ({ reasons }, count) => reasons.tooFew(Number(count))],
  [/must have less than or equal to (\d+) items$/, ({ reasons }, count) => reasons.tooMany(Number(count))],
  [/must be a valid email$/, ({ reasons }) => reasons.email],
  [/must be one of the following values/, ({ reasons }) => reasons.choice],
  [/: too long for values that must be unique$/, ({ reasons }) => reasons.tooLongToCompare],
  [/must be unique$/, ({ reasons }) => reasons.taken],
  [/^These attributes must be unique together/, ({ reasons }) => reasons.takenTogether],
  [
    /associated with this entity do not exist$|^Document with id .* not found$/,
    ({ reasons }) => reasons.noLink,
  ],
  [/^Invalid key /, ({ reasons }) => reasons.forbidden],
  [/^stage cannot change to this value/, ({ panels }) => panels.stageUnreachable],
  [
    /^stage must be (.+) to publish$/,
    ({ panels }, names, nameOf) => panels.stageFirst(quoted(names).map(nameOf).join(', ')),
  ],
  [/^Please specify a valid link/, ({ reasons }) => reasons.badLink],
  [/^Block node is of invalid type/, ({ reasons }) => reasons.foreignBlock],
  [/^Invalid identifier or password$/, ({ reasons }) => reasons.credentials],
  [/^Your account has been blocked|^The account is blocked$/, ({ reasons }) => reasons.blocked],
  [/^Your account email is not confirmed$/, ({ reasons }) => reasons.unconfirmed],
  [/^Username already taken$/, ({ reasons }) => reasons.nameTaken],
  [/^Email already taken$/, ({ reasons }) => reasons.emailTaken],
  [/ would have permissions that you do not have$/, ({ reasons }) => reasons.overreach],
  [/^url must be an http/, ({ reasons }) => reasons.webAddress],
  [/^Incorrect code provided$/, ({ reasons }) => reasons.code],
  [/^The provided current password is invalid$/, ({ reasons }) => reasons.password],
  [/^Your new password must be different/, ({ reasons }) => reasons.samePassword],
  [/^Passwords do not match$/, ({ reasons }) => reasons.repetition],
  [/^Too many requests/, ({ reasons }) => reasons.often],
  [/^Forbidden$/, ({ reasons }) => reasons.forbidden],
  [/^(?:Not Found|(?:Entity|User) not found)$/, ({ reasons }) => reasons.gone],
  [/^The role of the account may not open the desk$/, ({ reasons }) => reasons.noDesk],
  [/^Precondition Failed$/, ({ reasons }) => reasons.overtaken],
  [/^The release is released/, ({ releases }) => releases.final],
  [/^The release is not released$/, ({ releases }) => releases.isOpen],
  [/^Another request has just /, ({ reasons }) => reasons.overtaken],
  [/^The published version has changed since$/, ({ releases }) => releases.undo.changed],
  [/^The document has been deleted since$/, ({ releases }) => releases.undo.deleted],
  [/^The version that was published before/, ({ releases }) => releases.undo.unknown],
  [/^No version from before the release/, ({ releases }) => releases.undo.noHistory],
  [/^The release has no entries$/, ({ releases }) => releases.empty],
  [/^The endpoint responded with (\d+)$/, ({ webhooks }, status) => webhooks.failures.responded(status)],
  [/^The endpoint cannot be reached \((.+)\)$/, ({ webhooks }, code) => webhooks.failures.unreached(code)],
  [/^The endpoint did not respond within (\S+) s$/, ({ webhooks }, time) => webhooks.failures.late(time)],
  [/^(\S+) is not a public address$/, ({ webhooks }, address) => webhooks.failures.notPublic(address)],
  [/^(\S+) has no public address$/, ({ webhooks }, host) => webhooks.failures.noPublic(host)],
  [/^The entry could not be read$/, ({ webhooks }) => webhooks.failures.entry],
  [/^Role "(.+)" does not exist$/, ({ webhooks }, role) => webhooks.failures.noRole(role)],
  [/^every attempt failed for (\d+) days$/, ({ webhooks }, days) => webhooks.failures.days(days)],
  [/^(?:File|Form)TooBig$/, ({ reasons }) => reasons.fileTooLarge],
  [/^File is not a valid image$/, ({ reasons }) => reasons.noPicture],
  [/^A file is being uploaded$/, ({ reasons }) => reasons.uploading],
  [/^Files are empty$/, ({ reasons }) => reasons.fileEmpty],
  [/^Files of type .* are not allowed/, ({ reasons }) => reasons.fileType],
  [/^The file ".*" has conflicting types/, ({ reasons }) => reasons.fileContent],
  [/is not of the allowed types: (.+)$/, (texts, kinds) => texts.reasons.fileKinds(kindNames(kinds, texts))],
  [/^The file ".*" of kind .* cannot replace/, ({ reasons }) => reasons.fileKind],
  [/too large$|responded with 413$/i, ({ reasons }) => reasons.tooLarge],
  [/^The document is not valid in attributes that you cannot access$/, ({ reasons }) => reasons.hidden],
  [/^File name contains invalid characters$/, ({ noPattern }) => noPattern],
  [
    /^Service Unavailable$|^The (?:database|application is stopping)|^Not tried: |responded with 50[234]$/,
    ({ reasons }) => reasons.unavailable,
  ],
  [
    /^Could not (?:store|write) the |^Too many images |too many requests at once|model was migrated/,
    ({ reasons }) => reasons.unavailable,
  ],
  [/^Internal Server Error$|responded with 500$/, ({ reasons }) => reasons.serverFailed],
  [/^The server cannot be reached$/, ({ reasons }) => reasons.unreachable],
];

/** Returns a message of the server in the words of the desk; unknown ones stay as they are. */
export function reasonText(message: string, texts: Texts, nameOf: NameOf = (value) => value): string {
  for (const [pattern, say] of KNOWN) {
    const match = pattern.exec(message);
    if (match !== null) return say(texts, match[1] ?? '', nameOf);
  }
  return message;
}

/** Labels of inputs by the path of their values. */
type Labels = ReadonlyMap<string, string>;

interface Refused {
  readonly message: string;
  readonly problems: readonly { readonly path: readonly unknown[]; readonly message: string }[];
}

/** Returns the reasons of a refusal, each after the label of its input if the desk knows that. */
export function refusalText({ message, problems }: Refused, labels: Labels, texts: Texts): string {
  const reasons = problems.length === 0 ? [{ path: [], message }] : problems;
  return reasons
    .map((one) => {
      const [label, reason] = [labels.get(one.path.join('.')), reasonText(one.message, texts)];
      if (label !== undefined) return `${label}: ${reason}`;
      return reason === one.message ? texts.reasons.other(reason) : reason;
    })
    .join('; ');
}

/** Says why content could not be loaded. */
export const failureText = ({ message }: { readonly message: string }, texts: Texts): string =>
  texts.failed(reasonText(message, texts));
