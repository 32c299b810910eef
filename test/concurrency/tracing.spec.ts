/** Tracing puts itself around the driver's `query`: it looks for a text, and for a callback to put its own around. */
import { defineCollectionType } from 'nestjs-content-api';
import pg from 'pg';
import { createTestApp, type TestApp } from '../support/app.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string' } },
});

interface Query {
  readonly text: string;
  callback: ((error: Error | null, result?: unknown) => void) | undefined;
}

/** The texts of queries that were begun and have ended while `work` runs, as tracing tools find them. */
async function traced(work: () => Promise<unknown>): Promise<{ begun: string[]; ended: string[] }> {
  const [begun, ended]: [string[], string[]] = [[], []];
  const original = pg.Client.prototype.query;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]): unknown {
    const [query] = args as [Query];
    const { text, callback } = query;
    if (typeof text === 'string' && typeof callback === 'function') {
      begun.push(text);
      query.callback = (error, result) => {
        ended.push(text);
        callback(error, result);
      };
    }
    return (original as (...all: unknown[]) => unknown).apply(this, args);
  } as typeof original;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = original;
  }
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

  it('sees the statements of reads and writes, and when they have ended', async () => {
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
