/** One HTTP request exactly as recorded: no URL class, which would normalise the path. */
import { request as httpRequest } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed where the answer is JSON, else its text. */
  readonly body: unknown;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What may not stand in a request line goes percent-encoded, as every client sends it. */
const encode = (path: string): string =>
  path.replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character));

const isRaw = (body: unknown): body is { readonly __raw: string } =>
  typeof body === 'object' && body !== null && '__raw' in body;

function payload(body: unknown): string | null {
  if (body === null || body === undefined) return null;
  return isRaw(body) ? body.__raw : JSON.stringify(body);
}

function parse(text: string, type: string | undefined): unknown {
  if (type === undefined || !type.includes('json')) return text;
  return JSON.parse(text) as unknown;
}

export async function send(port: number, { method, path, headers, body }: Request): Promise<Answer> {
  const content = payload(body);
  const typed = content === null ? headers : { 'content-type': 'application/json', ...headers };
  const length = content === null ? {} : { 'content-length': String(Buffer.byteLength(content)) };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path: encode(path), headers: { ...typed, ...length } };
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: parse(text, response.headers['content-type']),
        });
      });
    });
    request.on('error', reject);
    request.end(content ?? undefined);
  });
}
