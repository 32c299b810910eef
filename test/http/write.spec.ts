import { note, scalars, thing } from '../fixtures/scalars.ts';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { badKey, failure, NOT_FOUND, problem, raw, snapshot } from './helpers.ts';

const a = (n: number): string => 'a'.repeat(n);
const typeError = (name: string, type: string, shown: string): string =>
  `${name} must be a \`${type}\` type, but the final value was: \`${shown}\`.`;
const castError = (name: string, shown: string): string =>
  `${name} must be a \`number\` type, but the final value was: \`NaN\` (cast from the value \`${shown}\`).`;
const paragraph = (...children: unknown[]) => ({ type: 'paragraph', children });
const text = (value: string) => ({ type: 'text', text: value });

/** Attribute, input, and the returned value if it differs. */
const ROUND_TRIPS: readonly [string, unknown, unknown?][] = [
  ['plain', 'abc'],
  ['plain', ''],
  ['plain', '  x  '],
  ['plain', 'ünï 😀 \n \t " \\ \' ; -- %_'],
  ['plain', a(255)],
  ['plain', null],
  ['plain', '__proto__'],
  ['pattern', 'aaa'],
  ['pattern', ''],
  ['text', a(50_000)],
  ['rich', '<p>x</p>'],
  ['mail', 'a.b@example.com'],
  ['mail', 'UPPER@Example.COM'],
  ['mail', 'a@b.c'],
  ['slug', 'a-Z_0.9~'],
  ['kind', 'two'],
  ['whole', 5],
  ['whole', '7', 7],
  ['whole', -5],
  ['whole', 10],
  ['whole', 0],
  ['count', 2147483647],
  ['count', -2147483648],
  ['whole', null],
  ['big', '9007199254740993'],
  ['big', 42, '42'],
  ['big', '-9223372036854775808'],
  ['big', '9223372036854775807'],
  ['big', null],
  ['bigBounded', '9007199254740993'],
  ['real', 1.5],
  ['real', '2.25', 2.25],
  ['real', -1e300],
  ['real', 0.1],
  ['real', 123456789.12345678],
  ['dec', 10.99],
  ['dec', '10.99', 10.99],
  ['dec', 1.239, 1.24],
  ['dec', 1.005, 1.01],
  ['dec', -1.005, -1.01],
  ['dec', 99999999.99],
  ['dec', 3],
  ['flag', true],
  ['flag', false],
  ['flag', 'true', true],
  ['flag', 'false', false],
  ['flag', 'True', true],
  ['flag', 'FALSE', false],
  ['flag', 1, true],
  ['flag', 0, false],
  ['flag', null],
  ['day', '2024-02-29'],
  ['day', '2024-02-29T23:59:00.000Z', '2024-02-29'],
  ['day', '2024-05-06T23:30:00.000-05:00', '2024-05-06'],
  ['day', '0001-01-01'],
  ['day', null],
  ['time', '12:34:56'],
  ['time', '12:34:56.000', '12:34:56'],
  ['time', '12:34:56.7', '12:34:56.700'],
  ['time', '00:00:00.001'],
  ['time', '12:34', '12:34:00'],
  ['time', '23:59:59.999'],
  ['moment', '2024-01-02T03:04:05.678Z'],
  ['moment', '2024-01-02T03:04:05+02:00', '2024-01-02T01:04:05.000Z'],
  ['moment', '2024-01-02T03:04:05+02', '2024-01-02T01:04:05.000Z'],
  ['moment', '2024-01-02 03:04:05,5-0230', '2024-01-02T05:34:05.500Z'],
  ['moment', '0050-01-02t03:04z', '0050-01-02T03:04:00.000Z'],
  ['moment', '253402300799999', '9999-12-31T23:59:59.999Z'],
  ['moment', 1704164645678, '2024-01-02T03:04:05.678Z'],
  ['moment', '2024-01-02', '2024-01-02T00:00:00.000Z'],
  ['moment', '2024-02', '2024-02-01T00:00:00.000Z'],
  ['moment', '2024', '2024-01-01T00:00:00.000Z'],
  ['moment', '1704164645678', '2024-01-02T03:04:05.678Z'],
  ['stamp', '1704164645678'],
  ['stamp', 1704164645678, '1704164645678'],
  ['stamp', '253402300799999'],
  ['stamp', '-62135596800000'],
  ['stamp', '2020'],
  ['stamp', 2020, '2020'],
  ['body', ['paragraph', 'quote', 'code'].map((type) => ({ type, children: [] }))],
  ['body', [{ type: 'list', format: 'ordered', children: [{ type: 'list-item', children: [] }] }]],
  ['stamp', '2024-01-02T03:04:05.678Z', '1704164645678'],
  ['meta', { a: [1, { b: null }], é: '😀' }],
  ['meta', [1, 'x', null]],
  ['meta', 'text'],
  ['meta', ''],
  ['meta', '{"a":1}'],
  ['meta', 12.5],
  ['meta', true],
  ['meta', false],
  ['meta', 0],
  ['meta', {}],
  ['meta', [[]]],
  ['meta', null],
  ['list', []],
  ['list', [1, 'a', null, { b: [1] }, [2]]],
  ['list', null],
  ['body', []],
  [
    'body',
    [
      paragraph(text('Hello')),
      paragraph(text('a'), { type: 'link', url: 'https://example.com/x?y=1', children: [text('b')] }),
    ],
  ],
  [
    'body',
    [
      { type: 'heading', level: 6, children: [text('h')] },
      { type: 'quote', children: [text('q')] },
      { type: 'code', language: 'ts', children: [text('c')] },
    ],
  ],
  [
    'body',
    [
      {
        type: 'list',
        format: 'ordered',
        children: [
          { type: 'list-item', children: [text('i')] },
          { type: 'list', format: 'unordered', children: [{ type: 'list-item', children: [text('j')] }] },
        ],
      },
    ],
  ],
  ['body', [paragraph({ type: 'text', text: 'b', bold: true, italic: true })]],
  [
    'body',
    ['mailto:a@b.co', 'tel:+49123', 'ftp://x.org/a', 'http://localhost:80'].map((url) =>
      paragraph({ type: 'link', url, children: [text('l')] }),
    ),
  ],
];

/** Attribute, invalid input, message, and the path below the attribute. */
const REFUSALS: readonly [string, unknown, string, string[]?][] = [
  ['name', 'ab', 'name must be at least 3 characters'],
  ['name', '', 'name must be at least 3 characters'],
  ['name', a(11), 'name must be at most 10 characters'],
  ['name', 5, typeError('name', 'string', '5')],
  ['name', null, typeError('name', 'string', 'null')],
  ['name', true, typeError('name', 'string', 'true')],
  ['plain', a(256), 'plain must be at most 255 characters'],
  ['plain', {}, typeError('plain', 'string', '{}')],
  ['plain', ['x'], typeError('plain', 'string', '[\n  "\\"x\\""\n]')],
  ['plain', 'a\u0000b', 'plain must not contain NUL characters or broken surrogates'],
  ['plain', '\ud800', 'plain must not contain NUL characters or broken surrogates'],
  ['pattern', 'b', 'pattern must match the following: "/^a+$/"'],
  ['text', a(50_001), 'text must be at most 50000 characters'],
  ['rich', 1, typeError('rich', 'string', '1')],
  ['mail', 'nope', 'mail must be a valid email'],
  ['mail', '', 'mail cannot be empty'],
  ['mail', 'a@b', 'mail must be a valid email'],
  ['mail', 'a@b.1', 'mail must be a valid email'],
  ['mail', 5, typeError('mail', 'string', '5')],
  ['slug', 'Not A Slug !', 'slug must match the following: "/^[A-Za-z0-9-_.~]*$/"'],
  ['slug', 'ü', 'slug must match the following: "/^[A-Za-z0-9-_.~]*$/"'],
  ['kind', 'three', 'kind must be one of the following values: one, two, '],
  ['kind', '', 'kind must be one of the following values: one, two, '],
  ['kind', 1, 'kind must be one of the following values: one, two, '],
  ['kind', 'One', 'kind must be one of the following values: one, two, '],
  ['whole', 1.5, 'whole must be an integer'],
  ['whole', 11, 'whole must be less than or equal to 10'],
  ['whole', -6, 'whole must be greater than or equal to -5'],
  ['whole', 'abc', castError('whole', '"abc"')],
  ['whole', '', castError('whole', '""')],
  ['whole', true, castError('whole', 'true')],
  ['whole', {}, castError('whole', '{}')],
  ['count', 2147483648, 'count must be between -2147483648 and 2147483647'],
  ['count', -2147483649, 'count must be between -2147483648 and 2147483647'],
  ['big', 'abc', 'big must be a valid integer'],
  ['big', 1.5, 'big must be a valid integer'],
  ['big', '9223372036854775808', 'big must be a valid integer'],
  ['big', '', 'big must be a valid integer'],
  ['bigBounded', '9007199254740994', 'bigBounded must be less than or equal to 9007199254740993'],
  ['bigBounded', -11, 'bigBounded must be greater than or equal to -10'],
  ['real', 'abc', castError('real', '"abc"')],
  ['real', 'Infinity', castError('real', '"Infinity"')],
  ['real', 'NaN', castError('real', '"NaN"')],
  ['dec', 1e12, 'dec must be between -99999999.99 and 99999999.99'],
  ['dec', 'x', castError('dec', '"x"')],
  ['dec', {}, castError('dec', '{}')],
  ['flag', 'random', typeError('flag', 'boolean', '"random"')],
  ['flag', 't', typeError('flag', 'boolean', '"t"')],
  ['flag', 2, typeError('flag', 'boolean', '2')],
  ['flag', {}, typeError('flag', 'boolean', '{}')],
  ['day', '2019/12/11', 'Invalid format, expected yyyy-MM-dd'],
  ['day', 1575936000000, 'Invalid format, expected yyyy-MM-dd'],
  ['day', '', 'Invalid format, expected yyyy-MM-dd'],
  ['day', '2019-02-30', 'Invalid date'],
  ['day', '2019', 'Invalid format, expected yyyy-MM-dd'],
  ['time', '25:00:00', 'Invalid time format, expected HH:mm:ss.SSS'],
  ['time', '12:60:00', 'Invalid time format, expected HH:mm:ss.SSS'],
  ['time', '', 'Invalid time format, expected HH:mm:ss.SSS'],
  ['time', 5, 'Expected a string, got a number'],
  ['moment', 'yesterday', 'Invalid format, expected a timestamp or an ISO date'],
  ['moment', '2024-02-30T00:00:00Z', 'Invalid format, expected a timestamp or an ISO date'],
  ['moment', '2024-13', 'Invalid format, expected a timestamp or an ISO date'],
  ['moment', '', 'Invalid format, expected a timestamp or an ISO date'],
  ['moment', 1e20, 'Invalid format, expected a timestamp or an ISO date'],
  ['stamp', 'soon', 'Invalid format, expected a timestamp or an ISO date'],
  ['list', {}, typeError('list', 'array', '{}')],
  ['list', 'x', typeError('list', 'array', '"x"')],
  ['meta', { a: ['\u0000'] }, 'meta must not contain NUL characters or broken surrogates'],
  ['meta', { 'a\u0000': 1 }, 'meta must not contain NUL characters or broken surrogates'],
  ['body', [{ type: 'nope', children: [] }], 'Block node is of invalid type', ['0']],
  ['body', [{ type: 'paragraph' }], 'body[0].children is a required field', ['0', 'children']],
  ['body', [{ type: 'heading', children: [text('x')] }], 'body[0].level is a required field', ['0', 'level']],
  [
    'body',
    [{ type: 'heading', level: 7, children: [text('x')] }],
    'body[0].level must be one of the following values: 1, 2, 3, 4, 5, 6',
    ['0', 'level'],
  ],
  [
    'body',
    [paragraph({ type: 'link', url: 'javascript:alert(1)', children: [text('x')] })],
    'Please specify a valid link.',
    ['0', 'children', '0', 'url'],
  ],
  [
    'body',
    [paragraph({ type: 'link', url: 'gopher://x.org', children: [text('x')] })],
    'Please specify a valid link.',
    ['0', 'children', '0', 'url'],
  ],
  ['body', [text('loose')], 'Block node is of invalid type', ['0']],
];

describe.each(adaptersFor('fastify'))('writing scalars on %s', (adapter) => {
  let test: TestApp;
  let documentId: string;
  const put = (data: object, query = '') => test.http.put(`/api/things/${documentId}${query}`).send({ data });

  beforeAll(async () => {
    test = await createTestApp({ ...scalars, limits: { bodyNodes: 2000 } }, adapter);
    documentId = (
      await test.http
        .post('/api/things')
        .send({ data: { name: 'First' } })
        .expect(201)
    ).body.data.documentId;
  });
  afterAll(() => test.close());

  describe('section 14: values', () => {
    it.each(ROUND_TRIPS)('%s accepts %j', async (name, sent, received = sent) => {
      expect((await put({ [name]: sent }).expect(200)).body.data[name]).toEqual(received);
      expect(
        (await test.http.get(`/api/things/${documentId}?fields=${name}`).expect(200)).body.data[name],
      ).toEqual(received);
    });

    it.each(REFUSALS)('%s rejects %j', async (name, sent, message, below = []) => {
      const before = await snapshot(test);
      const { body } = await put({ [name]: sent }).expect(400);
      expect(body).toEqual({
        data: null,
        error: expect.objectContaining({ status: 400, name: 'ValidationError', message }),
      });
      const [first, ...rest] = body.error.details.errors;
      expect(rest).toEqual([]);
      expect(first).toMatchObject({ path: [name, ...below], message, name: 'ValidationError' });
      expect(
        (
          await test.http
            .post('/api/things')
            .send({ data: { name: 'Second', [name]: sent } })
            .expect(400)
        ).body.error.message,
      ).toBe(message);
      expect(await snapshot(test)).toEqual(before);
    });

    it('2.4 the error contains the rejected value, except a password', async () => {
      expect((await put({ whole: 11 }).expect(400)).body).toEqual(
        problem(['whole'], 'whole must be less than or equal to 10', 11),
      );
      const { text: response } = await put({ pass: 'geheim'.repeat(20) }).expect(400);
      expect(JSON.parse(response)).toEqual(problem(['pass'], 'pass must be less than 73 bytes'));
      expect((await put({ pass: 'abc' }).expect(400)).body).toEqual(
        problem(['pass'], 'pass must be at least 4 characters'),
      );
      expect((await put({ pass: 12345 }).expect(400)).text).not.toContain('12345');
    });

    it.each([
      ['real', '1e999'],
      ['meta', '{"a":[-1e999]}'],
    ])('14.8, 14.14 rejects a number too large for JSON in %s', async (name, value) => {
      const sent = `{"data":{"${name}":${value}}}`;
      const { status, text: response } = await raw(
        test.url,
        'PUT',
        `/api/things/${documentId}`,
        { 'content-type': 'application/json', 'content-length': String(sent.length) },
        sent,
      );
      expect({ status, message: JSON.parse(response).error.message }).toEqual({
        status: 400,
        message: expect.stringMatching(new RegExp(`^${name} must `)),
      });
    });

    it('14.16 a password is stored as a hash, never returned, and stays if the input omits it', async () => {
      const { body } = await test.http
        .post('/api/things')
        .send({ data: { name: 'Secret', pass: 'open sesame' } })
        .expect(201);
      const id = body.data.documentId;
      expect(body.data).not.toHaveProperty('pass');
      const stored = async () =>
        (await test.sql('select pass from things where document_id = $1', [id]))[0]?.['pass'] as string;
      const hash = await stored();
      expect(hash).toMatch(/^(\$argon2id\$|\$2[aby]\$)/);
      expect(hash).not.toContain('sesame');
      await test.http
        .put(`/api/things/${id}`)
        .send({ data: { plain: 'x' } })
        .expect(200);
      expect(await stored()).toBe(hash);
      await test.http
        .put(`/api/things/${id}`)
        .send({ data: { pass: 'open sesame' } })
        .expect(200);
      expect(await stored()).not.toBe(hash);
      await test.http
        .put(`/api/things/${id}`)
        .send({ data: { pass: null } })
        .expect(200);
      expect(await stored()).toBeNull();
      for (const query of ['fields=pass', 'filters[pass]=x', 'sort=pass', 'populate=pass'])
        await test.http.get(`/api/things?${query}`).expect(400); // D3
    });

    it('14.17 a uid is generated from its target if configured, and made unique', async () => {
      const slugOf = async (data: object) =>
        (await test.http.post('/api/pages').send({ data }).expect(201)).body.data.slug;
      expect(await slugOf({ name: 'Hello World' })).toBe('hello-world');
      expect(await slugOf({ name: 'Hello World' })).toBe('hello-world-1');
      expect(await slugOf({ name: 'Hello World', slug: 'mine' })).toBe('mine');
      expect(await slugOf({ name: 'Über uns: 1 & 2!' })).toMatch(/^[A-Za-z0-9-_.~]+$/);
      expect(
        (
          await test.http
            .post('/api/things')
            .send({ data: { name: 'Plain' } })
            .expect(201)
        ).body.data.slug,
      ).toBeNull();
    });

    it('14.20 defaults fill omitted values on create, and nothing else', async () => {
      const { body } = await test.http
        .post('/api/things')
        .send({ data: { name: 'Default' } })
        .expect(201);
      expect(body.data).toMatchObject({ filled: 'x', on: true, zero: 0 });
      const given = await test.http
        .post('/api/things')
        .send({ data: { name: 'Given', filled: null, on: false, zero: 7 } })
        .expect(201);
      expect(given.body.data).toMatchObject({ filled: null, on: false, zero: 7 });
      const updated = await test.http
        .put(`/api/things/${given.body.data.documentId}`)
        .send({ data: { plain: 'x' } })
        .expect(200);
      expect(updated.body.data).toMatchObject({ filled: null, on: false, zero: 7 });
    });

    it('14.19 rejects a required value that is missing or null, and null on update', async () => {
      expect((await test.http.post('/api/things').send({ data: {} }).expect(400)).body).toEqual(
        problem(['name'], 'name must be defined.'),
      );
      expect(
        (
          await test.http
            .post('/api/things')
            .send({ data: { name: null } })
            .expect(400)
        ).body,
      ).toEqual(problem(['name'], typeError('name', 'string', 'null'), null));
      expect((await put({ name: null }).expect(400)).body).toEqual(
        problem(['name'], typeError('name', 'string', 'null'), null),
      );
    });

    it('8.12 in a type with drafts the message is that of publishing', async () => {
      expect((await test.http.post('/api/notes').send({ data: {} }).expect(400)).body).toEqual(
        problem(['name'], typeError('name', 'string', 'null'), null),
      );
    });

    it('14.21 reports all problems of a body together', async () => {
      const { body } = await test.http
        .post('/api/things')
        .send({ data: { name: 'ab', mail: 'nope', whole: 11, day: 'x' } })
        .expect(400);
      expect(body.error).toMatchObject({
        status: 400,
        name: 'ValidationError',
        message: '4 errors occurred',
      });
      expect(body.error.details.errors).toEqual([
        {
          path: ['name'],
          message: 'name must be at least 3 characters',
          name: 'ValidationError',
          value: 'ab',
        },
        { path: ['mail'], message: 'mail must be a valid email', name: 'ValidationError', value: 'nope' },
        {
          path: ['whole'],
          message: 'whole must be less than or equal to 10',
          name: 'ValidationError',
          value: 11,
        },
        {
          path: ['day'],
          message: 'Invalid format, expected yyyy-MM-dd',
          name: 'ValidationError',
          value: 'x',
        },
      ]);
    });
  });

  describe('section 15: keys', () => {
    it.each([
      ['15.1 id', 'id', badKey('id')],
      ['15.1 documentId', 'documentId', badKey('documentId')],
      ['15.2 createdAt', 'createdAt', badKey('createdAt', '', 'createdAt')],
      ['15.2 updatedAt', 'updatedAt', badKey('updatedAt', '', 'updatedAt')],
      ['15.2 createdBy', 'createdBy', badKey('createdBy', '', 'createdBy')],
      ['15.2 updatedBy', 'updatedBy', badKey('updatedBy', '', 'updatedBy')],
      ['15.2 an attribute that is not writable', 'locked', badKey('locked', '', 'locked')],
      ['15.3 an unknown key', 'nope', badKey('nope', '', null)],
      ['15.3 localizations of a type without locales', 'localizations', badKey('localizations', '', null)],
      ['15.3 status', 'status', badKey('status', '', null)],
      ['15.3 a column that is not an attribute', 'document_id', badKey('document_id', '', null)],
      ['15.3 a key in another case', 'Name', badKey('Name', '', null)],
      ['15.7 constructor', 'constructor', badKey('constructor', '', null)],
      ['15.7 toString', 'toString', badKey('toString', '', null)],
    ])('rejects %s', async (_what, key, expected) => {
      const before = await snapshot(test);
      expect((await put({ plain: 'changed', [key]: 'x' }).expect(400)).body).toEqual(expected);
      expect(
        (
          await test.http
            .post('/api/things')
            .send({ data: { name: 'Refused', [key]: 'x' } })
            .expect(400)
        ).body,
      ).toEqual(expected);
      expect(await snapshot(test)).toEqual(before);
    });

    it('15.4 accepts publishedAt and locale and ignores them', async () => {
      const { body } = await put({ publishedAt: '2000-01-01T00:00:00.000Z', locale: 'fr' }).expect(200);
      expect(body.data.locale).toBe('en');
      expect(body.data.publishedAt > '2020').toBe(true);
      expect(
        (await put({ publishedAt: null, locale: null }).expect(200)).body.data.publishedAt,
      ).not.toBeNull();
    });

    it('15.5, 16.1 a private attribute is written and never returned', async () => {
      const { body } = await put({ hidden: 'psst' }).expect(200);
      expect(body.data).not.toHaveProperty('hidden');
      expect(await test.sql('select hidden from things where document_id = $1', [documentId])).toEqual([
        { hidden: 'psst' },
      ]);
      expect((await test.http.get('/api/things').expect(200)).text).not.toContain('"psst');
    });

    it('ignores keys next to data', async () => {
      await test.http
        .put(`/api/things/${documentId}`)
        .send({ data: { plain: 'beside' }, meta: 1, nope: {} })
        .expect(200);
    });
  });

  describe('documents', () => {
    it('1.19–1.22 returns every scalar, null if unset, times in UTC with milliseconds', async () => {
      const { body } = await test.http
        .post('/api/things')
        .send({ data: { name: 'Whole' } })
        .expect(201);
      const visible = Object.keys(thing.attributes).filter((name) => !['pass', 'hidden'].includes(name));
      expect(Object.keys(body.data)).toEqual([
        'id',
        'documentId',
        ...visible,
        'createdAt',
        'updatedAt',
        'publishedAt',
        'locale',
      ]);
      expect(body.data).toMatchObject({
        plain: null,
        whole: null,
        meta: null,
        body: null,
        flag: null,
        locale: 'en',
        documentId: expect.stringMatching(/^[a-z][a-z0-9]{23}$/),
      });
      for (const name of ['createdAt', 'updatedAt', 'publishedAt'])
        expect(body.data[name]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    });

    it('D4, 14.22 an update writes the given values and keeps the rest; null clears', async () => {
      const { body } = await test.http
        .post('/api/things')
        .send({ data: { name: 'Partial', plain: 'keep', whole: 3, meta: { a: 1 } } })
        .expect(201);
      const path = `/api/things/${body.data.documentId}`;
      const updated = (
        await test.http
          .put(path)
          .send({ data: { whole: null } })
          .expect(200)
      ).body.data;
      expect(updated).toEqual({
        ...body.data,
        whole: null,
        updatedAt: expect.any(String),
        publishedAt: expect.any(String),
      });
      expect(updated.updatedAt > body.data.updatedAt).toBe(true); // 1.4
      expect((await test.http.put(path).send({ data: {} }).expect(200)).body.data).toMatchObject({
        plain: 'keep',
        meta: { a: 1 },
        whole: null,
      }); // 1.12
    });

    it('1.25 accepts the response of a GET as input', async () => {
      const {
        id,
        documentId: _d,
        createdAt,
        updatedAt,
        locked,
        ...rest
      } = (await test.http.get(`/api/things/${documentId}`).expect(200)).body.data;
      expect({ id, createdAt, updatedAt, locked }).toBeDefined();
      expect((await put(rest).expect(200)).body.data).toMatchObject({
        ...rest,
        publishedAt: expect.any(String),
      });
    });

    it('1.16 the response of a write follows its own query', async () => {
      const { body } = await put({ plain: 'q' }, '?fields=plain').expect(200);
      expect(Object.keys(body.data)).toEqual(['id', 'documentId', 'plain']);
      const created = await test.http
        .post('/api/things?fields[0]=whole&fields[1]=name')
        .send({ data: { name: 'Query', whole: 1 } })
        .expect(201);
      expect(created.body.data).toEqual({
        id: expect.any(Number),
        documentId: expect.any(String),
        whole: 1,
        name: 'Query',
      });
    });

    it('1.17 sort and pagination do not affect the response of a write', async () => {
      expect((await put({ plain: 'z' }, '?sort=name&pagination[page]=9').expect(200)).body).toMatchObject({
        data: { plain: 'z' },
        meta: {},
      });
    });

    it('returns 404 for an unknown document before it validates the values of the body', async () => {
      expect(
        (
          await test.http
            .put(`/api/things/${a(24)}`)
            .send({ data: { name: 'Nobody' } })
            .expect(404)
        ).body,
      ).toEqual(NOT_FOUND);
    });

    it('duplicate keys in JSON: the last wins', async () => {
      const sent = '{"data":{"plain":"one","plain":"two"}}';
      const { text: response } = await raw(
        test.url,
        'PUT',
        `/api/things/${documentId}`,
        { 'content-type': 'application/json', 'content-length': String(sent.length) },
        sent,
      );
      expect(JSON.parse(response).data.plain).toBe('two');
    });
  });

  describe('14.18 uniqueness, enforced by the database (D14)', () => {
    const make = (data: object) => test.http.post('/api/things').send({ data: { name: 'Unique', ...data } });

    it.each([
      ['code', 'taken'],
      ['slug', 'taken'],
    ])('%s: returns 400 with the path for a second document with the same value', async (name, value) => {
      const first = (await make({ [name]: value }).expect(201)).body.data;
      expect((await make({ [name]: value }).expect(400)).body).toEqual(
        problem([name], 'This attribute must be unique', value),
      );
      const other = (await make({}).expect(201)).body.data;
      expect(
        (
          await test.http
            .put(`/api/things/${other.documentId}`)
            .send({ data: { [name]: value } })
            .expect(400)
        ).body,
      ).toEqual(problem([name], 'This attribute must be unique', value));
      await test.http
        .put(`/api/things/${first.documentId}`)
        .send({ data: { [name]: value, plain: 'same' } })
        .expect(200);
      await make({ [name]: value.toUpperCase() }).expect(201);
      await test.http.delete(`/api/things/${first.documentId}`).expect(204);
      await make({ [name]: value }).expect(201);
    });

    it('ignores null and the empty string', async () => {
      for (const code of [null, null, '', '']) await make({ code }).expect(201);
    });

    it('exactly one of many concurrent writers succeeds, and the others get 400', async () => {
      const responses = await Promise.all(Array.from({ length: 20 }, () => make({ code: 'race' })));
      expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(responses.filter(({ status }) => status !== 201).map(({ body }) => body)).toEqual(
        Array(19).fill(problem(['code'], 'This attribute must be unique', 'race')),
      );
      expect(await test.sql(`select count(*)::int as n from things where code = 'race'`)).toEqual([{ n: 1 }]);
    });

    it('8.11 ignores drafts until they are published', async () => {
      const draft = (data: object) =>
        test.http
          .post('/api/notes?status=draft')
          .send({ data: { name: 'Note', ...data } })
          .expect(201);
      const [one, two] = [(await draft({ code: 'd' })).body.data, (await draft({ code: 'd' })).body.data];
      await test.http.put(`/api/notes/${one.documentId}`).send({ data: {} }).expect(200);
      const before = await snapshot(test);
      expect(
        (
          await test.http
            .put(`/api/notes/${two.documentId}`)
            .send({ data: { plain: 'x' } })
            .expect(400)
        ).body,
      ).toEqual(problem(['code'], 'This attribute must be unique'));
      expect(await snapshot(test)).toEqual(before);
    });
  });

  describe('8.11 drafts', () => {
    it.each([
      ['name', 'ab'],
      ['name', null],
      ['pattern', 'b'],
      ['mail', 'nope'],
      ['whole', -6],
    ])('accepts a draft with %s = %j, but does not publish it', async (name, value) => {
      const { body } = await test.http
        .post('/api/notes?status=draft')
        .send({ data: { name: 'Draft', [name]: value } })
        .expect(201);
      expect(body.data).toMatchObject({ [name]: value, publishedAt: null });
      const before = await snapshot(test);
      expect(
        (
          await test.http
            .put(`/api/notes/${body.data.documentId}`)
            .send({ data: { plain: 'x' } })
            .expect(400)
        ).body.error.details.errors[0].path,
      ).toEqual([name]);
      expect(await snapshot(test)).toEqual(before);
    });

    it.each([
      ['name', a(11)],
      ['whole', 11],
      ['whole', 'abc'],
      ['kind', 'three'],
      ['day', 'x'],
      ['slug', 'a b'],
      ['name', 5],
    ])('rejects even a draft with %s = %j', async (name, value) => {
      await test.http
        .post('/api/notes?status=draft')
        .send({ data: { name: 'Draft', [name]: value } })
        .expect(400);
    });

    it('the same attributes exist in both kinds of type', () =>
      expect(note.attributes).toBe(thing.attributes));
  });

  describe('section 10: single types', () => {
    beforeEach(() => test.http.delete('/api/setting').expect(204));

    it('10.2 PUT creates with 200, validating as a create does, and then updates partially', async () => {
      expect((await test.http.put('/api/setting').send({ data: {} }).expect(400)).body).toEqual(
        problem(['name'], 'name must be defined.'),
      );
      await test.http.get('/api/setting').expect(404);
      const { data } = (
        await test.http
          .put('/api/setting')
          .send({ data: { name: 'One', note: 'n' } })
          .expect(200)
      ).body;
      const updated = (
        await test.http
          .put('/api/setting')
          .send({ data: { name: 'Two' } })
          .expect(200)
      ).body.data;
      expect(updated).toMatchObject({
        id: data.id,
        documentId: data.documentId,
        createdAt: data.createdAt,
        name: 'Two',
        note: 'n',
      });
    });

    it('10.7 concurrent first PUTs leave one document', async () => {
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          test.http.put('/api/setting').send({ data: { name: `Nr ${i}` } }),
        ),
      );
      expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
      expect(new Set(responses.map(({ body }) => body.data.documentId)).size).toBe(1);
      expect(await test.sql('select count(*)::int as n from setting')).toEqual([{ n: 1 }]);
    });
  });

  it('23.5 concurrent updates of one document all succeed, and one of them remains', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => put({ plain: `p${i}`, text: `p${i}` })),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const { plain, text: other } = (await test.http.get(`/api/things/${documentId}`)).body.data;
    expect(other).toBe(plain);
  });

  it('a body with too many values, or nested too deeply, returns 400 with the limit', async () => {
    const before = await snapshot(test);
    const deep = Array.from({ length: 200 }).reduce<unknown>((value) => [value], 1);
    expect((await put({ meta: deep }).expect(400)).body).toEqual(
      failure(400, 'ValidationError', expect.stringContaining('nested too deeply'), {
        limit: 'bodyDepth',
        allowed: expect.any(Number),
      }),
    );
    expect((await put({ list: Array(2000).fill(1) }).expect(400)).body).toEqual(
      failure(400, 'ValidationError', expect.stringContaining('Too many values'), {
        limit: 'bodyNodes',
        allowed: 2000,
      }),
    );
    expect(await snapshot(test)).toEqual(before);
  });
});
