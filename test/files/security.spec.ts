/** Attacks by uploads on the server, and by stored files on browsers. */
import { connect } from 'node:net';
import { readdir } from 'node:fs/promises';
import { ADAPTERS } from '../support/app.ts';
import { createFilesApp, type FilesApp, formOf, type Part, picture, PNG } from './helpers.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const HTML = '<!doctype html><script>alert(1)</script>';
const XML = '<?xml version="1.0"?>';
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

/** Files that every route rejects. */
const REFUSED: readonly (readonly [string, Part])[] = [
  ['SVG', { bytes: SVG, name: 'x.svg', type: 'image/svg+xml' }],
  ['SVG by its extension', { bytes: SVG, name: 'x.SVG', type: 'text/plain' }],
  ['SVG with an image type', { bytes: SVG, name: 'x.png', type: 'image/png' }],
  ['SVG called text', { bytes: SVG, name: 'x.txt', type: 'text/plain' }],
  ['SVG called nothing', { bytes: SVG, name: 'x', type: 'application/octet-stream' }],
  [
    'SVG after a prologue',
    { bytes: `${XML}\n<!-- x -->\n<!DOCTYPE svg [\n<!ENTITY a "b">]>${SVG}`, name: 'x.txt' },
  ],
  ['SVG in UTF-16', { bytes: utf16(SVG), name: 'x.txt', type: 'text/plain' }],
  [
    'SVG with a namespace prefix',
    { bytes: '<s:svg xmlns:s="http://www.w3.org/2000/svg"/>', name: 'x.txt', type: 'text/plain' },
  ],
  ['XML', { bytes: `${XML}<a/>`, name: 'x.xml', type: 'text/xml' }],
  [
    'XML with a hidden root element',
    { bytes: `${XML}<!--${' '.repeat(9000)}-->${SVG}`, name: 'x.txt', type: 'text/plain' },
  ],
  ['HTML', { bytes: HTML, name: 'x.html', type: 'text/html' }],
  ['HTML by its type', { bytes: 'x', name: 'x.txt', type: 'text/html' }],
  ['HTML by its extension', { bytes: 'x', name: 'x.htm', type: 'text/plain' }],
  ['HTML called text', { bytes: `\ufeff \n${HTML}`, name: 'x.txt', type: 'text/plain' }],
  ['a script', { bytes: 'alert(1)', name: 'x.js', type: 'text/javascript' }],
  ['text with an image type', { bytes: 'hello', name: 'x.png', type: 'image/png' }],
  ['an image with a text type', { name: 'x.txt', type: 'text/plain' }],
  ['an image with an unknown extension', { name: 'x.whatever', type: 'image/png' }],
  ['an image of another type', { name: 'x.jpg', type: 'image/jpeg' }],
  ['a name that does not match the type', { name: 'x.pdf', type: 'image/png' }],
  [
    'a GIF with a script type',
    { bytes: 'GIF89a/*<svg/onload=alert(1)>*/=1', name: 'x.js', type: 'image/gif' },
  ],
  ['a program', { bytes: Buffer.from('MZ\u0090\0\u0003'), name: 'x.png', type: 'image/png' }],
];

/** Accepted files. */
const TAKEN: readonly (readonly [string, Part, string])[] = [
  ['a picture', {}, 'image/png'],
  ['an image without a type', { type: '' }, 'image/png'],
  ['an image without an extension', { name: 'photo' }, 'image/png'],
  ['a PDF', { bytes: '%PDF-1.4\n%%EOF', name: 'x.pdf', type: 'application/pdf' }, 'application/pdf'],
  ['text', { bytes: 'hello', name: 'x.txt', type: 'text/plain' }, 'text/plain'],
  [
    'text with a type that browsers change',
    { bytes: 'a,b', name: 'x.csv', type: 'application/vnd.ms-excel' },
    'text/csv',
  ],
  ['notes', { bytes: '# x <svg>', name: 'x.md', type: 'text/plain' }, 'text/markdown'],
  [
    'bytes of an unknown type',
    { bytes: '\u0001\u0002', name: 'x.bin', type: 'application/octet-stream' },
    'application/octet-stream',
  ],
];

describe.each(ADAPTERS)('files on %s', (adapter) => {
  let api: FilesApp;

  beforeAll(async () => {
    api = await createFilesApp({ maxBytes: 100_000, maxFiles: 5 }, adapter);
  });

  afterAll(() => api.close());

  /** Expects the same rows and files before and after. */
  const unchanged = async (work: () => Promise<void>): Promise<void> => {
    const rows = async (): Promise<unknown> =>
      (await api.sql('select count(*) from content_files'))[0]?.['count'];
    const before = [await api.stored(), await rows()];
    await work();
    for (
      let i = 0;
      i < 50 && (await readdir(`${api.directory}/_incoming`).catch(() => [])).length > 0;
      i += 1
    )
      await new Promise((done) => setTimeout(done, 20));
    expect([await api.stored(), await rows()]).toEqual(before);
  };

  const statusOf = async (files: readonly Part[], path?: string): Promise<number> => {
    const response = await api.send(formOf(files), path === undefined ? {} : { path });
    await response.arrayBuffer();
    return response.status;
  };

  const url = async (part: Part): Promise<string> => {
    const [file] = (await (await api.send(formOf([part]))).json()) as { url: string }[];
    return file?.url ?? '';
  };

  // The check does not depend on the adapter.
  if (adapter === 'express') {
    it.each(REFUSED)('S23: rejects %s, as an upload and as a replacement', async (_what, part) => {
      const [file] = (await (await api.send(formOf([{}]))).json()) as { id: number }[];
      await unchanged(async () => {
        expect(await statusOf([part])).toBe(400);
        expect(await statusOf([{}, part])).toBe(400);
        expect(await statusOf([part], `/api/upload?id=${file?.id}`)).toBe(400);
      });
    });

    it.each(TAKEN)('S23: accepts %s', async (_what, part, mime) => {
      const response = await api.send(formOf([part]));
      expect([response.status, await response.json()]).toMatchObject([201, [{ mime }]]);
    });
  }

  it('S23: serves images inline, and everything else as a download that cannot run', async () => {
    const headersOf = async (part: Part): Promise<Headers> => (await api.ask(await url(part))).headers;
    const shown = await headersOf({});
    const loaded = await headersOf({ bytes: '%PDF-1.4\n%%EOF', name: 'x.pdf', type: 'application/pdf' });
    for (const headers of [shown, loaded]) {
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe('sandbox');
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
    expect(shown.get('content-disposition')).toBeNull();
    expect(loaded.get('content-disposition')).toBe('attachment');
    const json = await headersOf({ bytes: '{}', name: 'x.json', type: 'application/json' });
    expect(json.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('S24, 20.11: rejects files over the limits, and stores nothing', async () => {
    await unchanged(async () => {
      const response = await api.send(formOf([{}, { bytes: picture(200_000) }]));
      expect([response.status, await response.json()]).toEqual([
        413,
        {
          data: null,
          error: { status: 413, name: 'PayloadTooLargeError', message: 'FileTooBig', details: {} },
        },
      ]);
      expect(await statusOf(Array.from({ length: 6 }, () => ({})))).toBe(400);
    });
  });

  it('S24: rejects 10,000 parts, long fields and invalid forms', async () => {
    const many = new FormData();
    for (let i = 0; i < 10_000; i += 1) many.append(`f${i}`, 'x');
    const nested = formOf([{}], { 'a[b][c]': 'x', '': 'x', __proto__: 'y', [`n${'x'.repeat(300)}`]: 'x' });
    const type = 'multipart/form-data; boundary=x';
    const raw = async (body: string, contentType = type): Promise<number> =>
      (await api.ask('/api/upload', { method: 'POST', body, headers: { 'Content-Type': contentType } }))
        .status;
    await unchanged(async () => {
      expect((await api.send(many)).status).toBe(400);
      expect((await api.send(nested)).status).toBe(400);
      expect((await api.send(formOf([{}], { fileInfo: 'x'.repeat(70_000) }))).status).toBe(400);
      expect(await raw('nonsense')).toBe(400);
      expect(
        await raw('--x\r\nContent-Disposition: form-data; name="files"; filename="a.png"\r\n\r\ncut'),
      ).toBe(400);
      expect(await raw('--x\r\n\r\nno header\r\n--x--\r\n')).toBe(400);
      expect(await raw('x', 'multipart/form-data')).toBe(415);
      expect(await raw('x', 'application/x-www-form-urlencoded')).toBe(415);
    });
    const odd = await api.send(formOf([{}], { 'a[b][c]': 'x', '': 'x', constructor: 'y' }));
    expect(odd.status).toBe(201);
  });

  it('S24: an upload that is aborted, or has a wrong length, stores nothing', async () => {
    const { hostname, port } = new URL(api.url);
    const head =
      'POST /api/upload HTTP/1.1\r\nHost: x\r\nX-Role: editor\r\nContent-Type: multipart/form-data; boundary=x\r\n';
    const part = `--x\r\nContent-Disposition: form-data; name="files"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n`;
    const send = (length: number, end: boolean): Promise<string> =>
      new Promise((done) => {
        const socket = connect(Number(port), hostname);
        let response = '';
        socket.on('data', (chunk) => (response += chunk.toString()));
        socket.on('error', () => undefined);
        socket.on('close', () => done(response));
        socket.write(
          `${head}Content-Length: ${length}\r\nConnection: close\r\n\r\n${part}${PNG.toString('latin1')}`,
        );
        if (end) socket.end('\r\n--x--\r\n');
        else setTimeout(() => socket.destroy(), 100);
      });
    await unchanged(async () => {
      await send(50_000, false);
      await send(50_000, true);
      expect(await send(part.length + 10, true)).toMatch(/^HTTP\/1.1 400/);
    });
    expect(await statusOf([{}])).toBe(201);
  });

  it('S25: HEAD has the headers of GET, and both follow conditions and ranges', async () => {
    const bytes = picture(50_000);
    const path = await url({ bytes });
    const [get, head] = [await api.ask(path), await api.ask(path, { method: 'HEAD' })];
    for (const name of ['content-length', 'content-type', 'etag', 'last-modified', 'accept-ranges'])
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
    expect([head.status, (await head.arrayBuffer()).byteLength]).toEqual([200, 0]);
    expect(Buffer.from(await get.arrayBuffer())).toEqual(bytes);
    const etag = get.headers.get('etag') ?? '';
    const part = async (headers: Record<string, string>): Promise<[number, string | null, Buffer]> => {
      const response = await api.ask(path, { headers });
      return [
        response.status,
        response.headers.get('content-range'),
        Buffer.from(await response.arrayBuffer()),
      ];
    };
    const total = bytes.length;
    expect(await part({ Range: 'bytes=10-19' })).toEqual([
      206,
      `bytes 10-19/${total}`,
      bytes.subarray(10, 20),
    ]);
    expect(await part({ Range: 'bytes=-5' })).toEqual([
      206,
      `bytes ${total - 5}-${total - 1}/${total}`,
      bytes.subarray(-5),
    ]);
    expect((await part({ Range: `bytes=${total - 1}-` }))[0]).toBe(206);
    expect((await part({ Range: `bytes=${total}-` })).slice(0, 2)).toEqual([416, `bytes */${total}`]);
    // A cache without ranges would send a stored 416 to clients that ask for the whole file.
    const outside = await api.ask(path, { headers: { Range: `bytes=${total}-` } });
    expect(outside.headers.get('cache-control')).toBe('no-store');
    expect((await part({ Range: 'bytes=5-1' }))[0]).toBe(200);
    expect((await part({ Range: 'bytes=0-1,4-5' }))[0]).toBe(200);
    expect((await part({ Range: 'bytes=0-1', 'If-Range': etag }))[0]).toBe(206);
    expect((await part({ Range: 'bytes=0-1', 'If-Range': '"other"' }))[0]).toBe(200);
    expect((await part({ 'If-None-Match': `"x", ${etag}` }))[0]).toBe(304);
    const unchanged = await api.ask(path, { headers: { 'If-None-Match': etag } });
    expect([...unchanged.headers.keys()].filter((name) => name.startsWith('content-'))).toEqual([
      'content-security-policy',
    ]);
    // Ranges apply only to GET (RFC 9110 14.2).
    const whole = await api.ask(path, { method: 'HEAD', headers: { Range: 'bytes=0-1' } });
    expect([whole.status, whole.headers.get('content-length'), whole.headers.get('content-range')]).toEqual([
      200,
      `${total}`,
      null,
    ]);
    expect((await part({ 'If-Modified-Since': get.headers.get('last-modified') ?? '' }))[0]).toBe(304);
  });

  it('S37: no path of a URL leaves the storage', async () => {
    const names = [
      '..%2f..%2fetc%2fpasswd',
      '%2e%2e/%2e%2e/etc/passwd',
      '_incoming/x',
      'a%00.png',
      '%',
      'x/../../y',
    ];
    for (const name of names) {
      const status = await new Promise<string>((done) => {
        const { hostname, port } = new URL(api.url);
        const socket = connect(Number(port), hostname);
        let text = '';
        socket.on('data', (chunk) => (text += chunk.toString()));
        socket.on('close', () => done(text.split(' ')[1] ?? ''));
        socket.write(`GET /uploads/${name} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      });
      expect([name, status]).toEqual([name, '404']);
    }
  });

  it('S37: stored names are digests, for any name of a file', async () => {
    await url({ name: 'über % Weg; rm -rf.png' });
    for (const name of await api.stored())
      expect(name).toMatch(/^[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64}\.[a-z0-9]+$/);
  });

  it('S37: rejects a form that another site submits from a signed-in browser', async () => {
    const cross = (headers: Record<string, string>): Promise<Response> =>
      api.ask('/api/upload', { method: 'POST', body: formOf([{}]), headers });
    // `fetch` sets this header itself, so the test builds the request of a browser.
    const body = new Response(formOf([{}]));
    const { hostname, port } = new URL(api.url);
    const bytes = Buffer.from(await body.arrayBuffer());
    const status = await new Promise<string>((done) => {
      const socket = connect(Number(port), hostname);
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString()));
      socket.on('close', () => done(text.split(' ')[1] ?? ''));
      socket.write(
        `POST /api/upload HTTP/1.1\r\nHost: x\r\nX-Role: editor\r\nSec-Fetch-Site: cross-site\r\nConnection: close\r\nContent-Type: ${body.headers.get('content-type')}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
      );
      socket.write(bytes);
    });
    expect([status, (await cross({})).status]).toEqual(['403', 201]);
  });
});
