import { setTimeout as sleep } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { CONTENT_ORM, type ContentService, defineCollectionType, getContentToken } from 'nestjs-content-api';
import { type BusyApp, parallel, type Reply, startBusy, statuses } from './app.ts';
import { busy } from './model.ts';
import { expectSoon } from '../support/dose.ts';
import { lookUntil } from '../support/look-until.ts';

/** Number of times that a test looks for open transactions, 50 ms apart. */
const LOOKS = 100;

const MANY = 80;

describe('concurrent writers', () => {
  let test: BusyApp;

  const make = async (plural: string, data: object, query = ''): Promise<any> => {
    const reply = await test.client.post(`/api/${plural}${query}`, data);
    if (reply.status !== 201) throw new Error(`${reply.status} ${reply.text}`);
    return reply.body.data;
  };
  const several = (count: number, plural: string, data: (i: number) => object, query = ''): Promise<any[]> =>
    parallel(count, (i) => make(plural, data(i), query));
  const names = async (path: string, attribute: string, query = ''): Promise<string[]> => {
    const { body } = await test.client.get(`/api/${path}?populate[${attribute}][fields]=documentId${query}`);
    return body.data[attribute].map(({ documentId }: { documentId: string }) => documentId);
  };
  const shuffled = <T>(items: readonly T[], random: () => number): T[] =>
    items
      .map((item) => ({ item, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  const seeded = (seed: number) => () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  const noFailures = (replies: readonly Reply[]): void =>
    expect(
      replies
        .filter(({ status }) => status >= 500)
        .map(({ text }) => text)
        .slice(0, 3),
    ).toEqual([]);

  beforeAll(async () => void (test = await startBusy(busy)));
  afterAll(() => test.close());

  describe('uniqueness', () => {
    it.each([
      ['people', 'name', ''],
      ['stories', 'title', ''],
      ['stories', 'title', '?locale=fr'],
    ])(`${MANY} POSTs of one unique value to %s leave exactly one (%s%s)`, async (plural, label, query) => {
      const code = `only${query}`;
      const replies = await parallel(MANY, (i) =>
        test.client.post(`/api/${plural}${query}`, { [label]: `n${i}`, code }),
      );
      expect(statuses(replies)).toEqual({ 201: 1, 400: MANY - 1 });
      for (const { status, body } of replies) {
        if (status === 400)
          expect(body.error.details.errors).toEqual([
            {
              path: ['code'],
              message: 'This attribute must be unique',
              name: 'ValidationError',
              value: code,
            },
          ]);
      }
      const rows = await test.sql(`select document_id from ${plural} where code = $1`, [code]);
      expect(new Set(rows.map((row) => row['document_id'])).size).toBe(1);
    });

    it('PUTs of one unique value: one succeeds', async () => {
      const people = await several(40, 'people', (i) => ({ name: `taker ${i}`, code: `free${i}` }));
      const replies = await Promise.all(
        people.map(({ documentId }) => test.client.put(`/api/people/${documentId}`, { code: 'wanted' })),
      );
      expect(statuses(replies)).toEqual({ 200: 1, 400: 39 });
    });

    it.each([
      ['people', 'name', ''],
      ['stories', 'title', ''],
      ['stories', 'title', '?status=draft'],
    ])(`${MANY} POSTs with a generated uid to %s all succeed (%s%s)`, async (plural, label, query) => {
      const replies = await parallel(MANY, () =>
        test.client.post(`/api/${plural}${query}`, { [label]: `Same Name${query}` }),
      );
      expect(statuses(replies)).toEqual({ 201: MANY });
      const slugs = replies.map(({ body }) => body.data.slug);
      expect(slugs.filter((slug) => !/^same-name[a-z0-9-]*$/.test(slug))).toEqual([]);
      // Drafts may share a uid until they are published.
      if (query === '') expect(new Set(slugs).size).toBe(MANY);
    });
  });

  describe('single types', () => {
    it(`10.7 ${MANY} first PUTs leave one document`, async () => {
      const replies = await parallel(MANY, (i) =>
        test.client.put('/api/setting', { name: `n${i}`, amount: i }),
      );
      expect(statuses(replies)).toEqual({ 200: MANY });
      expect(new Set(replies.map(({ body }) => body.data.documentId)).size).toBe(1);
      const rows = await test.sql('select name, amount from setting');
      expect(rows).toEqual([{ name: `n${rows[0]!['amount']}`, amount: expect.any(Number) }]);
    });

    it('10.7 first PUTs in several locales leave one document with one version of each', async () => {
      const locales = ['en', 'fr', 'de'];
      const replies = await parallel(60, (i) =>
        test.client.put(`/api/frontpage?locale=${locales[i % 3]}`, { heading: `h${i}` }),
      );
      expect(statuses(replies)).toEqual({ 200: 60 });
      const rows = await test.sql('select distinct document_id from frontpage');
      expect(rows).toHaveLength(1);
      const versions = await test.sql('select locale, published from frontpage order by 1, 2');
      expect(versions.map(({ locale, published }) => `${locale} ${published}`)).toEqual([
        'de false',
        'de true',
        'en false',
        'en true',
        'fr false',
        'fr true',
      ]);
    });
  });

  describe('one document', () => {
    it(`${MANY} PUTs that connect and disconnect: the order of their row writes explains all responses and the result`, async () => {
      const groups: string[] = (await several(16, 'groups', (i) => ({ name: `g${i}` }))).map(
        ({ documentId }) => documentId,
      );
      // Writers lock the document's row until they commit, so that the order of row writes is their order.
      await test.sql(`create table written (n serial, name text);
        create function log_written() returns trigger language plpgsql as $$ begin insert into written (name) values (new.name); return new; end $$;
        create trigger log_written after update on people for each row execute function log_written()`);
      const random = seeded(7);
      for (const attribute of ['groups', 'list']) {
        const start = groups.slice(0, 8);
        const { documentId } = await make('people', { name: 'hub', [attribute]: start });
        await test.sql('truncate written');
        const operations = new Map<
          string,
          { apply: (list: readonly string[]) => string[]; answer: string[] }
        >();
        const replies = await parallel(MANY, async (i) => {
          const id = groups[Math.floor(random() * groups.length)] as string;
          const other = groups[Math.floor(random() * groups.length)] as string;
          const kind = Math.floor(random() * 4);
          const payload = [
            { connect: [id] },
            { disconnect: [id] },
            { connect: [{ documentId: id, position: { start: true } }] },
            { connect: [id], disconnect: [other] },
          ][kind] as object;
          const reply = await test.client.put(
            `/api/people/${documentId}?populate[${attribute}][fields]=documentId`,
            { name: `op ${i}`, [attribute]: payload },
          );
          const apply = (list: readonly string[]): string[] => {
            const rest = list.filter((item) => item !== id && (kind !== 3 || item !== other));
            return kind === 1 ? rest : kind === 2 ? [id, ...rest] : [...rest, id];
          };
          operations.set(`op ${i}`, {
            apply,
            answer: reply.body.data[attribute].map((item: any) => item.documentId),
          });
          return reply;
        });
        expect(statuses(replies)).toEqual({ 200: MANY });
        const order = await test.sql('select name from written order by n');
        expect(order).toHaveLength(MANY);
        let list = start;
        for (const { name } of order) {
          const { apply, answer } = operations.get(name) as {
            apply: (before: readonly string[]) => string[];
            answer: string[];
          };
          list = apply(list);
          expect({ name, answer }).toEqual({ name, answer: list });
        }
        expect(await names(`people/${documentId}`, attribute)).toEqual(list);
      }
      await test.sql('drop table written cascade; drop function log_written cascade');
    });

    it('PUTs of components keep every instance consistent, and the last writer determines all of them', async () => {
      const { documentId } = await make('stories', { title: 'parts' });
      const replies = await parallel(60, (i) =>
        test.client.put(`/api/stories/${documentId}`, {
          title: `t${i}`,
          rank: i,
          badges: [{ text: `${i} a` }, { text: `${i} b` }],
        }),
      );
      expect(statuses(replies)).toEqual({ 200: 60 });
      const rows = await test.sql(
        'select title, rank, badges from stories where document_id = $1 order by published',
        [documentId],
      );
      expect(rows).toHaveLength(2);
      for (const { title, rank, badges } of rows) {
        expect(title).toBe(`t${rank}`);
        expect(badges.map(({ text }: any) => text)).toEqual([`${rank} a`, `${rank} b`]);
      }
      expect(rows[0]).toEqual(rows[1]);
      const ids = replies.flatMap(({ body }) => body.data.id);
      expect(new Set(ids).size).toBe(1);
    });

    it('PUTs of a new locale leave one version of it', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { documentId } = await make('stories', { title: 'english', rank: 5 });
        const replies = await parallel(30, (i) =>
          test.client.put(`/api/stories/${documentId}?locale=fr`, { title: `fr ${i}` }),
        );
        expect(statuses(replies)).toEqual({ 200: 30 });
        const rows = await test.sql(
          'select locale, published, rank from stories where document_id = $1 order by 1, 2',
          [documentId],
        );
        expect(rows.map(({ locale, published, rank }) => `${locale} ${published} ${rank}`)).toEqual([
          'en false 5',
          'en true 5',
          'fr false 5',
          'fr true 5',
        ]);
      }
    });

    it('9.7 concurrent writes of a new locale and a shared value: all locales are equal', async () => {
      const topics = (await several(4, 'topics', (i) => ({ name: `shared ${i}` }))).map(
        ({ documentId }) => documentId,
      );
      for (let round = 0; round < 12; round += 1) {
        const { documentId } = await make('stories', {
          title: 'english',
          rank: 0,
          topics: [topics[0]],
          main: topics[0],
          badges: [{ text: 'old' }],
        });
        const change = {
          rank: 1,
          topics: [topics[1], topics[2]],
          main: topics[1],
          badges: [{ text: 'new' }],
        };
        const replies = await Promise.all([
          test.client.put(`/api/stories/${documentId}?locale=fr`, { title: 'french' }),
          test.client.put(`/api/stories/${documentId}`, change),
          test.client.put(`/api/stories/${documentId}?locale=de`, { title: 'german' }),
        ]);
        expect(statuses(replies)).toEqual({ 200: 3 });
        const rows = await test.sql(
          `select s.locale, s.published, s.rank, s.main_document_id as main, s.badges #>> '{0,text}' as badge,
             (select string_agg(l.target_document_id, ',' order by l.position) from stories_topics_links l where l.owner_document_id = s.document_id and l.published = s.published) as topics
           from stories s where s.document_id = $1 order by 1, 2`,
          [documentId],
        );
        const shared = { rank: 1, main: topics[1], badge: 'new', topics: `${topics[1]},${topics[2]}` };
        const published = (row: any) => row.published;
        // A published version has the state of the draft at the last publish; drafts are always equal.
        expect(rows.filter((row) => !published(row))).toEqual(
          ['de', 'en', 'fr'].map((locale) => ({ locale, published: false, ...shared })),
        );
        expect(rows.filter(published)).toEqual(
          ['de', 'en', 'fr'].map((locale) => ({ locale, published: true, ...shared })),
        );
      }
    });

    it('concurrent DELETE and PUTs: the document exists with its draft, or is deleted completely', async () => {
      for (let round = 0; round < 20; round += 1) {
        const { documentId } = await make('stories', { title: 'short-lived' }, '?status=draft');
        const path = `/api/stories/${documentId}`;
        const replies = await Promise.all([
          test.client.put(path, { rank: round }),
          test.client.put(`${path}?locale=fr`, { title: 'court' }),
          test.client.delete(path),
          test.client.put(path, { title: 'again' }),
        ]);
        noFailures(replies);
        for (const { status } of replies) expect([200, 204, 400, 404]).toContain(status);
        const rows = await test.sql(
          'select locale, published from stories where document_id = $1 order by 1, 2',
          [documentId],
        );
        const versions = rows.map(({ locale, published }) => `${locale} ${published}`);
        // DELETE removes the default locale. PUT publishes, so that an existing version has both states.
        for (const locale of ['en', 'fr'])
          expect(['', `${locale} false,${locale} true`]).toContain(
            versions.filter((version) => version.startsWith(locale)).join(),
          );
      }
    });

    it('a target that is deleted while it is linked has no links afterwards', async () => {
      for (let round = 0; round < 20; round += 1) {
        const { documentId } = await make('groups', { name: 'doomed' });
        const path = `/api/groups/${documentId}`;
        const replies = await Promise.all([
          ...[0, 1, 2].map(() =>
            test.client.post('/api/people', {
              name: 'linker',
              groups: [documentId],
              list: [documentId],
              home: documentId,
            }),
          ),
          test.client.delete(path),
          test.client.post('/api/people', {
            name: 'linker',
            groups: [documentId],
            list: [documentId],
            home: documentId,
          }),
        ]);
        noFailures(replies);
        const dangling = await test.sql(
          `select 'home' as what from people where home_document_id = $1 union all select 'groups' from people_groups_links where target_document_id = $1
           union all select 'list' from people_list_links where target_document_id = $1`,
          [documentId],
        );
        expect(dangling).toEqual([]);
      }
    });
  });

  describe('writes from both sides', () => {
    it('connecting and disconnecting from either side loses no change', async () => {
      for (let round = 0; round < 4; round += 1) {
        const random = seeded(round + 1);
        const [people, groups] = await Promise.all([
          several(5, 'people', (i) => ({ name: `p${i}` })),
          several(5, 'groups', (i) => ({ name: `g${i}` })),
        ]);
        const pairs = people.flatMap((person, i) =>
          groups.map((group, j) => ({
            person: person.documentId,
            group: group.documentId,
            linked: (i + j) % 2 === 0,
          })),
        );
        await Promise.all(
          people.map(({ documentId }) =>
            test.client.put(`/api/people/${documentId}`, {
              groups: pairs
                .filter((pair) => pair.person === documentId && pair.linked)
                .map(({ group }) => group),
            }),
          ),
        );
        // Toggles every pair once, from a random side.
        const replies = await Promise.all(
          shuffled(pairs, random).map(({ person, group, linked }) => {
            const verb = linked ? 'disconnect' : 'connect';
            return random() < 0.5
              ? test.client.put(`/api/people/${person}`, { groups: { [verb]: [group] } })
              : test.client.put(`/api/groups/${group}`, { people: { [verb]: [person] } });
          }),
        );
        expect(statuses(replies)).toEqual({ 200: pairs.length });
        for (const { documentId } of people) {
          const expected = pairs
            .filter((pair) => pair.person === documentId && !pair.linked)
            .map(({ group }) => group);
          expect((await names(`people/${documentId}`, 'groups')).sort()).toEqual(expected.sort());
        }
      }
    });

    it('one-to-many: children are moved from either side', async () => {
      for (let round = 0; round < 4; round += 1) {
        const [people, groups] = await Promise.all([
          several(12, 'people', (i) => ({ name: `p${i}` })),
          several(2, 'groups', (i) => ({ name: `g${i}` })),
        ]);
        const [one, other] = groups.map(({ documentId }) => documentId) as [string, string];
        await test.client.put(`/api/groups/${one}`, {
          residents: people.slice(0, 6).map(({ documentId }) => documentId),
        });
        const replies = await Promise.all(
          people.map(({ documentId }, i) => {
            if (i % 2 === 0)
              return test.client.put(`/api/people/${documentId}`, { home: i < 6 ? null : one });
            return i < 6
              ? test.client.put(`/api/groups/${one}`, { residents: { disconnect: [documentId] } })
              : test.client.put(`/api/groups/${one}`, { residents: { connect: [documentId] } });
          }),
        );
        expect(statuses(replies)).toEqual({ 200: 12 });
        expect((await names(`groups/${one}`, 'residents')).sort()).toEqual(
          people
            .slice(6)
            .map(({ documentId }) => documentId)
            .sort(),
        );
        const moved = await Promise.all(
          people
            .slice(6)
            .flatMap(({ documentId }) => [
              test.client.put(`/api/groups/${one}`, { residents: { connect: [documentId] } }),
              test.client.put(`/api/groups/${other}`, { residents: { connect: [documentId] } }),
            ]),
        );
        noFailures(moved);
        const [here, there] = await Promise.all([
          names(`groups/${one}`, 'residents'),
          names(`groups/${other}`, 'residents'),
        ]);
        expect([...here, ...there].sort()).toEqual(
          people
            .slice(6)
            .map(({ documentId }) => documentId)
            .sort(),
        );
      }
    });

    it('returns no deadlock error when documents link each other', async () => {
      const people: string[] = (await several(8, 'people', (i) => ({ name: `circle ${i}` }))).map(
        ({ documentId }) => documentId,
      );
      const random = seeded(3);
      const some = (count: number): string[] => shuffled(people, random).slice(0, count);
      const start = performance.now();
      const replies = await parallel(MANY, (i) => {
        const bodies = [
          { friends: some(4) },
          { friendOf: some(4) },
          { children: some(3) },
          { parent: some(1)[0] },
          { friends: { connect: some(2) }, friendOf: { disconnect: some(2) } },
        ];
        return test.client.put(
          `/api/people/${people[i % people.length]}`,
          bodies[Math.floor(random() * bodies.length)],
        );
      });
      expect(
        replies
          .filter(({ status }) => status !== 200)
          .map(({ text }) => text)
          .slice(0, 3),
      ).toEqual([]);
      expectSoon(performance.now() - start, 30_000);
    });

    it('returns no deadlock error when partners are moved from both sides; each has one', async () => {
      const people: string[] = (await several(8, 'people', (i) => ({ name: `pair ${i}` }))).map(
        ({ documentId }) => documentId,
      );
      const random = seeded(5);
      const some = (): string => people[Math.floor(random() * people.length)] as string;
      const replies = await parallel(100, () =>
        test.client.put(
          `/api/people/${some()}`,
          random() < 0.5 ? { partner: some() } : { partnerOf: some() },
        ),
      );
      expect(statuses(replies)).toEqual({ 200: 100 });
      const rows = await test.sql(
        'select partner_document_id as partner from people where partner_document_id is not null',
      );
      expect(new Set(rows.map(({ partner }) => partner)).size).toBe(rows.length);
    });

    it('drafts and published versions that take one target: one document has it in each state', async () => {
      const [target] = await several(1, 'topics', () => ({ name: 'prize' }));
      const stories = await several(10, 'stories', (i) => ({ title: `s${i}` }));
      const replies = await Promise.all(
        stories.flatMap(({ documentId }, i) => [
          test.client.put(`/api/stories/${documentId}`, { emblem: target.documentId }),
          i % 2 === 0
            ? test.client.put(`/api/stories/${documentId}?status=draft`, { emblem: target.documentId })
            : test.client.put(`/api/topics/${target.documentId}`, { emblemOf: documentId }),
        ]),
      );
      expect(statuses(replies)).toEqual({ 200: 20 });
      const rows = await test.sql(
        'select published, count(*)::int as n from stories where emblem_document_id = $1 group by 1',
        [target.documentId],
      );
      for (const { n } of rows) expect(n).toBe(1);
    });

    it('two POSTs with one partner: both succeed, one has it', async () => {
      for (let round = 0; round < 10; round += 1) {
        const { documentId } = await make('people', { name: 'wanted' });
        const replies = await parallel(4, () =>
          test.client.post('/api/people', { name: 'taker', partner: documentId }),
        );
        expect(statuses(replies)).toEqual({ 201: 4 });
        expect(
          await test.sql('select 1 from people where partner_document_id = $1', [documentId]),
        ).toHaveLength(1);
      }
    });

    it('8.17 publishing both sides in turn keeps the order of each side', async () => {
      for (let round = 0; round < 4; round += 1) {
        const random = seeded(round + 11);
        const [stories, topics] = await Promise.all([
          several(4, 'stories', (i) => ({ title: `s${i}` })),
          several(4, 'topics', (i) => ({ name: `t${i}` })),
        ]);
        const storyIds: string[] = stories.map(({ documentId }) => documentId);
        const topicIds: string[] = topics.map(({ documentId }) => documentId);
        for (const id of storyIds) await test.client.put(`/api/stories/${id}`, { topics: topicIds });
        const wanted = new Map<string, string[]>();
        // Sets the final order of each document while all of them are published repeatedly.
        const work = [
          ...storyIds.map((id) => ({ path: `stories/${id}`, attribute: 'topics', all: topicIds })),
          ...topicIds.map((id) => ({ path: `topics/${id}`, attribute: 'stories', all: storyIds })),
        ];
        const requests = work.flatMap(({ path, attribute, all }) => {
          const order = shuffled(all, random);
          wanted.set(path, order);
          return [
            () => test.client.put(`/api/${path}`, { [attribute]: order }),
            ...Array.from({ length: 4 }, () => () => test.client.put(`/api/${path}`, {})),
          ];
        });
        const replies = await Promise.all(shuffled(requests, random).map((send) => send()));
        expect(statuses(replies)).toEqual({ 200: requests.length });
        for (const { path, attribute } of work) {
          expect(await names(path, attribute, '&status=draft')).toEqual(wanted.get(path));
          expect(await names(path, attribute)).toEqual(wanted.get(path));
        }
      }
    });
  });

  it('leaves no connection of the pool in a transaction', async () => {
    // Maintenance of the change log has short transactions of its own, so that one may be open at a time.
    const stayed = new Map<unknown, number>();
    for (let i = 0; i < LOOKS; i += 1) {
      const rows = await test.sql(
        `select xact_start::text as start, state from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
      expect(rows.length).toBeLessThanOrEqual(20);
      const open = rows.filter(({ state }) => state !== 'idle');
      if (open.length === 0) return;
      for (const { start } of open) stayed.set(start, (stayed.get(start) ?? 0) + 1);
      await sleep(50);
    }
    expect(Math.max(...stayed.values())).toBeLessThan(LOOKS);
  });
});

describe('a draft of a type without locales, and a write from the other side', () => {
  const article = defineCollectionType({
    singularApiId: 'article',
    pluralApiId: 'articles',
    draftAndPublish: true,
    attributes: {
      title: { type: 'string' },
      tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'articles' },
    },
  });
  const tag = defineCollectionType({
    singularApiId: 'tag',
    pluralApiId: 'tags',
    draftAndPublish: true,
    attributes: {
      articles: { type: 'relation', relation: 'manyToMany', target: 'article', mappedBy: 'tags' },
    },
  });
  let test: BusyApp;
  beforeAll(
    async () =>
      void (test = await startBusy({
        contentTypes: [article, tag],
        access: { public: { '*': '*' } },
      })),
  );
  afterAll(() => test.close());

  it('D21 the draft gets the revision of both writes, and both are published', async () => {
    const made = async (path: string, data: object): Promise<string> =>
      (await test.client.post(`/api/${path}`, data)).body.data.documentId;
    const tagId = await made('tags', {});
    const id = await made('articles', { title: 'a', tags: [tagId] });
    await test.client.put(`/api/articles/${id}?status=draft`, { tags: [] });
    const articles = test.app.get<ContentService>(getContentToken('article'), { strict: false });
    const { em } = test.app.get<MikroORM>(CONTENT_ORM, { strict: false });
    const connected = await em.fork().transactional(async (inner) => {
      await articles.update(id, { title: 'b' }, { status: 'draft' }, { em: inner as SqlEntityManager });
      const reply = test.client.put(`/api/tags/${tagId}?status=draft`, { articles: { connect: [id] } });
      const waiting = (): Promise<unknown[]> =>
        test.sql(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
      expect(await lookUntil(waiting, (rows) => rows.length > 0)).not.toEqual([]);
      return { reply };
    });
    expect((await connected.reply).status).toBe(200);
    expect((await test.client.put(`/api/articles/${id}`, {})).status).toBe(200);
    const { body } = await test.client.get(`/api/articles/${id}?populate=tags`);
    expect(body.data).toMatchObject({ title: 'b', tags: [{ documentId: tagId }] });
  });
});
