/** Limits of a whole form (N8): fields, ignored parts, and bodies without an end. */
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADAPTERS } from '../support/app.ts';
import { createFilesApp, type FilesApp } from './helpers.ts';

const MEGABYTE = 1024 * 1024;
const HEAD = [
  'POST /api/upload HTTP/1.1',
  'Host: x',
  'X-Role: editor',
  'Content-Type: multipart/form-data; boundary=x',
].join('\r\n');
const part = (disposition: string): string => `--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`;

describe.each(ADAPTERS)('forms on %s', (adapter) => {
  let api: FilesApp;
  beforeAll(async () => {
    api = await createFilesApp({ maxBytes: MEGABYTE, maxFiles: 2 }, adapter);
  });
  afterAll(() => api.close());

  /**
   * Sends the beginning of a form and then one byte repeatedly, until the server responds or has read 100 MB.
   * With `untilEnd`, continues until the connection ends.
   */
  async function sendForever(start: string, untilEnd = false): Promise<{ answer: string; sent: number }> {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    let [answer, sent, isEnded] = ['', 0, false];
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => (isEnded = true));
    socket.write(`${HEAD}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const send = async (bytes: Buffer): Promise<void> => {
      sent += bytes.length;
      socket.write(`${bytes.length.toString(16)}\r\n`);
      socket.write(bytes);
      if (!socket.write('\r\n'))
        await Promise.race([new Promise((done) => socket.once('drain', done)), sleep(1000)]);
      await sleep(1);
    };
    await send(Buffer.from(start));
    const more = Buffer.alloc(64 * 1024, 'x');
    while (!isEnded && sent < 100 * MEGABYTE && (untilEnd || answer === '')) await send(more);
    socket.destroy();
    return { answer, sent };
  }

  it('N8: rejects a field over its limit at once', async () => {
    const { answer, sent } = await sendForever(part('name="fileInfo"'));
    expect(answer).toMatch(/^HTTP\/1.1 400 [^]*a field is too long/);
    expect(sent).toBeLessThan(10 * MEGABYTE);
  });

  it('N8: limits a file under an unknown name like the others', async () => {
    const { answer, sent } = await sendForever(part('name="other"; filename="a.png"'));
    expect(answer).toMatch(/^HTTP\/1.1 413 [^]*FileTooBig/);
    expect(sent).toBeLessThan(20 * MEGABYTE);
  });

  it.each([
    ['before the first part', 'preamble'],
    ['in a part without a name', '--x\r\n\r\n'],
  ])('N8: rejects a form without an end %s, and closes its connection', async (_where, start) => {
    const { answer, sent } = await sendForever(start, true);
    expect(answer).toMatch(/^HTTP\/1.1 4(00|13) /);
    expect(sent).toBeLessThan(60 * MEGABYTE);
  });

  it('N8: rejects a body whose Content-Length is over the limit before it arrives', async () => {
    const { hostname, port } = new URL(api.url);
    const answer = await new Promise<string>((done) => {
      const socket = connect(Number(port), hostname);
      socket.once('data', (chunk) => {
        done(chunk.toString());
        socket.destroy();
      });
      socket.on('error', () => undefined);
      socket.write(`${HEAD}\r\nContent-Length: ${50 * MEGABYTE}\r\n\r\n`);
    });
    expect(answer).toMatch(/^HTTP\/1.1 413 [^]*FormTooBig/);
  });

  it('N8: accepts a form with all parts at their limits', async () => {
    const form = new FormData();
    for (const name of ['a.bin', 'b.bin'])
      form.append('files', new Blob([new Uint8Array(MEGABYTE)], { type: 'application/octet-stream' }), name);
    for (let i = 0; i < 100; i += 1) form.append(`f${i}`, 'x'.repeat(64 * 1024));
    const response = await api.send(form);
    expect([response.status, await response.json()]).toMatchObject([201, [{ name: 'a.bin' }, {}]]);
  });
});

describe.each(ADAPTERS)('forms that another parser has read on %s', (adapter) => {
  it('names the cause', async () => {
    const readBody = (request: IncomingMessage, _response: unknown, next: () => void): void => {
      request.once('close', next).resume();
    };
    const api = await createFilesApp({}, adapter, { prepare: (app) => app.use(readBody) });
    const form = new FormData();
    form.append('files', new Blob(['text']), 'a.txt');
    const { error } = (await (await api.send(form)).json()) as { error: unknown };
    await api.close();
    expect(error).toMatchObject({
      status: 400,
      message:
        'Invalid form: another body parser of the application has read it. Exclude the routes of the content ' +
        'module from that parser',
    });
  });
});
