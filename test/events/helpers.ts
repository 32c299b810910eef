/** Waits until a list has a length, and returns it. Fails with the last list. */
export async function eventually<T>(
  look: () => readonly T[] | Promise<readonly T[]>,
  length: number,
): Promise<readonly T[]> {
  const end = performance.now() + 20_000;
  let found = await look();
  while (found.length !== length && performance.now() < end) {
    await new Promise((done) => setTimeout(done, 20));
    found = await look();
  }
  expect(found).toHaveLength(length);
  return found;
}
