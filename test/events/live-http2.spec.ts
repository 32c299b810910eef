/** Streams of live reads on a server of Fastify that speaks HTTP/2 itself. */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { text } from 'node:stream/consumers';
import { ContentModule, defineCollectionType } from 'nestjs-content-api';
import { EventsModule } from 'nestjs-content-api/events';
import { type Host, startHost } from '../http/helpers.ts';
import { lookUntil } from '../support/look-until.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string' } },
});

const { HTTP2_HEADER_METHOD, HTTP2_HEADER_PATH } = constants;

describe('live reads over HTTP/2', () => {
  let host: Host;
  let client: ClientHttp2Session;
  beforeAll(async () => {
    host = await startHost(
      ({ url: clientUrl }) => ({
        imports: [
          ContentModule.forRoot({
            contentTypes: [note],
            access: { public: { note: '*' } },
            database: { clientUrl },
          }),
          EventsModule.forRoot({
            pollMilliseconds: 50,
            live: { secret: 'a secret of at least 32 characters' },
          }),
        ],
      }),
      { adapter: 'fastify', fastify: { http2: true }, tables: true },
    );
    client = connect(host.url);
  });

  const ask = (method: string, path: string): ClientHttp2Stream =>
    client.request({
      [HTTP2_HEADER_METHOD]: method,
      [HTTP2_HEADER_PATH]: path,
      'content-type': 'application/json',
    });

  const create = async (title: string): Promise<void> => {
    const request = ask('POST', '/api/notes');
    request.end(JSON.stringify({ data: { title } }));
    expect(JSON.parse(await text(request))).toMatchObject({ data: { title } });
  };

  it.each([
    ['/api/live', /event: stale\ndata: \["[\w-]+"/],
    ['/api/live/notes', /data: \{"id":"evt_\d+","name":"entry.create"/],
  ])('%s sends events, and ends with its client', async (path, expected) => {
    const stream = ask('GET', path);
    let received = '';
    stream.setEncoding('utf8').on('data', (part: string) => (received += part));
    const has = async (pattern: RegExp): Promise<void> => {
      const seen = await lookUntil(
        () => received,
        (text) => pattern.test(text),
      );
      expect(seen).toMatch(pattern);
    };
    await has(/event: ready/);
    await create('one');
    await has(expected);
    stream.close();
    await create('two');
  });

  it('end when the server stops', async () => {
    const stream = ask('GET', '/api/live');
    let isEnded = false;
    stream.on('close', () => (isEnded = true)).resume();
    await new Promise((done) => stream.once('response', done));
    client.close();
    await host.close();
    expect(isEnded).toBe(true);
  });
});
