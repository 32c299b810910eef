/** Names of the controls of rows: from the second row with a title on, its number follows. */
export function distinct(titles: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  return titles.map((title) => {
    const count = (counts.get(title) ?? 0) + 1;
    counts.set(title, count);
    return count === 1 ? title : `${title}, ${count}`;
  });
}
