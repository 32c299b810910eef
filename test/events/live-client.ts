/** Client of server-sent events, as a browser reads them. */
import { type ClientRequest, get, type IncomingMessage } from 'node:http';

export interface LiveMessage {
  readonly event: string;
  readonly data: unknown;
}

export class LiveClient {
  readonly messages: LiveMessage[] = [];
  /** Id that the client repeats as `Last-Event-ID`. */
  lastId: string | undefined;
  /** All ids, in order. */
  readonly ids: string[] = [];
  isClosed = false;
  private buffer = '';
  private readonly waiting: (() => void)[] = [];

  readonly response: IncomingMessage;
  private readonly request: ClientRequest;

  private constructor(response: IncomingMessage, request: ClientRequest) {
    this.response = response;
    this.request = request;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.read(text));
    response.on('error', () => undefined);
    response.on('close', () => {
      this.isClosed = true;
    });
  }

  static async open(
    url: string,
    lastId?: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<LiveClient> {
    return new Promise((resolve, reject) => {
      const sent = lastId === undefined ? headers : { ...headers, 'Last-Event-ID': lastId };
      const request = get(url, { headers: sent, agent: false }, (response) => {
        const client = new LiveClient(response, request);
        client.lastId = lastId;
        resolve(client);
      });
      request.on('error', reject);
    });
  }

  /** Values of all messages with an event name. */
  of(event: string): unknown[] {
    return this.messages.filter((message) => message.event === event).map(({ data }) => data);
  }

  /** Waits for the first message. */
  async first(): Promise<void> {
    if (this.messages.length === 0) await new Promise<void>((done) => this.waiting.push(done));
  }

  close(): void {
    this.request.destroy();
  }

  private read(text: string): void {
    const blocks = (this.buffer + text).split('\n\n');
    this.buffer = blocks.pop() ?? '';
    for (const block of blocks) this.block(block);
  }

  private block(block: string): void {
    const fields = block
      .split('\n')
      .map((line) => /^(\w*): ?(.*)$/.exec(line) ?? [])
      .map(([, name = '', value = '']) => [name, value] as const);
    const of = (name: string): string | undefined => fields.find(([one]) => one === name)?.[1];
    const id = of('id');
    if (id !== undefined) this.ids.push(id);
    this.lastId = id ?? this.lastId;
    const data = of('data');
    if (data === undefined) return;
    this.messages.push({ event: of('event') ?? 'message', data: JSON.parse(data) });
    for (const done of this.waiting.splice(0)) done();
  }
}
