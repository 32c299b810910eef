/** One response of server-sent events, bounded in memory. */
import type { ServerResponse } from 'node:http';

/** Bytes that wait for a slow client before its connection is dropped. It resumes with `Last-Event-ID`. */
const MAX_UNSENT = 64 * 1024;

/** In lower case, as Fastify names the headers that these replace. */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Compression would keep events back.
  'cache-control': 'no-store, no-transform',
  // Buffers of nginx would keep events back.
  'x-accel-buffering': 'no',
};

/** Response of Node. That of HTTP/2 has a stream, and neither `destroyed` nor `setHeaders`. */
type NodeResponse = ServerResponse & { readonly stream?: { readonly destroyed: boolean } };

interface Reply {
  readonly raw: NodeResponse;
  hijack(): unknown;
  getHeaders(): Record<string, string | string[]>;
}

const isGone = ({ destroyed, stream }: NodeResponse): boolean => stream?.destroyed ?? destroyed;

const isReply = (response: object): response is Reply => 'hijack' in response && 'raw' in response;

/** Message of a stream. `data` has no line breaks. */
export interface Message {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

/** Prints a message. One without data only moves the position of the client. */
export const printMessage = ({ id, event, data }: Message): string =>
  [
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(data === undefined ? [] : [`data: ${data}`]),
    '\n',
  ].join('\n');

export class EventStream {
  private isEnded = false;
  private readonly closing: (() => void)[] = [];

  private constructor(private readonly response: NodeResponse) {
    // The client can have left while its request was checked.
    this.isEnded = isGone(response);
    response.once('close', () => {
      this.isEnded = true;
      for (const listener of this.closing.splice(0)) listener();
    });
  }

  /** Sends the headers. `response` is that of Express or Fastify. */
  static open(response: object): EventStream {
    const isFastify = isReply(response);
    if (isFastify) response.hijack();
    const raw = isFastify ? response.raw : (response as NodeResponse);
    // The connection ends with the stream, so that a server that stops need not wait for it.
    raw.shouldKeepAlive = false;
    const headers = { ...(isFastify ? response.getHeaders() : {}), ...HEADERS };
    for (const [name, value] of Object.entries(headers)) raw.setHeader(name, value);
    raw.writeHead(200);
    raw.flushHeaders();
    return new EventStream(raw);
  }

  get isOpen(): boolean {
    return !this.isEnded;
  }

  /** Calls the listener when the stream is closed, at once if it is. */
  onClose(listener: () => void): void {
    if (isGone(this.response)) listener();
    else this.closing.push(listener);
  }

  /** Sends a text. Drops the connection of a client that does not read. */
  send(text: string): void {
    if (this.isEnded) return;
    this.response.write(text);
    if (this.response.writableLength > MAX_UNSENT) this.drop();
  }

  end(): void {
    if (!this.isEnded) this.response.end();
    this.isEnded = true;
  }

  /** Ends the connection without waiting for the client. */
  drop(): void {
    this.isEnded = true;
    this.response.destroy();
  }
}
