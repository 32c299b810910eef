/** A server of Fastify that speaks HTTP/2 itself: bodies of unknown length. */
import { mkdtemp, rm } from 'node:fs/promises';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ContentModule, defineCollectionType } from 'nestjs-content-api';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import { type Host, startHost } from './helpers.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  draftAndPublish: true,
  actions: true,
  attributes: { title: { type: 'string' } },
});

const { HTTP2_HEADER_METHOD, HTTP2_HEADER_PATH, HTTP2_HEADER_STATUS } = constants;
const JSON_TYPE = { 'content-type': 'application/json' };

describe('HTTP/2', () => {
  let host: Host;
  let client: ClientHttp2Session;
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'http2-'));
    host = await startHost(
      ({ url: clientUrl }) => ({
        imports: [
          ContentModule.forRoot({
            contentTypes: [note],
            access: { public: { note: '*', file: ['create'] } },
            database: { clientUrl },
            limits: { bodyBytes: 1000 },
          }),
          FilesModule.forRoot({ storage: new LocalStorage(directory), images: null }),
        ],
      }),
      { adapter: 'fastify', fastify: { http2: true }, tables: true },
    );
    client = connect(host.url);
  });
  afterAll(async () => {
    client.close();
    await host.close();
    await rm(directory, { recursive: true });
  });

  /** Sends a body without `Content-Length`, as clients do that stream it. */
  const post = async (path: string, body: string, headers: object = {}): Promise<any> => {
    const request = client.request({
      [HTTP2_HEADER_METHOD]: 'POST',
      [HTTP2_HEADER_PATH]: `/api/${path}`,
      ...headers,
    });
    let status: unknown;
    request.on('response', (head) => (status = head[HTTP2_HEADER_STATUS]));
    request.end(body);
    const answer = await text(request);
    return { status, body: JSON.parse(answer) };
  };
  const create = (title: string, headers: object = JSON_TYPE) =>
    post('notes', JSON.stringify({ data: { title } }), headers);

  it('1.13 reads bodies without a length, within the limit', async () => {
    const made = await create('one');
    expect([made.status, made.body.data.title]).toEqual([201, 'one']);
    expect((await create('x'.repeat(1000))).body.error.status).toBe(413);
    expect((await create('one', { 'content-type': 'text/xml' })).body.error.status).toBe(415);
  });

  it('8.23 needs no body for an action, whether or not it has a type', async () => {
    const { documentId } = (await create('two')).body.data;
    for (const headers of [{}, JSON_TYPE])
      expect((await post(`notes/${documentId}/actions/publish`, '', headers)).status).toBe(200);
  });

  it('20.1 receives files', async () => {
    const part = 'Content-Disposition: form-data; name="files"; filename="a.txt"\r\nContent-Type: text/plain';
    const form = `--edge\r\n${part}\r\n\r\nhello\r\n--edge--\r\n`;
    const { body } = await post('upload', form, { 'content-type': 'multipart/form-data; boundary=edge' });
    expect(body).toMatchObject([{ name: 'a.txt', mime: 'text/plain' }]);
  });
});
