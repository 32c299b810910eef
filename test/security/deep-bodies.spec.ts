/** R7: bodies with more levels than code can recurse into are refused by every route that takes one. */
import { EventsModule } from 'nestjs-content-api/events';
import { type Newsroom, startNewsroom } from '../desk/journeys/newsroom.ts';
import { ADAPTERS } from '../support/app.ts';

const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;

type Operation = Readonly<Record<string, { readonly requestBody?: object }>>;

describe.each(ADAPTERS)('a body of 20,000 levels on %s', (adapter) => {
  let room: Newsroom;
  let authorization: string;

  beforeAll(async () => {
    room = await startNewsroom(adapter, { imports: [EventsModule.forRoot({ webhooks: {} })] });
    const [, code] = (await room.invite('ann@example.org', 'auditor')).split('#');
    const { body } = await room.http
      .post('/desk/session/invitation')
      .set('origin', room.url)
      .send({ code, password: 'a long password of an editor' })
      .expect(200);
    authorization = `Bearer ${body.jwt}`;
  });
  afterAll(() => room.close());

  it('is a 400 of all operations of the OpenAPI document that take a body', async () => {
    const { body } = await room.http.get('/api/openapi.json').set({ authorization }).expect(200);
    const operations = Object.entries<Operation>(body.paths).flatMap(([path, of]) =>
      Object.entries(of)
        .filter(([, { requestBody }]) => requestBody !== undefined)
        .map(([method]) => [method, path.replaceAll(/\{\w+\}/g, '1')] as const),
    );
    const answers: unknown[] = [];
    for (const [method, path] of operations) {
      const response = await room.http[method as 'post' | 'put'](path)
        .set({ authorization, 'content-type': 'application/json' })
        .send(`{"data":${DEEP}}`);
      answers.push([method, path, response.status, response.body.error?.details.limit]);
    }
    expect(answers).toEqual(operations.map((operation) => [...operation, 400, 'bodyDepth']));
    expect(operations.length).toBeGreaterThan(30);
  });

  it('is a 400 of the session of the desk', async () => {
    for (const path of ['', '/refresh', '/invitation', '/forgot', '/reset']) {
      const { status, body } = await room.http
        .post(`/desk/session${path}`)
        .set({ origin: room.url, 'content-type': 'application/json' })
        .send(`{"identifier":${DEEP}}`);
      expect([path, status, body.error?.details.limit]).toEqual([path, 400, 'bodyDepth']);
    }
  });

  it('is a 400 as the fileInfo of an upload', async () => {
    const { status, body } = await room.http
      .post('/api/upload')
      .set({ authorization })
      .field('fileInfo', `{"name":${DEEP}}`)
      .attach('files', Buffer.from('text'), 'a.txt');
    expect([status, body.error?.details.key]).toEqual([400, 'name']);
  });
});
