/** Functions of the application that validate values: of one attribute, and of a whole document. */
import { defineCollectionType, defineComponent } from 'nestjs-content-api';
import { problem } from '../http/helpers.ts';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

const even = (value: number): string | null => (value % 2 === 0 ? null : 'must be even');

const step = defineComponent({
  uid: 'route.step',
  attributes: { length: { type: 'integer', validate: even } },
});

const trip = defineCollectionType({
  singularApiId: 'trip',
  pluralApiId: 'trips',
  draftAndPublish: true,
  attributes: {
    seats: { type: 'integer', validate: even },
    start: { type: 'date' },
    end: { type: 'date' },
    pin: { type: 'password', validate: (value) => (/^\d+$/.test(value) ? undefined : 'must be digits') },
    secret: { type: 'string', private: true, validate: (value) => (value === 'bad' ? 'is bad' : null) },
    steps: { type: 'component', component: 'route.step', repeatable: true },
  },
  validate: ({ start, end, pin }) => {
    if (pin !== undefined) throw new Error('a password is never shown');
    if (String(start) === '2000-01-01') return 'Nothing starts in the past';
    return String(start) > String(end) ? { end: 'must not be before start' } : null;
  },
});

const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: { from: { type: 'integer' }, to: { type: 'integer' } },
  validate: ({ from, to }) => (Number(from) > Number(to) ? { to: 'must not be below from' } : undefined),
});

describe.each(adaptersFor('express'))('validate functions on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      { contentTypes: [trip, tag], components: [step], access: { public: { trip: '*', tag: '*' } } },
      adapter,
    );
  });
  afterAll(() => test.close());

  const post = (data: object, path = '/api/trips') => test.http.post(path).send({ data });

  it('14.24 refuse a value with their message', async () => {
    expect((await post({ seats: 3 }).expect(400)).body).toEqual(problem(['seats'], 'must be even', 3));
    await post({ seats: 4 }).expect(201);
    await post({ seats: null }).expect(201);
    await post({}).expect(201);
  });

  it('14.24 refuse a value inside components, with its path', async () => {
    const { body } = await post({ steps: [{ length: 2 }, { length: 5 }] }).expect(400);
    expect(body).toEqual(problem(['steps', '1', 'length'], 'must be even', 5));
  });

  it('14.24 run after the rules of the type, and are reported together with other problems', async () => {
    expect((await post({ seats: 'x' }).expect(400)).body.error.message).toMatch(
      /^seats must be a `number` type/,
    );
    const { body } = await post({ seats: 3, secret: 'bad' }).expect(400);
    expect(body.error.details.errors.map(({ message }: { message: string }) => message)).toEqual([
      'must be even',
      'is bad',
    ]);
  });

  it('14.24 never repeat a password', async () => {
    const { body } = await post({ pin: 'letters' }).expect(400);
    expect(body).toEqual(problem(['pin'], 'must be digits'));
    await post({ pin: '1234' }).expect(201);
  });

  it('14.24 do not run for drafts, and run for stored values on publish', async () => {
    const draft = await post({ seats: 3 }, '/api/trips?status=draft').expect(201);
    const at = `/api/trips/${String(draft.body.data.documentId)}`;
    const { body } = await test.http.put(at).send({ data: {} }).expect(400);
    expect(body).toEqual(problem(['seats'], 'must be even'));
    await test.http
      .put(at)
      .send({ data: { seats: 2 } })
      .expect(200);
  });

  it('14.25 a function of the type sees all values, stored ones included', async () => {
    const dates = { start: '2030-05-02', end: '2030-05-01' };
    expect((await post(dates).expect(400)).body).toEqual(
      problem(['end'], 'must not be before start', '2030-05-01'),
    );
    const { body } = await post({ start: '2030-05-01', end: '2030-05-03', pin: '1' }).expect(201);
    const at = `/api/trips/${String(body.data.documentId)}`;
    const refused = await test.http
      .put(at)
      .send({ data: { start: '2030-05-04' } })
      .expect(400);
    expect(refused.body).toEqual(problem(['end'], 'must not be before start'));
    await test.http
      .put(at)
      .send({ data: { start: '2030-05-03' } })
      .expect(200);
  });

  it('14.25 a function of the type may refuse the document as a whole', async () => {
    expect((await post({ start: '2000-01-01' }).expect(400)).body).toEqual(
      problem([], 'Nothing starts in the past'),
    );
  });

  it('14.25 a partial update of a type without drafts is checked with the stored values', async () => {
    const { body } = await post({ from: 1, to: 5 }, '/api/tags').expect(201);
    const at = `/api/tags/${String(body.data.documentId)}`;
    await test.http
      .put(at)
      .send({ data: { from: 6 } })
      .expect(400);
    await test.http
      .put(at)
      .send({ data: { from: 5 } })
      .expect(200);
  });
});
