import { ADAPTERS, countStatements, createTestApp, type TestApp } from '../support/app.ts';
import { blog } from '../fixtures/blog.ts';

describe.each(ADAPTERS)('first requests on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => void (test = await createTestApp(blog, adapter)));
  afterAll(() => test.close());

  it('creates a document and reads it back in one statement', async () => {
    const created = await test.http.post('/api/authors').send({ data: { name: 'Ann' } }).expect(201);
    expect(created.headers['content-type']).toBe('application/json; charset=utf-8');
    const statements = await countStatements(() => test.http.get('/api/authors?populate=*').expect(200));
    expect(statements).toHaveLength(1);
  });
});
