/** Maximum length of a line in bytes, below the maximum string length of V8. */
export const MAX_LINE_BYTES = 256 * 1024 * 1024;
const NEW_LINE = 0x0a;

interface LineErrors {
  readonly tooLong: () => Error;
  /** Error of a last line without a line break. Omitted: such a line is a line. */
  readonly unended?: () => Error;
}

/** Splits a stream into lines. Throws an error of the caller for a line that is too long or has no end. */
export async function* linesOf(
  pieces: AsyncIterable<Buffer>,
  { tooLong, unended }: LineErrors,
): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(NEW_LINE); end >= 0; end = piece.indexOf(NEW_LINE, start)) {
      const last = piece.subarray(start, end);
      yield (rest.length === 0 ? last : Buffer.concat([...rest, last])).toString('utf8');
      [rest, size, start] = [[], 0, end + 1];
    }
    rest.push(piece.subarray(start));
    size += piece.length - start;
    if (size > MAX_LINE_BYTES) throw tooLong();
  }
  if (size === 0) return;
  if (unended !== undefined) throw unended();
  yield Buffer.concat(rest).toString('utf8');
}
