/** Live reads behind nginx with the file of the sample, over HTTP/1.1 and HTTP/2. */
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { Folder, freePort, Program, programAt, replaced } from '../deploy/programs.ts';
import { ADAPTERS } from '../support/app.ts';
import { eventually } from './helpers.ts';
import { LiveApp } from './live-app.ts';
import { LiveClient } from './live-client.ts';

const NGINX = programAt('nginx');
/** Streams of one page each. The application accepts 12. */
const STREAMS = 8;

/** Stream of server-sent events on a connection of HTTP/2. */
class Http2Client {
  private text = '';

  constructor(readonly stream: ClientHttp2Stream) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => void (this.text += text));
    stream.on('error', () => undefined);
  }

  of(event: string): string[] {
    return [...this.text.matchAll(new RegExp(`event: ${event}\ndata: (.*)\n`, 'g'))].map(
      ([, data]) => data ?? '',
    );
  }

  close(): void {
    this.stream.close();
  }
}

// The program comes with the operating system: `apt install nginx-light`.
const describeWithNginx = NGINX === undefined ? describe.skip : describe;

describeWithNginx.each(ADAPTERS)('live reads of %s behind nginx', (adapter) => {
  const folder = new Folder();
  let live: LiveApp;
  let nginx: Program;
  let ports: { readonly first: number; readonly second: number };

  beforeAll(async () => {
    live = await LiveApp.start(adapter);
    ports = { first: await freePort(), second: await freePort() };
    const { host } = new URL(live.test.url);
    const file = folder.write(
      'nginx.conf',
      replaced('nginx.conf', {
        'server app-1:3000': `server ${host}`,
        'server app-2:3000 max_fails=1 fail_timeout=2s;': '',
        'listen 8080': `listen 127.0.0.1:${ports.first}; listen 127.0.0.1:${ports.second} http2`,
        // Heartbeats of a second keep a stream longer than the timeout.
        'proxy_read_timeout 30s': 'proxy_read_timeout 2s',
        '/tmp/': `${folder.path}/`,
      }),
    );
    nginx = Program.spawn(NGINX ?? '', ['-e', 'stderr', '-c', file, '-g', 'daemon off;']);
    await nginx.ready(async () => (await fetch(`http://127.0.0.1:${ports.first}/api/articles`)).ok);
  });
  afterAll(async () => {
    await nginx.stop();
    await live.test.close();
    folder.remove();
  });

  /** Opens streams at the same time, and waits until all of them report changes. */
  async function ready<T extends { of(event: string): unknown[] }>(open: () => Promise<T>): Promise<T[]> {
    const clients = await Promise.all(Array.from({ length: STREAMS }, open));
    await eventually(() => clients.filter((client) => client.of('ready').length === 1), STREAMS);
    return clients;
  }

  it('responds to equal requests at the same time', async () => {
    const started = performance.now();
    const urls = Array.from(
      { length: STREAMS },
      () => `http://127.0.0.1:${ports.first}/api/articles?sort=title`,
    );
    expect((await Promise.all(urls.map((url) => fetch(url)))).every(({ ok }) => ok)).toBe(true);
    // A lock of the cache would let them pass one after another, each half a second later.
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('streams at once over HTTP/1.1', async () => {
    const clients = await ready(() => LiveClient.open(`http://127.0.0.1:${ports.first}/api/live`));
    await live.create('articles', { title: 'first' });
    await eventually(() => clients.filter((client) => client.of('stale').length > 0), STREAMS);
    for (const client of clients) client.close();
  });

  describe('over one connection of HTTP/2', () => {
    let session: ClientHttp2Session;
    const open = async (): Promise<Http2Client> =>
      Promise.resolve(new Http2Client(session.request({ ':path': '/api/live' })));

    beforeAll(() => {
      session = connect(`http://127.0.0.1:${ports.second}`);
    });
    afterAll(() => session.destroy());

    it('streams, and frees the places of closed streams', async () => {
      for (const title of ['second', 'third']) {
        const clients = await ready(open);
        await live.create('articles', { title });
        await eventually(() => clients.filter((client) => client.of('stale').length > 0), STREAMS);
        for (const client of clients) client.close();
        await sleep(700);
      }
    });

    it('keeps a stream for longer than the timeout of the proxy', async () => {
      const client = await open();
      await eventually(() => client.of('ready'), 1);
      await sleep(3000);
      await live.create('articles', { title: 'later' });
      await eventually(() => (client.of('stale').length > 0 ? [1] : []), 1);
      client.close();
    });
  });
});
