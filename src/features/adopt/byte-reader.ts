/** Reads exact numbers of bytes from a stream. */
const EMPTY = Buffer.alloc(0);

export class ByteReader {
  private readonly pieces: AsyncIterator<Buffer>;
  private rest: Buffer = EMPTY;

  constructor(source: AsyncIterable<Buffer>) {
    this.pieces = source[Symbol.asyncIterator]();
  }

  /** Returns `length` bytes, or fewer at the end of the stream. */
  async read(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.stream(length)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** Yields the next `length` bytes in pieces, or fewer at the end of the stream. */
  async *stream(length: number): AsyncGenerator<Buffer> {
    let missing = length;
    while (missing > 0) {
      if (this.rest.length === 0 && !(await this.fill())) return;
      const part = this.rest.subarray(0, missing);
      this.rest = this.rest.subarray(part.length);
      missing -= part.length;
      yield part;
    }
  }

  /** Skips `length` bytes, or fewer at the end of the stream. Returns the number of skipped bytes. */
  async skip(length: number): Promise<number> {
    let skipped = 0;
    for await (const part of this.stream(length)) skipped += part.length;
    return skipped;
  }

  async close(): Promise<void> {
    await this.pieces.return?.();
  }

  private async fill(): Promise<boolean> {
    const next = await this.pieces.next();
    const piece: unknown = next.value;
    this.rest = Buffer.isBuffer(piece) ? piece : EMPTY;
    return next.done !== true;
  }
}
