/**
 * Options of attributes that only writes enforce: allowed file types, unique values in components, required
 * relations.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { defineCollectionType, defineComponent } from 'nestjs-content-api';
import { adaptersFor } from '../support/adapters.ts';
import { countStatements, createTestApp, type TestApp } from '../support/app.ts';
import { failure, problem, snapshot, withinTransaction } from './helpers.ts';

const part = defineComponent({
  uid: 'o.part',
  attributes: {
    code: { type: 'string', unique: true },
    size: { type: 'integer', unique: true },
    note: { type: 'string' },
  },
});
const group = defineComponent({
  uid: 'o.group',
  attributes: {
    photo: { type: 'media', allowedTypes: ['images'] },
    part: { type: 'component', component: 'o.part' },
    parts: { type: 'component', component: 'o.part', repeatable: true },
  },
});
const secret = defineComponent({
  uid: 'o.secret',
  attributes: { pin: { type: 'password', minLength: 3 }, size: { type: 'integer' } },
});
const box = defineCollectionType({
  singularApiId: 'box',
  pluralApiId: 'boxes',
  draftAndPublish: true,
  localized: true,
  attributes: {
    title: { type: 'string', localized: true },
    part: { type: 'component', component: 'o.part', localized: true },
    shared: { type: 'component', component: 'o.part' },
    groups: { type: 'component', component: 'o.group', repeatable: true, localized: true },
    zone: { type: 'dynamiczone', components: ['o.part', 'o.group'], localized: true },
    photo: { type: 'media', allowedTypes: ['images'] },
    films: { type: 'media', multiple: true, allowedTypes: ['videos', 'audios'] },
    other: { type: 'media', allowedTypes: ['files'] },
    secrets: { type: 'component', component: 'o.secret', repeatable: true },
  },
});
const MODEL = {
  contentTypes: [box],
  components: [part, group, secret],
  locales: ['en', 'fr'],
  access: { public: { '*': '*' as const } },
};
const TAKEN = 'This attribute must be unique';

describe.each(adaptersFor('express'))('options of attributes on %s', (adapter) => {
  let test: TestApp;
  const files: Record<string, { id: number; documentId: string }> = {};
  beforeAll(async () => {
    test = await createTestApp(MODEL, adapter);
    const mimes = ['image/png', 'IMAGE/JPEG', 'video/mp4', 'audio/mpeg', 'application/pdf', 'text/plain'];
    for (const mime of mimes) {
      const [row] = await test.sql(
        `insert into content_files (document_id, created_at, updated_at, published_at, published, locale, name, hash, mime, size, url, provider)
         values ($1, now(), now(), now(), true, 'en', 'f', 'h', $2, 1, '/f', 'local') returning id, document_id as "documentId"`,
        [mime.replace('/', '').toLowerCase(), mime],
      );
      files[mime] = row as { id: number; documentId: string };
    }
  });
  afterAll(() => test.close());
  const send = (method: 'post' | 'put', path: string, data: object) =>
    test.http[method](`/api/${path}`).send({ data });
  const post = async (data: object, query = ''): Promise<any> =>
    (await send('post', `boxes${query}`, data).expect(201)).body.data;
  const refused = async (method: 'post' | 'put', path: string, data: object): Promise<unknown> =>
    (await send(method, path, data).expect(400)).body;

  describe('H4: allowedTypes', () => {
    const wrong = (path: string, id: string | number, allowed: string) =>
      failure(400, 'ValidationError', `The file with id ${id} is not of the allowed types: ${allowed}`, {
        key: path.split('.').at(-1),
        path,
        source: 'body',
      });
    const idOf = (mime: string) => files[mime]?.documentId ?? '';

    it('links files of the allowed types; `files` means neither image, video nor audio', async () => {
      const made = await post(
        {
          photo: files['IMAGE/JPEG']?.id,
          films: [idOf('video/mp4'), idOf('audio/mpeg')],
          other: idOf('application/pdf'),
          groups: [{ photo: idOf('image/png') }],
        },
        '?populate=*',
      );
      expect([made.photo.mime, made.films.length, made.other.mime]).toEqual([
        'IMAGE/JPEG',
        2,
        'application/pdf',
      ]);
    });

    it('returns 400 with key and path for other types, in every form of input and for drafts, and writes nothing', async () => {
      const made = await post({ title: 'x' });
      const before = await snapshot(test);
      const [pdf, png] = [idOf('application/pdf'), idOf('image/png')];
      expect(await refused('post', 'boxes', { photo: pdf })).toEqual(wrong('photo', pdf, 'images'));
      expect(
        await refused('put', `boxes/${made.documentId}?status=draft`, {
          photo: { id: files['text/plain']?.id },
        }),
      ).toEqual(wrong('photo', files['text/plain']?.id ?? 0, 'images'));
      expect(
        await refused('put', `boxes/${made.documentId}`, { films: { connect: [idOf('video/mp4'), png] } }),
      ).toEqual(wrong('films', png, 'videos, audios'));
      expect(await refused('post', 'boxes', { other: idOf('audio/mpeg') })).toEqual(
        wrong('other', idOf('audio/mpeg'), 'files'),
      );
      expect(await refused('post', 'boxes', { groups: [{}, { photo: { set: [pdf] } }] })).toEqual(
        wrong('groups.1.photo', pdf, 'images'),
      );
      expect(await snapshot(test)).toEqual(before);
    });

    it('needs no additional statement, and skips files that are only removed', async () => {
      const statements = await countStatements(() => post({ photo: idOf('image/png') }));
      const plain = await countStatements(() => post({ title: 'x' }));
      // The lock and the query that every relation needs.
      expect(withinTransaction(statements).length - withinTransaction(plain).length).toBeLessThanOrEqual(2);
      const { documentId } = await post({ films: [idOf('video/mp4')] });
      await send('put', `boxes/${documentId}`, { films: { disconnect: [idOf('application/pdf')] } }).expect(
        200,
      );
    });
  });

  describe('14.18: unique inside components', () => {
    let n = 0;
    const next = (): string => `code ${(n += 1)}`;
    const PLACES: readonly [string, (code: unknown) => object, string[]][] = [
      ['a single one', (code) => ({ part: { code } }), ['part', 'code']],
      [
        'a repeatable one',
        (code) => ({ groups: [{}, { parts: [{ note: 'x' }, { code }] }] }),
        ['groups', '1', 'parts', '1', 'code'],
      ],
      ['a nested one', (code) => ({ groups: [{ part: { code } }] }), ['groups', '0', 'part', 'code']],
      [
        'a zone',
        (code) => ({ zone: [{ __component: 'o.group' }, { __component: 'o.part', code }] }),
        ['zone', '1', 'code'],
      ],
      [
        'one in a zone',
        (code) => ({ zone: [{ __component: 'o.group', parts: [{ code }] }] }),
        ['zone', '0', 'parts', '0', 'code'],
      ],
    ];

    it.each(PLACES)(
      'in %s: rejects a second document with the value and reports its path',
      async (_, data, path) => {
        const code = next();
        const made = await post(data(code));
        const before = await snapshot(test);
        expect(await refused('post', 'boxes', data(code))).toEqual(problem(path, TAKEN, code));
        expect(await snapshot(test)).toEqual(before);
        // The same document may keep the value, and another one may use it after a deletion.
        await send('put', `boxes/${made.documentId}`, data(code)).expect(200);
        await send('put', `boxes/${made.documentId}`, data(next())).expect(200);
        await post(data(code));
      },
    );

    it.each(PLACES)(
      'in %s: ignores null, the empty string and drafts; checks when publishing',
      async (_, data, path) => {
        for (const code of [null, '']) await Promise.all([post(data(code)), post(data(code))]);
        const code = next();
        const draft = await post(data(code), '?status=draft');
        await post(data(code));
        // The error has no value, because the body did not contain it.
        expect(await refused('put', `boxes/${draft.documentId}`, {})).toEqual(problem(path, TAKEN));
        await send('put', `boxes/${draft.documentId}?status=draft`, data(code)).expect(200);
      },
    );

    it('is separate per attribute of the model and per locale, and applies to numbers', async () => {
      const code = next();
      const made = await post({ part: { code, size: 7 } });
      await post({ groups: [{ part: { code } }], zone: [{ __component: 'o.part', code }] });
      await post({ part: { code } }, '?locale=fr');
      expect(await refused('post', 'boxes', { part: { size: '7' } })).toEqual(
        problem(['part', 'size'], TAKEN, 7),
      );
      expect(await refused('put', `boxes/${made.documentId}?locale=fr`, { part: { code } })).toEqual(
        problem(['part', 'code'], TAKEN, code),
      );
    });

    it('checks a value that all locales share in all of them', async () => {
      const code = next();
      await post({ shared: { code } }, '?locale=fr');
      const made = await post({ title: 'en' });
      await send('put', `boxes/${made.documentId}?locale=fr`, { title: 'fr' }).expect(200);
      expect(await refused('put', `boxes/${made.documentId}`, { shared: { code } })).toEqual(
        problem(['shared', 'code'], TAKEN, code),
      );
    });

    it('rejects the second of two equal values in one body, together with all other problems', async () => {
      const code = next();
      expect(
        await refused('post', 'boxes', {
          groups: [{ parts: [{ code }] }, { parts: [{ code }, { code: 5 }] }],
        }),
      ).toMatchObject({
        error: {
          details: {
            errors: [
              { path: ['groups', '1', 'parts', '1', 'code'] },
              { path: ['groups', '1', 'parts', '0', 'code'], message: TAKEN, value: code },
            ],
          },
        },
      });
      await post({ groups: [{ part: { code } }, { parts: [{ code }] }] });
    });

    it('D14: exactly one of 20 concurrent writers succeeds, for any number of values', async () => {
      for (const count of [1, 40]) {
        const codes = Array.from({ length: count }, next);
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            send('post', 'boxes', {
              groups: [{ parts: [...codes].sort(() => (i % 2) - 0.5).map((code) => ({ code })) }],
            }),
          ),
        );
        expect(answers.map(({ status }) => status).sort()).toEqual([
          201,
          ...Array.from({ length: 19 }, () => 400),
        ]);
      }
    });

    it('needs two statements if the body has such a value, and none otherwise', async () => {
      const plain = await countStatements(() => post({ part: { note: 'x' } }));
      const unique = await countStatements(() => post({ part: { code: next() } }));
      expect(withinTransaction(unique).length - withinTransaction(plain).length).toBe(2);
    });
  });

  describe('R14: passwords in one body', () => {
    const pins = (count: number, pin = 'secret') => ({
      secrets: Array.from({ length: count }, (_, i) => ({ pin: `${pin}${i}` })),
    });

    /** Counts the hashed passwords while `work` runs. */
    const countHashes = async (work: () => Promise<unknown>): Promise<number> => {
      let count = 0;
      const more = (): void => void (count += 1);
      subscribe('hashing', more);
      await work();
      unsubscribe('hashing', more);
      return count;
    };

    it('returns 400 with the limit for too many passwords, before it hashes any', async () => {
      expect(await countHashes(() => post(pins(10)))).toBe(10);
      const many = async (): Promise<void> => {
        expect(await refused('post', 'boxes', pins(2500))).toEqual(
          failure(400, 'ValidationError', 'Too many passwords in the request body (limit "passwords": 10)', {
            limit: 'passwords',
            allowed: 10,
          }),
        );
      };
      expect(await countHashes(many)).toBe(0);
    });

    it('hashes none for an invalid body, and lists all problems', async () => {
      const bad = { ...pins(10), title: 5 };
      expect(await countHashes(() => refused('post', 'boxes', bad))).toBe(0);
      expect(
        await refused('post', 'boxes', { title: 5, secrets: [{ pin: 'x' }, { pin: 'fine', size: 'y' }] }),
      ).toMatchObject({
        error: {
          details: {
            errors: [
              { path: ['title'] },
              { path: ['secrets', '0', 'pin'] },
              { path: ['secrets', '1', 'size'] },
            ],
          },
        },
      });
    });

    it('stores and hashes the short password of a draft', async () => {
      const { documentId } = await post({ secrets: [{ pin: 'ab' }] }, '?status=draft');
      const [row] = await test.sql('select secrets from boxes where document_id = $1', [documentId]);
      expect(JSON.stringify(row)).toContain('$argon2id$');
    });
  });
});

describe.each(adaptersFor('express'))('11.36: strictRelations (peers 39) on %s', (adapter) => {
  const holder = defineComponent({
    uid: 's.holder',
    attributes: { target: { type: 'relation', relation: 'manyToOne', target: 'target', required: true } },
  });
  const target = defineCollectionType({
    singularApiId: 'target',
    pluralApiId: 'targets',
    attributes: { name: { type: 'string' } },
  });
  const attributes = {
    title: { type: 'string' },
    one: { type: 'relation', relation: 'manyToOne', target: 'target', required: true },
    many: { type: 'relation', relation: 'manyToMany', target: 'target', required: true },
    photo: { type: 'media', required: true },
    holder: { type: 'component', component: 's.holder' },
  } as const;
  const options = { attributes, singularApiId: 'plain', pluralApiId: 'plains' } as const;
  const model = {
    contentTypes: [
      target,
      defineCollectionType(options),
      defineCollectionType({
        ...options,
        singularApiId: 'draft',
        pluralApiId: 'drafts',
        draftAndPublish: true,
      }),
    ],
    components: [holder],
    access: { public: { '*': '*' as const } },
  };
  let strict: TestApp;
  let lenient: TestApp;
  let full: any;
  beforeAll(async () => {
    strict = await createTestApp({ ...model, strictRelations: true }, adapter);
    lenient = await createTestApp(model, adapter);
    const [file] = await strict.sql(
      `insert into content_files (document_id, created_at, updated_at, published_at, published, locale, name, hash, mime, size, url, provider)
       values ('file', now(), now(), now(), true, 'en', 'f', 'h', 'image/png', 1, '/f', 'local') returning id`,
    );
    const made = await strict.http.post('/api/targets').send({ data: { name: 'x' } });
    full = { one: made.body.data.documentId, many: [made.body.data.documentId], photo: file?.['id'] };
  });
  afterAll(async () => {
    await strict.close();
    await lenient.close();
  });
  const send = (method: 'post' | 'put', path: string, data: object) =>
    strict.http[method](`/api/${path}`).send({ data });
  const missing = (...names: string[]) => ({
    error: {
      status: 400,
      details: {
        errors: names.map((name) => ({ path: name.split('.'), message: `${name} must be defined.` })),
      },
    },
  });

  it('by default, required has no effect on relations and media', async () => {
    for (const type of ['plains', 'drafts'])
      await lenient.http
        .post(`/api/${type}`)
        .send({ data: { title: 'x', holder: {} } })
        .expect(201);
  });

  it.each(['plains', 'drafts'])(
    '%s: rejects empty ones on create and when they are emptied',
    async (type) => {
      expect((await send('post', type, { title: 'x' })).body).toMatchObject(missing('one', 'many', 'photo'));
      expect((await send('post', type, { ...full, holder: {} })).body).toMatchObject(
        missing('holder.target'),
      );
      const { body } = await send('post', type, full).expect(201);
      const path = `${type}/${body.data.documentId}`;
      expect((await send('put', path, { one: null })).body).toMatchObject(missing('one'));
      expect((await send('put', path, { many: { disconnect: full.many } })).body).toMatchObject(
        missing('many'),
      );
      expect((await send('put', path, { photo: [] })).body).toMatchObject(missing('photo'));
      await send('put', path, { many: { connect: [] }, one: {}, title: 'kept' }).expect(200);
      await send('put', path, { title: 'kept, too' }).expect(200);
    },
  );

  it('accepts incomplete drafts; validates their stored state when they are published', async () => {
    const { body } = await send('post', 'drafts?status=draft', { title: 'x' }).expect(201);
    const path = `drafts/${body.data.documentId}`;
    expect((await send('put', path, {})).body).toMatchObject(missing('one', 'many', 'photo'));
    await send('put', `${path}?status=draft`, { one: full.one, many: full.many }).expect(200);
    expect((await send('put', path, { title: 'y' })).body).toMatchObject(missing('photo'));
    await send('put', path, { photo: full.photo }).expect(200);
    await send('put', `${path}?status=draft`, { many: [] }).expect(200);
    expect((await send('put', path, {})).body).toMatchObject(missing('many'));
  });
});
