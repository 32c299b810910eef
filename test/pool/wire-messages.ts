/** Decoder of the messages that the library sends to the server. */

/** Message of the extended query protocol. */
export type Message =
  | { readonly kind: 'parse'; readonly name: string; readonly text: string }
  | { readonly kind: 'bind'; readonly name: string; readonly values: readonly (string | null)[] }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'describe' | 'execute' | 'flush' | 'sync' };

class Reader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  take(length: number): Buffer {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  short(): number {
    return this.take(2).readInt16BE();
  }

  long(): number {
    return this.take(4).readInt32BE();
  }

  name(): string {
    const text = this.take(this.bytes.indexOf(0, this.at) - this.at).toString();
    this.take(1);
    return text;
  }
}

/** Decodes messages. Fails for a message with another length than its contents. */
export function decode(bytes: Buffer): Message[] {
  const all = new Reader(bytes);
  const messages: Message[] = [];
  while (!all.isAtEnd) {
    const code = all.take(1).toString();
    const body = new Reader(all.take(all.long() - 4));
    messages.push(messageOf(code, body));
    expect(body.isAtEnd).toBe(true);
  }
  return messages;
}

function messageOf(code: string, body: Reader): Message {
  switch (code) {
    case 'P':
      return parseOf(body);
    case 'B':
      return bindOf(body);
    case 'C':
      expect(body.take(1).toString()).toBe('S');
      return { kind: 'close', name: body.name() };
    case 'D':
      expect([body.take(1).toString(), body.name()]).toEqual(['P', '']);
      return { kind: 'describe' };
    case 'E':
      expect([body.name(), body.long()]).toEqual(['', 0]);
      return { kind: 'execute' };
    default:
      expect(code).toMatch(/^[HS]$/);
      return { kind: code === 'H' ? 'flush' : 'sync' };
  }
}

function parseOf(body: Reader): Message {
  const [name, text] = [body.name(), body.name()];
  expect(body.short()).toBe(0);
  return { kind: 'parse', name, text };
}

/** Reads a portal's name, a statement's name, no formats, the values, and no formats of results. */
function bindOf(body: Reader): Message {
  expect(body.name()).toBe('');
  const name = body.name();
  expect(body.short()).toBe(0);
  const values = Array.from({ length: body.short() }, () => {
    const length = body.long();
    return length < 0 ? null : body.take(length).toString();
  });
  expect(body.short()).toBe(0);
  return { kind: 'bind', name, values };
}
