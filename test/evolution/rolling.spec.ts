/** R22: old and new processes on one database during a rolling deployment lose nothing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import {
  type ContentService,
  type ContentTypeDefinition,
  defineCollectionType,
  defineComponent,
  getContentToken,
} from 'nestjs-content-api';
import { Database } from '../../src/content/store/database.ts';
import { describeModel } from '../../src/content/model/description.ts';
import { saveModel } from '../../src/features/evolution/stored-model.ts';
import { CONTENT_SCHEMA } from '../../src/content/model/model.ts';
import { CONTENT_SETTINGS } from '../../src/kernel/settings.ts';
import { print } from '../../src/kernel/sql.ts';
import { type Host, type Model, startModel } from '../http/helpers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const text = { type: 'string' } as const;
const tag = defineCollectionType({ singularApiId: 'tag', pluralApiId: 'tags', attributes: { name: text } });

type Attributes = ContentTypeDefinition['attributes'];

function modelOf(isNew: boolean): Model {
  const more: Attributes = isNew ? { more: text } : {};
  const zone = isNew ? ['r.part', 'r.late'] : ['r.part'];
  const parts = { type: 'component', component: 'r.part', repeatable: true } as const;
  const added: Attributes = isNew
    ? {
        extra: text,
        tags: { type: 'relation', relation: 'manyToMany', target: 'tag' } as const,
      }
    : {};
  const attributes = {
    title: text,
    parts,
    one: { type: 'component', component: 'r.part' } as const,
    zone: { type: 'dynamiczone', components: zone } as const,
    ...added,
  };
  return {
    locales: ['en', 'fr'],
    contentTypes: [
      defineCollectionType({
        singularApiId: 'article',
        pluralApiId: 'articles',
        draftAndPublish: true,
        localized: true,
        attributes,
      }),
      defineCollectionType({ singularApiId: 'plain', pluralApiId: 'plains', attributes }),
      tag,
    ],
    components: [
      defineComponent({
        uid: 'r.part',
        attributes: {
          text,
          ...more,
          nested: { type: 'component', component: 'r.inner', repeatable: true },
          deep: { type: 'dynamiczone', components: isNew ? ['r.inner', 'r.late'] : ['r.inner'] },
        },
      }),
      defineComponent({ uid: 'r.inner', attributes: { text, ...more } }),
      ...(isNew ? [defineComponent({ uid: 'r.late', attributes: { text } })] : []),
    ],
  };
}

const ALL = ['parts', 'one'].map((name) => `populate[${name}][populate]=*`).join('&');
const DEEP = `${ALL}&populate[zone][on][r.part][populate]=*`;
const NEW = `${DEEP}&populate[zone][on][r.late]=true&populate[tags]=true`;

describe('R22: two processes with the old model and two with the new one', () => {
  let database: TestDatabase;
  const olds: Host[] = [];
  const news: Host[] = [];
  const warned: string[] = [];
  let turn = 0;

  const next = (hosts: readonly Host[]): Host => hosts[(turn += 1) % hosts.length] as Host;
  const ask = async (hosts: readonly Host[], method: string, path: string, data?: object) => {
    const response = await fetch(`${next(hosts).url}/api/${path}`, {
      method,
      ...(data === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ data }) }),
    });
    const body: any = response.status === 204 ? {} : await response.json();
    return { status: response.status, retry: response.headers.get('retry-after'), data: body.data };
  };
  const service = (hosts: readonly Host[]): ContentService =>
    next(hosts).app.get<ContentService>(getContentToken('article'), { strict: false });
  const note = async ({ app }: Host): Promise<void> => {
    const [schema, settings] = [app.get(CONTENT_SCHEMA), app.get(CONTENT_SETTINGS)];
    await app.get(Database).run(print(saveModel(schema, describeModel(schema, settings))));
  };

  const BEFORE = modelOf(false);
  const AFTER = modelOf(true);
  let tags: string[];
  const instance = (word: string) => ({
    text: word,
    more: `more ${word}`,
    nested: [{ text: 'n', more: 'nested more' }],
    deep: [
      { __component: 'r.late', text: 'late' },
      { __component: 'r.inner', text: 'inner', more: 'deep more' },
    ],
  });
  const full = (title: string) => ({
    title,
    extra: `extra ${title}`,
    tags,
    parts: [instance('a'), instance('b')],
    one: instance('one'),
    zone: [
      { __component: 'r.late', text: 'first' },
      { __component: 'r.part', ...instance('zone') },
      { __component: 'r.late', text: 'last' },
    ],
  });

  beforeAll(async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((message) => void warned.push(String(message)));
    database = await createDatabase();
    const first = await startModel(database, BEFORE, 'express');
    await note(first);
    await first.close();
    for (const adapter of ['express', 'fastify'] as const)
      olds.push(await startModel(database, BEFORE, adapter));
    for (const adapter of ['express', 'fastify'] as const)
      news.push(await startModel(database, AFTER, adapter));
    await note(news[0] as Host);
    tags = [];
    for (const name of ['one', 'two']) tags.push((await ask(news, 'POST', 'tags', { name })).data.documentId);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    for (const host of [...olds, ...news]) await host.close();
    await database.drop();
  });

  /** Document of the old model as a client sends it back, with other texts. */
  const edited = ({ parts, one, zone }: any) => ({
    parts: parts.map((part: any) => ({ ...part, text: `${part.text}!` })).reverse(),
    one: { ...one, text: 'edited' },
    zone,
  });
  /** Expected document of the new model. */
  const expected = (shown: any) => ({
    parts: shown.parts.map((part: any) => ({ ...part, text: `${part.text}!` })).reverse(),
    one: { ...shown.one, text: 'edited' },
    zone: shown.zone,
  });

  const later = ({ publishedAt }: any) => ({
    updatedAt: expect.any(String),
    publishedAt: publishedAt === null ? null : expect.any(String),
  });

  it.each([
    ['a draft', 'articles', '&status=draft'],
    ['a type without drafts and locales', 'plains', ''],
  ])('%s that an old process writes keeps attributes of the new model', async (_, path, state) => {
    const { data: made } = await ask(news, 'POST', `${path}?${NEW}${state}`, full('x'));
    expect(made).toMatchObject({ tags: [{ name: 'one' }, { name: 'two' }], extra: 'extra x' });
    expect(made.zone.map(({ __component: uid }: any) => uid)).toEqual(['r.late', 'r.part', 'r.late']);
    const at = `${path}/${made.documentId}`;
    const { data: shown } = await ask(olds, 'GET', `${at}?${DEEP}${state}`);
    expect(JSON.stringify(shown)).not.toMatch(/(?<![a-z\d])(?:more|late|extra)/);
    expect(await ask(olds, 'PUT', `${at}?${DEEP}${state}`, edited(shown))).toMatchObject({ status: 200 });
    const { data: kept } = await ask(news, 'GET', `${at}?${NEW}${state}`);
    expect(kept).toEqual({ ...made, ...expected(made), ...later(made) });
  });

  it('members of a zone that are unknown to an old process stay, for any request', async () => {
    const { data: made } = await ask(news, 'POST', `plains?${NEW}`, full('z'));
    const at = `plains/${made.documentId}`;
    const zoneAfter = async (zone: object[]) => {
      await ask(olds, 'PUT', at, { zone });
      const { data } = await ask(news, 'GET', `${at}?${NEW}`);
      return data.zone.map(({ text: word }: any) => word);
    };
    expect(await zoneAfter([{ __component: 'r.part', text: 'other' }])).toEqual(['first', 'last', 'other']);
    expect(await zoneAfter([])).toEqual(['first', 'last']);
    // A caller who sees them may remove them.
    await ask(news, 'PUT', at, { zone: [] });
    expect(await zoneAfter([])).toEqual([]);
  });

  it('an old process refuses to copy a version with 503 and Retry-After, and writes nothing', async () => {
    const { data: made } = await ask(news, 'POST', `articles?${NEW}`, full('p'));
    const at = `articles/${made.documentId}`;
    await ask(news, 'PUT', `${at}?status=draft`, { extra: 'pending', tags: [tags[1]] });
    const rows = () =>
      (news[0] as Host).sql('select * from articles where document_id = $1 order by id', [made.documentId]);
    const before = await rows();
    const refused = { status: 503, retry: '1' };
    expect(await ask(olds, 'PUT', at, { title: 'q' })).toMatchObject(refused);
    expect(await ask(olds, 'PUT', `${at}?locale=fr`, { title: 'q' })).toMatchObject(refused);
    expect(await ask(olds, 'PUT', `${at}?locale=fr&status=draft`, { title: 'q' })).toMatchObject(refused);
    await expect(service(olds).publish(made.documentId)).rejects.toMatchObject({ status: 503 });
    await expect(service(olds).unpublish(made.documentId)).rejects.toMatchObject({ status: 503 });
    await expect(service(olds).discardDraft(made.documentId)).rejects.toMatchObject({ status: 503 });
    expect(await rows()).toEqual(before);
    expect(warned.filter((line) => line.includes('no longer publishes'))).toHaveLength(olds.length);
    expect(await ask(news, 'PUT', `${at}?${NEW}`, {})).toMatchObject({
      status: 200,
      data: { extra: 'pending', tags: [{ name: 'two' }] },
    });
    expect(await ask(news, 'PUT', `${at}?locale=fr&${NEW}`, { title: 'q' })).toMatchObject({ status: 200 });
  });

  it('all other requests succeed: reads, new documents, drafts, deletions', async () => {
    const made = await ask(olds, 'POST', 'articles', { title: 'new', parts: [{ text: 'a' }] });
    expect(made).toMatchObject({ status: 201 });
    const at = `articles/${made.data.documentId}`;
    expect(await ask(olds, 'PUT', `${at}?status=draft`, { title: 'changed' })).toMatchObject({ status: 200 });
    expect(await ask(news, 'GET', `${at}?status=draft`)).toMatchObject({ data: { title: 'changed' } });
    for (const path of ['articles', `articles?${DEEP}`, 'plains?populate=*', `${at}?status=draft&locale=en`])
      for (const hosts of [olds, news]) expect(await ask(hosts, 'GET', path)).toMatchObject({ status: 200 });
    expect(await ask(olds, 'DELETE', at)).toMatchObject({ status: 204 });
    expect(await ask(news, 'GET', at)).toMatchObject({ status: 404 });
  });

  it('all four concurrently on one document: each writer finds its own values', async () => {
    const { data: made } = await ask(news, 'POST', `articles?status=draft&${NEW}`, full('busy'));
    const at = `articles/${made.documentId}`;
    const write = async (hosts: readonly Host[], n: number) => {
      const { data } = await ask(hosts, 'GET', `${at}?status=draft&populate=parts`);
      const parts = data.parts.map(({ id }: any) => ({ id, text: `${n}` }));
      return ask(hosts, 'PUT', `${at}?status=draft`, { title: `${n}`, parts });
    };
    const done = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        n % 6 === 5 ? ask(news, 'PUT', at, {}) : write(n % 2 === 0 ? olds : news, n),
      ),
    );
    expect(new Set(done.map(({ status }) => status))).toEqual(new Set([200]));
    await sleep(1);
    await ask(news, 'PUT', at, {});
    for (const state of ['', '&status=draft']) {
      const { data } = await ask(news, 'GET', `${at}?${NEW}${state}`);
      expect(data).toMatchObject({ extra: 'extra busy', tags: [{ name: 'one' }, { name: 'two' }] });
      expect(data.parts.map(({ more }: any) => more)).toEqual(['more a', 'more b']);
      expect(data.zone).toHaveLength(3);
    }
  });

  it('R23: returns 503 for a removed column, and logs the migration once', async () => {
    warned.length = 0;
    await (news[0] as Host).sql('alter table plains drop column title');
    for (let n = 0; n < 3; n += 1)
      for (const old of olds)
        expect(await ask([old], 'GET', 'plains')).toMatchObject({ status: 503, retry: '1' });
    expect(warned).toHaveLength(olds.length);
    expect(warned[0]).toContain('npx nestjs-content-api migration');
    expect(await ask(olds, 'GET', 'articles')).toMatchObject({ status: 200 });
  });
});
