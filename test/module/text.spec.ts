/** Encodings and locales of the database that change the results of requests are reported at the start. */
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ContentModule } from 'nestjs-content-api';
import pg from 'pg';
import { startHost } from '../http/helpers.ts';
import { reserveDatabase, type TestDatabase } from '../support/database.ts';
import { note } from '../support/notes.ts';

const SERVER = process.env['TEST_DATABASE_URL'] ?? '';

/** Creates a database by options of `create database`. */
async function createdWith(options: string): Promise<TestDatabase> {
  const database = reserveDatabase();
  const client = new pg.Client({ connectionString: SERVER });
  await client.connect();
  await client.query(
    `create database ${new URL(database.url).pathname.slice(1)} template template0 ${options}`,
  );
  await client.end();
  return {
    url: database.url,
    drop: async () => {
      const server = new pg.Client({ connectionString: SERVER });
      await server.connect();
      await server.query(`drop database ${new URL(database.url).pathname.slice(1)} with (force)`);
      await server.end();
    },
  };
}

describe('the text of a database', () => {
  const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  beforeEach(() => warnings.mockClear());
  afterAll(() => warnings.mockRestore());

  /** Warnings of a start, except those about missing tables. */
  const warned = async (options: string): Promise<string[]> => {
    const database = await createdWith(options);
    try {
      const host = await startHost(
        () => ({
          imports: [ContentModule.forRoot({ contentTypes: [note], database: { clientUrl: database.url } })],
        }),
        { database },
      );
      await host.close();
    } finally {
      await database.drop();
    }
    return warnings.mock.calls
      .map(([line]) => String(line))
      .filter((line) => /encoding|locale of/.test(line));
  };

  it.each([
    [
      'LATIN1',
      /^The database has the encoding LATIN1: requests with other characters fail with 400\. Create/,
    ],
    ['SQL_ASCII', /^The database has the encoding SQL_ASCII: it accepts invalid text/],
  ])('is reported in the encoding %s', async (encoding, message) => {
    expect(await warned(`encoding '${encoding}' locale_provider libc locale 'C'`)).toEqual([
      expect.stringMatching(message),
    ]);
  });

  it.each([
    ['the locale C', "locale_provider libc locale 'C'", /has no lower case for letters beyond ASCII/],
    ['a Turkish locale', "locale_provider icu icu_locale 'tr'", /turns "I" into "ı"/],
  ])('is reported with %s', async (_title, locale, message) => {
    expect(await warned(`encoding 'UTF8' ${locale}`)).toEqual([expect.stringMatching(message)]);
  });

  it('is not reported with a locale of Unicode', async () => {
    expect(await warned("encoding 'UTF8' locale_provider icu icu_locale 'und'")).toEqual([]);
    expect(await warned("encoding 'UTF8' locale_provider builtin builtin_locale 'C.UTF-8'")).toEqual([]);
  });
});
