/** Kinds of files that an attribute may accept. All files that are of no other kind are `files`. */
export const KINDS = ['images', 'videos', 'audios', 'files'] as const;

export type Kind = (typeof KINDS)[number];

/** Beginnings of the media types of a kind. */
const PREFIXES: Readonly<Record<Kind, string | null>> = {
  images: 'image/',
  videos: 'video/',
  audios: 'audio/',
  files: null,
};

export const isKind = (name: string | null): name is Kind => KINDS.some((kind) => kind === name);

/** Beginning of the media types of a kind; null for the kind of all other files. */
export const mediaPrefix = (kind: Kind): string | null => PREFIXES[kind];

const kindOfType = (type: string): Kind =>
  KINDS.find((kind) => type.startsWith(PREFIXES[kind] ?? ' ')) ?? 'files';

/** Whether an attribute accepts files of a media type. Only the server knows the type if it is empty. */
export const acceptsType = (kinds: readonly string[], type: string): boolean =>
  type === '' || kinds.length === 0 || kinds.includes(kindOfType(type));

/** Media types as an input of the browser names them; none for every file. */
export function acceptOf(kinds: readonly string[] = []): string | undefined {
  const prefixes = kinds.filter(isKind).map(mediaPrefix);
  return prefixes.includes(null) ? undefined : prefixes.map((prefix) => `${prefix}*`).join(',') || undefined;
}
