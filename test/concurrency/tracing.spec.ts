/** Tracing tools wrap the driver's `query`: they expect a text, and wrap the callback. */
import { defineCollectionType } from 'nestjs-content-api';
import { createTestApp, type TestApp } from '../support/app.ts';
import { watchQueries } from '../support/watch-queries.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string' } },
});

interface Query {
  readonly text: string;
  callback: ((error: Error | null, result?: unknown) => void) | undefined;
}

/** Returns the texts of queries that began and ended while `work` runs, as tracing tools record them. */
async function traced(work: () => Promise<unknown>): Promise<{ begun: string[]; ended: string[] }> {
  const [begun, ended]: [string[], string[]] = [[], []];
  await watchQueries((sent) => {
    const query = sent as Query;
    const { text, callback } = query;
    if (typeof text !== 'string' || typeof callback !== 'function') return;
    begun.push(text);
    query.callback = (error, result) => {
      ended.push(text);
      callback(error, result);
    };
  }, work);
  return { begun, ended };
}

describe('tracing of the driver', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp({
      contentTypes: [note],
      access: { public: { note: '*' } },
      cache: false,
    });
  });
  afterAll(() => test.close());

  it('records the statements of reads and writes, and their end', async () => {
    await test.http.get('/api/notes').expect(200);
    const read = await traced(() => test.http.get('/api/notes').expect(200));
    const write = await traced(() =>
      test.http
        .post('/api/notes')
        .send({ data: { title: 'one' } })
        .expect(201),
    );
    expect(read.begun).toContainEqual(expect.stringContaining('from "notes"'));
    expect(write.begun).toContainEqual(expect.stringContaining('insert into "notes"'));
    const about = (texts: readonly string[]): string[] => texts.filter((text) => text.includes('"notes"'));
    for (const { begun, ended } of [read, write]) expect(about(ended)).toEqual(about(begun));
  });
});
