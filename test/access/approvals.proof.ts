/**
 * Random requests of callers with different rights to a type with stages. Drafts that can be published, and
 * published versions, have only content that a caller with the right has approved (8.36–8.42).
 */
import {
  type Credentials,
  defineCollectionType,
  defineComponent,
  type Grants,
  type Identity,
} from 'nestjs-content-api';
import { HistoryModule } from 'nestjs-content-api/history';
import { type Adapter, createTestApp, type TestApp } from '../support/app.ts';
import { randomFrom } from '../support/random.ts';

const SEED = Number(process.env['SEED'] ?? 31);
const STEPS = Number(process.env['STEPS'] ?? 200);

const part = defineComponent({
  uid: 'approval.part',
  attributes: {
    text: { type: 'string' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag' },
  },
});
const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  draftAndPublish: true,
  localized: true,
  actions: true,
  history: true,
  stages: {
    draft: { to: ['review', 'ready'] },
    review: { to: ['draft', 'ready'] },
    ready: { to: ['review', 'draft'], publish: true },
  },
  attributes: {
    title: { type: 'string', localized: true },
    desk: { type: 'string', localized: true },
    rank: { type: 'integer' },
    part: { type: 'component', component: 'approval.part' },
    zone: { type: 'dynamiczone', components: ['approval.part'], localized: true },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'stories' },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  draftAndPublish: true,
  actions: true,
  attributes: {
    name: { type: 'string' },
    stories: { type: 'relation', relation: 'manyToMany', target: 'story', mappedBy: 'tags' },
  },
});

const EDIT = ['find', 'findOne', 'readDrafts', 'create', 'update', 'delete', 'publish'] as const;
const COMMON = { tag: '*' } as const;
const move = (...stages: string[]) => ({ actions: ['move'], stages }) as const;
const ROLES: Readonly<Record<string, Grants>> = {
  chief: { story: '*', ...COMMON },
  writer: { story: [...EDIT, move('draft', 'review')], ...COMMON },
  plain: { story: [...EDIT], ...COMMON },
  sports: { story: [...EDIT, { ...move('ready'), where: { desk: 'sports' } }], ...COMMON },
  limited: { story: [{ actions: EDIT, where: { desk: { $ne: 'art' } } }, move('review')], ...COMMON },
};
const byHeader = {
  name: 'by-header',
  authenticate: ({ headers }: Credentials): Identity | null => {
    const role = String(headers['x-who'] ?? '');
    return role === '' ? null : { kind: 'user', id: role, roles: [role] };
  },
};

interface Version {
  readonly document: string;
  readonly published: boolean;
  readonly stage: string;
  /** Values and links, without the ids of components, which each version has for itself. */
  readonly content: string;
}
type Versions = ReadonlyMap<string, Version>;

const SELECT = `select document_id, locale, published, stage, (to_jsonb(s) - array['id', 'stage', 'published',
  'published_at', 'updated_at', 'created_at', 'revision'])::text as content,
  array(select l.target_document_id from stories_tags_links l where l.owner_document_id = s.document_id
    and l.published = s.published order by l.position)::text as links from stories s`;

async function versionsIn({ sql }: TestApp): Promise<Versions> {
  const found = new Map<string, Version>();
  for (const row of await sql(SELECT)) {
    const [document, published] = [String(row['document_id']), row['published'] === true];
    const content = `${String(row['content'])} ${String(row['links'])}`;
    found.set(`${document} ${String(row['locale'])} ${published ? 'published' : 'draft'}`, {
      document: `${document} ${String(row['locale'])}`,
      published,
      stage: String(row['stage']),
      content: content.replace(/"(id|documentId)": ("\w+"|\d+),? ?/g, '').replaceAll(', }', '}'),
    });
  }
  return found;
}

/** Content of documents that callers have approved. */
class Approvals {
  private readonly known = new Map<string, Set<string>>();

  private of(document: string): Set<string> {
    const known = this.known.get(document) ?? new Set<string>();
    this.known.set(document, known);
    return known;
  }

  private static approves(who: string, draft: Version | undefined): boolean {
    return who === 'chief' || (who === 'sports' && draft?.content.includes('"desk": "sports"') === true);
  }

  /** Notes what a caller has approved, and returns the first version without an approval. */
  problem(who: string, before: Versions, after: Versions): string | null {
    for (const [key, now] of after) {
      const { document, published, stage, content } = now;
      const known = this.of(document);
      const was = before.get(key);
      const isOpen = published || stage === 'ready';
      if (isOpen && Approvals.approves(who, before.get(`${document} draft`))) known.add(content);
      const stays = was?.stage === stage && was.content === content;
      if (published && stage !== 'ready') return `${key} is published in the stage ${stage}`;
      if (isOpen && !stays && !known.has(content)) return `${key} is not approved: ${content}`;
    }
    return null;
  }
}

interface Asked {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly data?: unknown;
}

/** Random requests to stories and tags. */
class Requests {
  readonly stories: string[] = [];
  readonly tags: string[] = [];
  private readonly next: () => number;

  constructor(seed: number) {
    this.next = randomFrom(seed);
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)] as T;
  }

  private value(name: string): unknown {
    const tagId = this.pick(this.tags);
    const instance = { text: this.pick(['a', 'b']), tags: [tagId] };
    const values: Readonly<Record<string, readonly unknown[]>> = {
      title: ['a', 'b', 'c', 'd'],
      desk: ['sports', 'art', 'news'],
      rank: [1, 2, null],
      part: [null, { text: 'a' }, instance],
      zone: [[], [{ __component: 'approval.part', ...instance }]],
      tags: [[], [tagId], { connect: [tagId] }, { disconnect: [tagId] }],
      stage: ['draft', 'review', 'ready', 'ready', 'ready', null],
    };
    return this.pick(values[name] ?? []);
  }

  private data(): object {
    const names = ['title', 'title', 'desk', 'rank', 'part', 'zone', 'tags', 'stage', 'stage'];
    const chosen = Array.from({ length: this.pick([0, 1, 1, 2, 3]) }, () => this.pick(names));
    return Object.fromEntries(chosen.map((name) => [name, this.value(name)]));
  }

  private query(): string {
    return this.pick(['', 'locale=fr', 'status=draft', 'status=draft', 'locale=fr&status=draft']);
  }

  private item(): object {
    const action = this.pick(['create', 'update', 'update', 'publish', 'unpublish', 'discard', 'delete']);
    return {
      action,
      ...(action === 'create' ? {} : { documentId: this.pick(this.stories) }),
      ...(['create', 'update'].includes(action) ? { data: this.data(), status: 'draft' } : {}),
      ...this.pick([{}, { locale: 'fr' }]),
    };
  }

  request(): Asked {
    if (this.stories.length < 4) return { method: 'POST', path: `stories?status=draft`, data: this.data() };
    const one = `stories/${this.pick(this.stories)}`;
    const tagPath = `tags/${this.pick(this.tags)}`;
    const story = this.pick(this.stories);
    const write: () => Asked = () => ({ method: 'PUT', path: `${one}?${this.query()}`, data: this.data() });
    const change = (): string => this.pick(['publish', 'publish', 'unpublish', 'discard']);
    const locale = (): string => this.pick(['', '?locale=fr', '?locale=*']);
    return this.pick<() => Asked>([
      write,
      write,
      write,
      write,
      () => ({ method: 'POST', path: `stories?${this.query()}`, data: this.data() }),
      () => ({ method: 'POST', path: `${one}/actions/${change()}${locale()}` }),
      () => ({ method: 'POST', path: `${one}/actions/${change()}${locale()}` }),
      () => ({ method: 'DELETE', path: `${one}${locale()}` }),
      () => ({ method: 'POST', path: `${one}/actions/restore` }),
      () => ({
        method: 'POST',
        path: `${one}/versions/${1 + Math.floor(this.next() * 200)}/actions/restore`,
      }),
      () => ({ method: 'POST', path: 'stories/bulk', data: [this.item(), this.item()] }),
      () => ({
        method: 'POST',
        path: 'stories/bulk',
        data: { action: this.pick(['publish', 'discard']), filters: { stage: 'ready' } },
      }),
      () => ({
        method: 'PUT',
        path: `${tagPath}${this.pick(['', '?status=draft'])}`,
        data: { stories: this.pick([[], [story], { connect: [story] }, { disconnect: [story] }]) },
      }),
      () => ({ method: 'POST', path: `${tagPath}/actions/${change()}` }),
    ])();
  }
}

describe.each(['express', 'fastify'] as readonly Adapter[])('approvals on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [story, tag],
        components: [part],
        locales: ['en', 'fr'],
        access: { roles: ROLES },
        auth: { strategies: [byHeader] },
        imports: [HistoryModule.forRoot({ sittingMinutes: 0 })],
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  async function send(who: string, { method, path, data }: Asked): Promise<{ status: number; data: any }> {
    const response = await fetch(`${test.url}/api/${path}`, {
      method,
      headers: { 'x-who': who, 'content-type': 'application/json' },
      ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
    });
    const text = await response.text();
    return { status: response.status, data: text === '' ? null : JSON.parse(text).data };
  }

  it('no request makes or publishes content that no caller with the right has approved', async () => {
    const requests = new Requests(adapter === 'express' ? SEED : SEED + 1);
    const approvals = new Approvals();
    for (const name of ['a', 'b', 'c'])
      requests.tags.push(
        (await send('chief', { method: 'POST', path: 'tags', data: { name } })).data.documentId,
      );
    const trail: string[] = [];
    let before = await versionsIn(test);
    let published = 0;
    for (let step = 0; step < STEPS; step += 1) {
      const who = requests.pick(['chief', 'chief', 'writer', 'plain', 'sports', 'limited']);
      const asked = requests.request();
      const { status, data } = await send(who, asked);
      trail.push(`${who} ${asked.method} ${asked.path} ${JSON.stringify(asked.data)}: ${status}`);
      const after = await versionsIn(test);
      const last = trail.slice(-8).join('\n');
      expect([status < 500, last]).toEqual([true, last]);
      if (status >= 400) expect([last, after]).toEqual([last, before]);
      expect([approvals.problem(who, before, after), last]).toEqual([null, last]);
      for (const { documentId } of [data].flat().filter((one) => one?.documentId !== undefined))
        if (asked.path.startsWith('stories') && !requests.stories.includes(documentId))
          requests.stories.push(documentId);
      published += [...after].filter(([key, one]) => one.published && !before.has(key)).length;
      before = after;
    }
    expect(published).toBeGreaterThan(1);
  });
});
