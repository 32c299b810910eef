/** One HTTP request exactly as recorded: without the URL class, which would normalise the path. */
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { type FormPart, formPayload, type Payload } from './forms.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed if the response is JSON, otherwise its text. */
  readonly body: unknown;
  /** Time of the request and of the complete response, as `Date.now()`. */
  readonly sent: number;
  readonly received: number;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Percent-encodes characters that a request line must not contain, as every client does. */
const encode = (path: string): string =>
  path.replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character));

const isRaw = (body: unknown): body is { readonly __raw: string } =>
  typeof body === 'object' && body !== null && '__raw' in body;

const isForm = (body: unknown): body is { readonly __multipart: readonly FormPart[] } =>
  typeof body === 'object' && body !== null && '__multipart' in body;

async function payload(body: unknown): Promise<Payload | null> {
  if (body === null || body === undefined) return null;
  if (isForm(body)) return formPayload(body.__multipart);
  const text = isRaw(body) ? body.__raw : JSON.stringify(body);
  return { type: 'application/json', bytes: Buffer.from(text) };
}

function parse(text: string, type: string | undefined): unknown {
  if (text === '' || type === undefined || !type.includes('json')) return text;
  return JSON.parse(text) as unknown;
}

interface Raw {
  readonly status: number;
  readonly headers: Answer['headers'];
  readonly text: string;
}

type Target = { readonly port: number; readonly path: string; readonly headers: Record<string, string> };

const exchange = (target: Target, method: string, content: Payload | null): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', method, ...target }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    request.on('error', reject);
    request.end(content?.bytes);
  });

/** Sends a HEAD on a raw socket: an HTTP client would discard a forbidden body. */
const head = ({ port, path, headers }: Target): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers, connection: 'close' });
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('end', () => {
      const [top = '', ...rest] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n');
      const [first = '', ...fields] = top.split('\r\n');
      const parsed = fields.map((line) => [
        line.split(':', 1)[0]?.toLowerCase(),
        line.replace(/^[^:]*: */, ''),
      ]);
      const answered = Object.fromEntries(parsed) as Answer['headers'];
      resolve({ status: Number(first.split(' ')[1]), headers: answered, text: rest.join('\r\n\r\n') });
    });
    socket.write(`HEAD ${path} HTTP/1.1\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n`);
  });

export async function send(port: number, { method, path, headers, body }: Request): Promise<Answer> {
  const content = await payload(body);
  const typed = content === null ? headers : { 'content-type': content.type, ...headers };
  const length: Record<string, string> =
    content === null ? {} : { 'content-length': String(content.bytes.length) };
  const target: Target = { port, path: encode(path), headers: { ...typed, ...length } };
  const sent = Date.now();
  const raw = await (method === 'HEAD' ? head(target) : exchange(target, method, content));
  const type = raw.headers['content-type'];
  const { status, text } = raw;
  return { status, headers: raw.headers, body: parse(text, String(type)), sent, received: Date.now() };
}
