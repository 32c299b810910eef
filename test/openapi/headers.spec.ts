/** Headers are described only if the application switches them on. */
import { type LoggerService } from '@nestjs/common';
import { SYSTEM } from '../../src/content/access/caller.ts';
import { userTypes } from '../../src/features/accounts/account-types.ts';
import { userPaths } from '../../src/features/accounts/user-paths.ts';
import { filePaths } from '../../src/features/media/file-paths.ts';
import type { ContentDocument } from '../../src/content/openapi/document.ts';
import { blog } from '../fixtures/blog.ts';
import { ADAPTERS, createTestApp } from '../support/app.ts';
import { documentOf } from './support.ts';

const actions = ['publish', 'unpublish', 'discard', 'schedule'] as const;
const model = {
  ...blog,
  contentTypes: blog.contentTypes.map((type) => ({ ...type, draftAndPublish: true, actions })),
};

/** Returns the header parameters of each content operation and the headers of its responses. */
function headersOf(document: ContentDocument): Record<string, { asked: string[]; answered: string[][] }> {
  const all = document as any;
  const behind = (part: any): any =>
    part.$ref === undefined
      ? part
      : part.$ref
          .split('/')
          .slice(1)
          .reduce((at: any, key: string) => at[key], all);
  return Object.fromEntries(
    Object.entries(all.paths as Record<string, Record<string, any>>).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { parameters = [], responses }]) => [
        `${method} ${path}`,
        {
          asked: parameters
            .map(behind)
            .filter((one: any) => one.in === 'header')
            .map((one: any) => one.name),
          answered: Object.entries<any>(responses)
            .filter(([status]) => Number(status) < 400)
            .map(([, one]) => Object.keys((behind(one).headers ?? {}) as object)),
        },
      ]),
    ),
  );
}

const isContent = (operation: string): boolean =>
  !/openapi|i18n|content-type-builder|users|upload/.test(operation);
const isRead = (operation: string): boolean =>
  operation.startsWith('get ') && !operation.endsWith('/schedule');

describe('optional headers', () => {
  it('are not described by default', () => {
    const text = JSON.stringify(documentOf(model, SYSTEM));
    expect(text).not.toMatch(/Content-Position|Server-Timing/);
  });

  it('Content-Position: accepted and returned by every read of content, and returned by all writes, with replicas', () => {
    const users = { ...model, contentTypes: [...model.contentTypes, ...userTypes()] };
    const found = Object.entries(
      headersOf(documentOf(users, SYSTEM, { replicas: true }, [userPaths, filePaths])),
    );
    expect(found.filter(([operation]) => isContent(operation)).length).toBeGreaterThan(40);
    for (const [operation, { asked, answered }] of found) {
      expect([operation, asked.includes('Content-Position')]).toEqual([
        operation,
        isContent(operation) && isRead(operation),
      ]);
      const reports = answered.map((names) => names.includes('Content-Position'));
      const reads = isContent(operation) && isRead(operation);
      if (reads) expect([operation, reports]).toEqual([operation, answered.map(() => true)]);
      else {
        const done = answered.length > 0 && !operation.startsWith('get ');
        expect([operation, reports.includes(true)]).toEqual([operation, done]);
      }
    }
  });

  it('Server-Timing: returned by every content operation, 304 included, with serverTiming', () => {
    const found = Object.entries(headersOf(documentOf({ ...model, serverTiming: true }, SYSTEM)));
    for (const [operation, { answered }] of found)
      expect([operation, answered.map((names) => names.includes('Server-Timing'))]).toEqual([
        operation,
        answered.map(() => isContent(operation)),
      ]);
  });
});

describe.each(ADAPTERS)('headers of an application on %s', (adapter) => {
  it('match the document: ETag and Server-Timing of a read, a 304 and a write', async () => {
    const test = await createTestApp(
      { ...blog, access: { public: { '*': '*' } }, serverTiming: true },
      adapter,
    );
    try {
      const { body: document } = await test.http.get('/api/openapi.json').expect(200);
      const described = headersOf(document as ContentDocument);
      const named = (headers: Record<string, unknown>): string[] =>
        ['ETag', 'Idempotency-Replayed', 'Server-Timing', 'Content-Position'].filter(
          (name) => name.toLowerCase() in headers,
        );
      const write = () =>
        test.http
          .post('/api/categories')
          .set('Idempotency-Key', 'gardens')
          .send({ data: { name: 'Gardens' } })
          .expect(201);
      await write();
      const written = await write();
      const read = await test.http.get('/api/categories').expect(200);
      const same = await test.http
        .get('/api/categories')
        .set('If-None-Match', String(read.headers['etag']))
        .expect(304);
      expect(described['post /api/categories']?.answered).toEqual([named(written.headers)]);
      expect(described['get /api/categories']?.answered).toEqual([named(read.headers), named(same.headers)]);
    } finally {
      await test.close();
    }
  });
});

describe('routes that are switched off', () => {
  it.each([
    [{}, ['openapi.json']],
    [{ page: true }, ['openapi', 'openapi.json']],
    [{ document: false }, []],
  ] as const)('with %j are not mapped, and not logged', async (openapi, mapped) => {
    const lines: string[] = [];
    const ignore = (): void => undefined;
    const logger: LoggerService = {
      log: (line: unknown) => void lines.push(String(line)),
      warn: ignore,
      error: ignore,
    };
    const test = await createTestApp({ ...blog, openapi }, 'express', (app) => app.useLogger(logger));
    test.app.useLogger(['fatal']);
    const posted = (await test.http.post('/api/openapi')).status;
    await test.close();
    const controllers = lines.flatMap((line) => /^OpenApi\w* \{\/api\/([\w.]+)\}/.exec(line)?.[1] ?? []);
    expect(controllers.sort()).toEqual(mapped);
    expect(lines.some((line) => line.includes('{/api/i18n}'))).toBe(true);
    expect(lines.filter((line) => line.includes('/api/openapi,')).length > 0).toBe(mapped.length > 1);
    // Without the page its path does not exist, for any method.
    expect(posted).toBe(mapped.length > 1 ? 405 : 404);
  });
});
