/** Kinds of files that an attribute may accept, by the beginning of their media type. */
const PREFIXES: Readonly<Record<string, string>> = {
  images: 'image/',
  videos: 'video/',
  audios: 'audio/',
};

/** Returns how media types of the kinds begin; none if every file is accepted. */
export function mediaPrefixes(kinds: readonly string[]): readonly string[] {
  const prefixes = kinds.map((kind) => PREFIXES[kind]);
  return prefixes.every((prefix) => prefix !== undefined) ? prefixes : [];
}

const kindOfType = (type: string): string =>
  Object.keys(PREFIXES).find((kind) => type.startsWith(PREFIXES[kind] ?? '')) ?? 'files';

/** Whether an attribute accepts files of a media type. Only the server knows the type if it is empty. */
export const acceptsType = (kinds: readonly string[], type: string): boolean =>
  type === '' || kinds.length === 0 || kinds.includes(kindOfType(type));

/** Media types as an input of the browser names them; none for every file. */
export const acceptOf = (kinds: readonly string[] = []): string | undefined =>
  mediaPrefixes(kinds)
    .map((prefix) => `${prefix}*`)
    .join(',') || undefined;
