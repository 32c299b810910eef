/** Requests that the desk sends: parts of lists, questions before bulk actions, and saves of a language. */
import { registerHooks } from 'node:module';
import { FormStore } from '../../../desk/src/form/store.ts';
import { newValues } from '../../../desk/src/form/values.ts';
import type { Attribute, Type } from '../../../desk/src/model/model.ts';
import { readState } from '../../../desk/src/model/list-query.ts';
import { MODEL } from './model.ts';

// The parts of a page that modules of the desk need when they are loaded.
const page = globalThis as any;
const { document, BroadcastChannel, fetch } = page;
const settings = JSON.stringify({ base: '/desk', api: '/api', session: false, signIn: null });
page.document = { getElementById: () => ({ textContent: settings }) };
page.BroadcastChannel = class {
  addEventListener(): void {}
};
// Their types would add those of a browser to the server.
const load = (name: string): Promise<any> => import(`../../../desk/src/${name}.ts`);
const { readRows } = await load('api/read-rows');
const { mayMatch, tagAll, VERBS, writeMany } = await load('editor/bulk');
const { nextWrite } = await load('editor/next-write');
const { pauseOf } = await load('editor/schedule');
const { Slugs } = await load('editor/slugs');
const { sendForm } = await load('api/send-form');
Object.assign(page, { document, BroadcastChannel });

type Respond = (query: URLSearchParams, path: string) => object | null;

/** Requests since the last call: the query of a read, the body of a write. */
const sent: unknown[] = [];

/** Responds to the requests of the desk, with a 404 for null. */
function serve(respond: Respond): void {
  page.fetch = (address: string, { body }: { readonly body?: string }) => {
    const { searchParams, pathname } = new URL(address, 'http://desk.test');
    sent.push(body === undefined ? Object.fromEntries(searchParams) : JSON.parse(body));
    const found = respond(searchParams, pathname);
    return Promise.resolve(new Response(JSON.stringify(found ?? {}), { status: found === null ? 404 : 200 }));
  };
}

afterEach(() => {
  sent.length = 0;
  page.fetch = fetch;
});

const attributeOf = (rest: Partial<Attribute>): Attribute => ({
  name: 'title',
  type: 'string',
  label: 'Title',
  required: false,
  localized: true,
  actions: ['find', 'findOne', 'create', 'update'],
  ...rest,
});
const TYPE: Type = {
  ...(MODEL.type('article') as Type),
  localized: true,
  verbs: { find: 'all', findOne: 'all', update: 'all', readDrafts: 'all' },
  attributes: [
    attributeOf({}),
    attributeOf({ name: 'lead', type: 'text' }),
    attributeOf({ name: 'slug', type: 'uid', targetField: 'title', generate: true }),
  ],
};

describe('rows of a list', () => {
  const serveRows = (count: number, maxLimit: number): void =>
    serve((query) => {
      const [start, asked] = ['start', 'limit'].map((name) => Number(query.get(`pagination[${name}]`)));
      const limit = Math.min(asked ?? 0, maxLimit);
      const rows = Array.from({ length: count }, (_, at) => at).slice(start, (start ?? 0) + limit);
      return { data: rows, meta: { pagination: { start, limit } } };
    });
  const rows = (start: number, end: number): readonly number[] =>
    Array.from({ length: end - start }, (_, at) => start + at);

  it.each([
    ['all, by requests of 100', 100, 0, Infinity, rows(0, 250), 3],
    ['all, from a server that returns at most 30', 30, 0, Infinity, rows(0, 250), 9],
    ['a range, from a server that returns at most 30', 30, 10, 100, rows(10, 100), 3],
    ['a range by one request', 100, 9, 21, rows(9, 21), 1],
    ['a range beyond the end', 100, 240, 300, rows(240, 250), 1],
  ])('are %s', async (_name, maxLimit, start, end, expected, requests) => {
    serveRows(250, maxLimit);
    expect(await readRows('/api/articles', {}, { start, end })).toEqual(expected);
    expect(sent).toHaveLength(requests);
  });
});

describe('a question before a bulk action', () => {
  const seen = ['both', 'english', 'changed', 'gone'].map((documentId) => ({
    documentId,
    title: documentId,
    updatedAt: 'then',
  }));
  const found: Readonly<Record<string, object>> = {
    both: { locale: 'fr', updatedAt: 'then' },
    english: { locale: 'en', updatedAt: 'then' },
    changed: { locale: 'fr', updatedAt: 'now' },
  };
  const tagsFor = async (verb: string): Promise<readonly any[]> => {
    serve((_query, path) => {
      const data = found[path.split('/').at(-1) ?? ''];
      return data === undefined ? null : { data };
    });
    return tagAll(seen, { type: TYPE, locale: 'fr', verb, model: MODEL, findsGaps: false });
  };

  it('tells documents without the language of the list from deleted ones, and leaves them out', async () => {
    const tagged = await tagsFor('publish');
    expect(tagged.map(({ since }) => since)).toEqual([null, 'absent', 'changed', 'deleted']);
    expect(sent[0]).toMatchObject({ status: 'draft', locale: 'fr', fallbackLocale: 'en' });
    sent.length = 0;
    serve(() => ({ meta: { done: 2, errors: [{ index: 2, documentId: 'gone', error: { status: 404 } }] } }));
    const { titles, failures } = await writeMany('publish', tagged, { type: TYPE, locale: 'fr' });
    expect(sent).toMatchObject([{ data: ['both', 'changed', 'gone'].map((documentId) => ({ documentId })) }]);
    expect(titles).toEqual(['both', 'changed']);
    expect(failures).toMatchObject([{ title: 'gone' }]);
  });

  it('finds documents that are deleted in all their languages', async () => {
    const tagged = await tagsFor('delete');
    expect(tagged.map(({ since }) => since)).toEqual([null, null, 'changed', 'deleted']);
  });

  it.each([403, 429, 503])('fails if the version of a document is refused with %i', async (status) => {
    page.fetch = () => Promise.resolve(new Response('{}', { status }));
    const reading = { type: TYPE, locale: 'fr', verb: 'publish', model: MODEL, findsGaps: false };
    await expect(tagAll(seen, reading)).rejects.toMatchObject({ status });
  });
});

describe('a bulk action on all that match', () => {
  const article: Type = {
    ...TYPE,
    localized: false,
    verbs: { find: 'all', readDrafts: 'all', publish: 'all', unpublish: 'all', delete: 'all' },
  };
  const plain: Type = { ...article, draftAndPublish: false, verbs: { find: 'all', delete: 'all' } };
  const reader: Type = { ...article, verbs: { find: 'all', publish: 'all', unpublish: 'all' } };
  const offered = (type: Type, address: string): readonly string[] => {
    const state = readState(new URLSearchParams(address), { type, model: MODEL });
    return VERBS.filter((verb: string) => mayMatch(verb, type, state));
  };

  it.each<[name: string, type: Type, address: string, verbs: readonly string[]]>([
    ['all actions on all documents', article, '', ['publish', 'unpublish', 'delete']],
    ['no unpublishing of drafts that a search finds', article, 'q=sea', ['publish', 'delete']],
    ['no unpublishing of filtered drafts', article, 'filter=lead $null', ['publish', 'delete']],
    ['only unpublishing of published versions', article, 'filter=publishedAt $eq 2026-03-29', ['unpublish']],
    ['only unpublishing to those who cannot read drafts', reader, 'q=sea', ['unpublish']],
    ['nothing for a filter by status', article, 'filter=status $eq modified', []],
    ['no deletion in one of several languages', { ...article, localized: true }, 'q=sea', ['publish']],
    ['the deletion of documents without drafts', plain, 'q=sea', ['delete']],
  ])('offers %s', (_name, type, address, verbs) => {
    expect(offered(type, address)).toEqual(verbs);
  });
});

describe('an upload', () => {
  afterEach(() => delete page.XMLHttpRequest);

  it('is not sent if it was cancelled while the session was renewed', async () => {
    page.XMLHttpRequest = class {
      readonly upload = {};
      open(): void {}
      setRequestHeader(): void {}
      abort(): void {}
      send(): void {
        sent.push('form');
      }
    };
    const cancelling = new AbortController();
    const upload = sendForm('/api/upload', new FormData(), { signal: cancelling.signal });
    cancelling.abort();
    await expect(upload).rejects.toThrow();
    expect(sent).toEqual([]);
  });
});

describe('times to publish and unpublish', () => {
  const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

  it('are read again when the next one is due, and every ten seconds until it is gone', () => {
    expect(pauseOf({ publishAt: null, unpublishAt: null })).toBe(false);
    const pause = pauseOf({ publishAt: inSeconds(1800), unpublishAt: inSeconds(5400) });
    expect(Math.round(pause / 60_000)).toBe(30);
    expect(pauseOf({ publishAt: inSeconds(-5), unpublishAt: inSeconds(5400) })).toBe(10_000);
    expect(pauseOf({ publishAt: inSeconds(1e9), unpublishAt: null })).toBe(3_600_000);
  });
});

describe('a language that is missing', () => {
  const next = (change: object): any => {
    const base = newValues(TYPE);
    const store = new FormStore(base, { ...base, ...change });
    const size = { within: (data: object) => data };
    return nextWrite({ model: MODEL, type: TYPE, store, isNew: false, size }, null);
  };

  it('is not written as long as nothing is typed', () => {
    expect(next({})).toBeNull();
    expect(next({ title: '' })).toBeNull();
  });

  it('gets no slug while it has no title', () => {
    expect(next({ title: 'Ports' })?.body).toEqual({ data: { title: 'Ports' } });
    expect(next({ lead: 'Of ships.' })?.body).toEqual({ data: { lead: 'Of ships.', slug: null } });
  });
});

describe('a write after the server has refused a larger one', () => {
  const namesIn = (type: Type): readonly string[] => {
    const base = newValues(type);
    const store = new FormStore(base, { ...base, title: 'Ports', lead: 'Of ships.' });
    const size = { within: ({ title }: any) => ({ title }) };
    return Object.keys(nextWrite({ model: MODEL, type, store, isNew: false, size }, '"1"').body.data);
  };

  it('has a part of the changes of a draft, and all changes of a document without drafts', () => {
    expect(namesIn(TYPE)).toEqual(['title']);
    expect(namesIn({ ...TYPE, draftAndPublish: false })).toEqual(['title', 'lead']);
  });
});

describe('a slug of a draft without a title', () => {
  it('is made by the next save if its code was not loaded, and its field says so until then', async () => {
    const base = newValues(TYPE);
    const store = new FormStore(base);
    const slugs = new Slugs({ model: MODEL, place: { type: TYPE, documentId: 'a', locale: 'en' }, store });
    slugs.watch();
    store.set('title', 'Sea Ports');
    const hooks = registerHooks({
      resolve: (name, context, next) => {
        if (name === '@sindresorhus/slugify') throw new Error('Failed to fetch');
        return next(name, context);
      },
    });
    await slugs.fill(null).finally(() => hooks.deregister());
    expect(store.problemAt('slug')).toBe('The server cannot be reached');
    // The title is stored in the meantime.
    store.rebase({ ...base, title: 'Sea Ports' }, store.values);
    store.dropSolved();
    serve(() => ({ data: [] }));
    await slugs.fill(null);
    expect(store.get('slug')).toBe('sea-ports');
    expect(store.problemPaths).toEqual([]);
  });
});
