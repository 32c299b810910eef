/** Compares links with the access rule, for every kind of relation and every route. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ContentService, getContentToken } from 'nestjs-content-api';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import { formOf } from '../files/helpers.ts';
import { Client, NamedCallers } from '../fuzz/apps.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import {
  accepts,
  FIELDS,
  isMorph,
  LINK_ROWS,
  LINKERS,
  linkModel,
  type LinkRow,
  mayLink,
  maySee,
  READERS,
  type Reference,
  REFERENCES,
  UPLOADERS,
  uploadStatus,
} from './link-table.ts';

interface Row {
  readonly id: number;
  readonly documentId: string;
}

const MISSING: Row = { id: 2_000_000_000, documentId: 'nodocumentofthatname0000' };

/** Spellings of a reference in a body. */
const SPELLINGS: readonly ((item: unknown) => unknown)[] = [
  (item) => [item],
  (item) => ({ connect: [item] }),
  (item) => ({ set: [item] }),
];

describe.each(ADAPTERS)('links on %s', (adapter) => {
  let test: TestApp;
  let directory: string;
  const rows = new Map<string, Row>();

  const service = (type: string): ContentService =>
    test.app.get<ContentService>(getContentToken(type), { strict: false });
  const make = async (type: string, data: object, status: 'draft' | 'published' = 'published') =>
    (await service(type).create(data, status === 'draft' ? { status } : {})) as Row;
  const rowOf = ({ target, state }: Pick<Reference, 'target' | 'state'>): Row =>
    rows.get(`${target} ${state}`) ?? MISSING;
  const as = (caller: string) => ({ authorization: `Bearer ${caller}` });
  const send = async (method: 'post' | 'put', path: string, caller: string, data: object) => {
    const { status, body } = await test.http[method](`/api/${path}`).set(as(caller)).send({ data });
    return { status, body };
  };

  /** Builds an item of a relation in a body. */
  const itemOf = ({ attribute }: LinkRow, { target, state, by }: Reference): unknown => {
    const { [by]: value } = rowOf({ target, state });
    return isMorph(attribute) ? { __type: `api::${target}.${target}`, [by]: value } : { [by]: value };
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'links-'));
    test = await createTestApp(
      {
        ...linkModel,
        auth: { strategies: [new NamedCallers({ ...LINKERS, ...READERS, ...UPLOADERS })] },
        imports: [FilesModule.forRoot({ storage: new LocalStorage(directory), images: null })],
      },
      adapter,
    );
    const [file] = await test.sql(
      `insert into content_files (document_id, created_at, updated_at, published_at, published, locale, name, hash, mime, size, url, provider)
       values ('fileofthatname0000000000', now(), now(), now(), true, 'en', 'file', 'hash', 'image/png', 1, '/uploads/1', 'local') returning id, document_id as "documentId"`,
    );
    rows.set('file published', file as unknown as Row);
    rows.set('hall published', await make('hall', { name: 'open' }));
    rows.set('hall draft', await make('hall', { name: 'draft' }, 'draft'));
    rows.set('key published', await make('key', { name: 'key' }));
  });
  afterAll(async () => {
    await test.close();
    await rm(directory, { recursive: true, force: true });
  });

  // The rule does not depend on the adapter, so the second one gets a sample.
  const linkers = Object.entries(LINKERS).slice(0, adapter === 'express' ? undefined : 2);
  it.each(linkers)('a body of the caller "%s" links only permitted targets', async (caller, grants) => {
    const { documentId } = await make('house', {});
    // Links of the previous caller would be accepted again, so the document is deleted.
    await test.http.delete('/api/castle').set(as('everything')).expect(204);
    const wrong: string[] = [];
    let turn = 0;
    for (const row of LINK_ROWS) {
      const routes: (readonly ['post' | 'put', string])[] = [
        ['post', 'houses'],
        ['put', `houses/${documentId}`],
        ...(row.isInSingle ? [['put', 'castle'] as const] : []),
      ];
      for (const reference of REFERENCES.filter(({ target }) => accepts(row.attribute).includes(target))) {
        // Alternates routes and spellings.
        turn += 1;
        const [method, path] = routes[turn % routes.length] ?? ['post', 'houses'];
        const spell = SPELLINGS[Math.floor(turn / 3) % SPELLINGS.length];
        const data = row.body(spell?.(itemOf(row, reference)));
        const { status } = await send(method, path, caller, data);
        const allowed = method === 'post' ? 201 : 200;
        const wanted = mayLink(grants, row.attribute, reference) ? allowed : 400;
        if (status !== wanted)
          wrong.push(`${method} ${path} ${JSON.stringify(data)} ${JSON.stringify(reference)}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('a refused link returns the same error as a link to a missing document', async () => {
    const different: string[] = [];
    for (const row of LINK_ROWS)
      for (const caller of ['finder', 'updater', 'blind'])
        for (const by of ['documentId', 'id'] as const) {
          const target = accepts(row.attribute)[0] ?? 'hall';
          const hidden = target === 'file' ? 'published' : 'draft';
          if (mayLink(LINKERS[caller] ?? {}, row.attribute, { target, state: hidden, by })) continue;
          const answers = [];
          for (const state of [hidden, 'missing'] as const) {
            const data = row.body([itemOf(row, { target, state, by })]);
            const answer = JSON.stringify(await send('post', 'houses', caller, data));
            answers.push(answer.replaceAll(rowOf({ target, state }).documentId, '…'));
          }
          if (answers[0] !== answers[1]) different.push(`${caller} ${row.path} ${by}: ${answers.join(' ')}`);
        }
    expect(different).toEqual([]);
  });

  it('the API description matches the error with the missing grants of several links', async () => {
    const client = new Client(test.url, { described: true });
    const data = { farSet: [MISSING.documentId], farMany: [MISSING.documentId] };
    const { status, body } = await client.get('/api/houses', as('finder'), 'POST', JSON.stringify({ data }));
    client.close();
    expect(status).toBe(400);
    const { error } = JSON.parse(body) as { error: { details: { errors: { grant?: string }[] } } };
    expect(error.details.errors.map(({ grant }) => grant)).toEqual(['hall.update', 'hall.update']);
  });

  it.each(Object.entries(READERS))(
    'the caller "%s" sees only links to types with a find grant',
    async (caller, grants) => {
      const wrong: string[] = [];
      for (const row of LINK_ROWS.filter(({ path }) => path !== 'passport'))
        for (const target of accepts(row.attribute)) {
          const reference: Reference = { target, state: 'published', by: 'documentId' };
          const { documentId } = rowOf(reference);
          const house = await make('house', row.body([itemOf(row, reference)]));
          const { status, body } = await test.http
            .get(`/api/houses/${house.documentId}?${row.populate}`)
            .set(as(caller));
          const isSeen = JSON.stringify(body).includes(documentId);
          if (status !== 200 || isSeen !== maySee(grants, reference))
            wrong.push(`${row.path} to ${target}: ${status} ${JSON.stringify(body.data)}`);
        }
      expect(wrong).toEqual([]);
    },
  );

  it.each(Object.entries(UPLOADERS))(
    'the upload form of the caller "%s" links files only with the required grants',
    async (caller, grants) => {
      const { id, documentId } = await make('house', {});
      const wrong: string[] = [];
      const linked: Record<string, number> = {};
      for (const field of FIELDS)
        for (const refId of [documentId, String(id), MISSING.documentId, String(MISSING.id)]) {
          const exists = refId === documentId || refId === String(id);
          const answer = await fetch(`${test.url}/api/upload`, {
            method: 'POST',
            headers: as(caller),
            body: formOf([{}], { ref: 'api::house.house', refId, field }),
          });
          const wanted = uploadStatus(grants, field, exists);
          if (answer.status !== wanted)
            wrong.push(`${field} of ${refId}: ${answer.status} instead of ${wanted}`);
          if (wanted === 201) linked[field] = field === 'photos' ? (linked[field] ?? 0) + 1 : 1;
        }
      expect(wrong).toEqual([]);
      const house = (await service('house').findOne(documentId, {
        populate: ['photo', 'photos'],
      })) as unknown as Record<string, unknown>;
      const count = (value: unknown): number => [value].flat().filter((one) => one !== null).length;
      expect([count(house['photo']), count(house['photos'])]).toEqual([
        linked['photo'] ?? 0,
        linked['photos'] ?? 0,
      ]);
    },
  );
});
