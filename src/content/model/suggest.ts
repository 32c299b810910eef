/** Edit distance; a transposition of two letters counts as one edit. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? (before[j - 2] ?? 0) + 1
          : Infinity;
      row.push(Math.min(change, swapped, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}

/** Longest word that is compared. The comparison takes a time that grows with the lengths of both words. */
const MAX_COMPARED = 64;

/** Returns `; did you mean "x"?` for the nearest known word, or an empty string if none is near. */
export function suggest(word: string, names: readonly string[]): string {
  if (word.length > MAX_COMPARED) return '';
  let best: { readonly word: string; readonly distance: number } | undefined;
  for (const candidate of names) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (best === undefined || distance < best.distance) best = { word: candidate, distance };
  }
  return best !== undefined && best.distance <= Math.max(1, Math.floor(word.length / 3))
    ? `; did you mean "${best.word}"?`
    : '';
}

const MAX_LISTED = 12;

export function among(word: string, names: readonly string[]): string {
  const near = suggest(word, names);
  if (near !== '' || names.length === 0) return near;
  const more = names.length > MAX_LISTED ? ', …' : '';
  return `; available: ${names.slice(0, MAX_LISTED).join(', ')}${more}`;
}

/** Types of the library that an application lists itself, as its code names them. */
const LISTED_AS: ReadonlyMap<string, string> = new Map([
  ['user', '...userTypes()'],
  ['role', '...userTypes()'],
  ['api-token', 'apiTokenType'],
  ['webhook', 'webhookType'],
]);

/** Returns the mistake of a name that no content type has. */
export function noSuchType(name: string, names: readonly string[]): string {
  const listed = LISTED_AS.get(name);
  const cure = listed === undefined ? among(name, names) : `: list ${listed} in contentTypes`;
  return `"${name}" is not a content type${cure}`;
}
