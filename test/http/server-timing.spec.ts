/** Server-Timing headers of an application that switches them on. */
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { blog } from '../fixtures/blog.ts';

const TIMES = (action: 'read' | 'write'): RegExp =>
  new RegExp(
    `^${['access', 'plan', action, 'total'].map((name) => `${name};dur=\\d+\\.\\d\\d`).join(', ')}$`,
  );

describe.each(ADAPTERS)('Server-Timing on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp({ ...blog, serverTiming: true, cache: { bytes: 1_000_000 } }, adapter);
  });
  afterAll(() => test.close());

  it('names the steps of a read, a cache hit and a write', async () => {
    const path = '/api/categories?filters[name]=secret';
    for (let i = 0; i < 3; i += 1)
      expect((await test.http.get(path).expect(200)).headers['server-timing']).toMatch(TIMES('read'));
    const { headers } = await test.http.post('/api/categories').send({ data: { name: 'secret' } });
    expect(headers['server-timing']).toMatch(TIMES('write'));
  });

  it('adds up to the total', async () => {
    const { headers } = await test.http.get('/api/categories').expect(200);
    const times = [...String(headers['server-timing']).matchAll(/dur=([\d.]+)/g)].map(([, time]) =>
      Number(time),
    );
    const total = times.pop() ?? 0;
    expect(times.reduce((sum, time) => sum + time, 0)).toBeLessThanOrEqual(total + 0.02);
  });
});

it('is missing by default', async () => {
  const test = await createTestApp(blog);
  expect((await test.http.get('/api/categories').expect(200)).headers).not.toHaveProperty('server-timing');
  await test.close();
});
