/** Edit distance; two letters in the wrong order are one edit. */
function distance(a: string, b: string): number {
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

/** `; did you mean "x"?` for the nearest known word, or nothing when none is near. */
export function suggest(word: string, known: readonly string[]): string {
  let best: { readonly word: string; readonly away: number } | undefined;
  for (const candidate of known) {
    const away = distance(word.toLowerCase(), candidate.toLowerCase());
    if (best === undefined || away < best.away) best = { word: candidate, away };
  }
  return best !== undefined && best.away <= Math.max(1, Math.floor(word.length / 3))
    ? `; did you mean "${best.word}"?`
    : '';
}

/** Longer lists of names help nobody. */
const SHOWN = 12;

/** The nearest known word, or, where none is near, what there is. */
export function among(word: string, known: readonly string[]): string {
  const near = suggest(word, known);
  if (near !== '' || known.length === 0) return near;
  const [verb, more] = [known.length === 1 ? 'is' : 'are', known.length > SHOWN ? ', …' : ''];
  return `; there ${verb} ${known.slice(0, SHOWN).join(', ')}${more}`;
}
