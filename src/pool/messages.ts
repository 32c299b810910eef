/**
 * Encoder of the wire protocol's messages for prepared statements (PostgreSQL documentation, "Message
 * Formats"). It collects a whole batch in one buffer.
 */
import { textOf } from '../kernel/parameter-text.js';

const CODE = {
  parse: 0x50,
  bind: 0x42,
  close: 0x43,
  describe: 0x44,
  execute: 0x45,
  flush: 0x48,
  sync: 0x53,
};
const PORTAL = 0x50;
const STATEMENT = 0x53;
const LENGTH_BYTES = 4;
/** Most bytes of a UTF-16 code unit in UTF-8. */
const MOST_BYTES = 3;
const FIRST_SIZE = 16 * 1024;

/** Buffer of messages; `take` returns and clears it. */
export class Messages {
  private bytes = Buffer.allocUnsafe(FIRST_SIZE);
  private end = 0;

  parse(name: string, text: string): void {
    const start = this.begin(CODE.parse);
    this.addName(name);
    this.addName(text);
    this.addShort(0);
    this.close(start);
  }

  /** Removes a prepared statement; does nothing for a name that is not prepared. */
  closeStatement(name: string): void {
    const start = this.begin(CODE.close);
    this.addByte(STATEMENT);
    this.addName(name);
    this.close(start);
  }

  /** Binds values to a prepared statement, in text format. */
  bind(name: string, values: readonly unknown[]): void {
    const start = this.begin(CODE.bind);
    this.addName('');
    this.addName(name);
    this.addShort(0);
    this.addShort(values.length);
    for (const value of values) this.addValue(textOf(value));
    this.addShort(0);
    this.close(start);
  }

  describe(): void {
    const start = this.begin(CODE.describe);
    this.addByte(PORTAL);
    this.addName('');
    this.close(start);
  }

  execute(): void {
    const start = this.begin(CODE.execute);
    this.addName('');
    this.addLong(0);
    this.close(start);
  }

  flush(): void {
    this.close(this.begin(CODE.flush));
  }

  sync(): void {
    this.close(this.begin(CODE.sync));
  }

  take(): Buffer {
    const batch = Buffer.from(this.bytes.subarray(0, this.end));
    this.clear();
    return batch;
  }

  clear(): void {
    this.end = 0;
    // Shrink the buffer after a large body.
    if (this.bytes.length > 64 * FIRST_SIZE) this.bytes = Buffer.allocUnsafe(FIRST_SIZE);
  }

  private begin(code: number): number {
    this.addByte(code);
    this.addLong(0);
    return this.end - LENGTH_BYTES;
  }

  private close(start: number): void {
    this.bytes.writeInt32BE(this.end - start, start);
  }

  private addByte(byte: number): void {
    this.reserve(1);
    this.bytes[this.end] = byte;
    this.end += 1;
  }

  private addShort(value: number): void {
    this.reserve(2);
    this.end = this.bytes.writeUInt16BE(value, this.end);
  }

  private addLong(value: number): void {
    this.reserve(LENGTH_BYTES);
    this.end = this.bytes.writeInt32BE(value, this.end);
  }

  private addName(name: string): void {
    this.addText(name);
    this.addByte(0);
  }

  private addText(text: string): void {
    this.reserve(text.length * MOST_BYTES);
    this.end += this.bytes.write(text, this.end);
  }

  private addValue(text: string | null): void {
    if (text === null) return this.addLong(-1);
    this.addLong(0);
    const start = this.end;
    this.addText(text);
    this.bytes.writeInt32BE(this.end - start, start - LENGTH_BYTES);
  }

  private reserve(more: number): void {
    if (this.end + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.bytes.length, this.end + more));
    this.bytes.copy(larger, 0, 0, this.end);
    this.bytes = larger;
  }
}
