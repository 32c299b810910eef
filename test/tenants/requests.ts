/** Random requests of a tenant, which name documents of both tenants in every place of the contract. */
import { OWNED, uid } from './model.ts';

/** Document ids by type: of the caller, of the other tenant, and of all tenants. */
export interface Known {
  readonly own: Readonly<Record<string, readonly string[]>>;
  readonly other: Readonly<Record<string, readonly string[]>>;
  readonly shared: Readonly<Record<string, readonly string[]>>;
  readonly files: readonly string[];
  /** Ids of stored versions by document id. */
  readonly versions: Readonly<Record<string, readonly string[]>>;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Path whose ETag is sent as a precondition. */
  readonly tagOf?: string;
  /** Key of a request that may be repeated. */
  readonly key?: string;
}

/** Stands for the document that an earlier request of the run created. */
const created = (n: number): string => `<created ${n}>`;

const RELATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  article: {
    organisation: 'organisation',
    next: 'article',
    previous: 'article',
    similar: 'article',
    tags: 'tag',
    topics: 'topic',
    about: 'article',
  },
  tag: { organisation: 'organisation', articles: 'article', about: 'article' },
  topic: { articles: 'article', lead: 'article' },
  organisation: { articles: 'article', tags: 'tag' },
};
const TO_ONE = ['organisation', 'next', 'lead'];
const TEXT: Readonly<Record<string, string>> = {
  article: 'title',
  tag: 'name',
  topic: 'name',
  organisation: 'name',
};
const PLURAL = (type: string): string => `${type}s`;
/** Highest row id of the filled database, approximately. */
const ROWS = 60;
/** Offset of row ids of the other tenant in the second world. */
export const SHIFT = 100_000;

export class Requests {
  private readonly next: () => number;
  private readonly known: Known;
  private readonly count: () => number;

  /** `count` returns the number of documents that the run has created. */
  constructor(next: () => number, known: Known, count: () => number) {
    this.next = next;
    this.known = known;
    this.count = count;
  }

  private pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)] as T;
  }

  private chance(percent: number): boolean {
    return this.next() * 100 < percent;
  }

  private type(): string {
    return this.pick(['article', 'article', 'article', 'tag', 'topic', 'organisation']);
  }

  private id(type: string): string {
    const { own, other, shared } = this.known;
    const roll = this.next();
    if (roll < 0.1 && this.count() > 0) return created(Math.floor(this.next() * this.count()));
    if (roll < 0.15) return 'abcdefghijklmnopqrstuvwx';
    const all = shared[type];
    if (all !== undefined) return this.pick(all);
    return this.pick((roll < 0.55 ? own[type] : other[type]) ?? ['none']);
  }

  private reference(type: string): unknown {
    const row = 1 + Math.floor(this.next() * ROWS);
    return this.chance(75)
      ? this.id(type)
      : this.pick<unknown>([row, String(row), row + SHIFT, { id: row }, { documentId: this.id(type) }]);
  }

  private links(type: string, toOne: boolean): unknown {
    const [one, other] = [this.reference(type), this.reference(type)];
    if (toOne && this.chance(60)) return this.pick([one, null, { connect: [one] }, { set: [one] }]);
    return this.pick<unknown>([
      { connect: [one] },
      { connect: [one, other] },
      { disconnect: [one] },
      { set: [one, other] },
      [one, other],
      [],
      { connect: [{ documentId: this.id(type), position: { before: this.id(type) } }] },
      { connect: [{ documentId: this.id(type), locale: 'fr' }] },
    ]);
  }

  private morph(many: boolean): unknown {
    const one = (): unknown => {
      const type = this.pick(['article', 'tag', 'topic']);
      return { __type: uid(type), documentId: this.id(type) };
    };
    if (!many) return this.pick([one(), null]);
    return this.pick<unknown>([
      [one()],
      [one(), one()],
      { connect: [one()] },
      { disconnect: [one()] },
      { set: [one()] },
    ]);
  }

  private part(): Record<string, unknown> {
    return this.pick<() => Record<string, unknown>>([
      () => ({ text: 'new part' }),
      () => ({ article: this.links('article', true) }),
      () => ({ articles: this.links('article', false) }),
      () => ({ about: this.morph(false) }),
      () => ({ image: this.pick(this.known.files) }),
      () => ({ id: 1 + Math.floor(this.next() * ROWS), text: 'changed part' }),
    ])();
  }

  private entry(type: string): [string, unknown] {
    const relations = Object.keys(RELATIONS[type] ?? {});
    if (this.chance(30)) return [TEXT[type] ?? '', this.pick(['new text', 'alpha', 'beta', null])];
    if (type === 'article' && this.chance(35))
      return this.pick<() => [string, unknown]>([
        () => ['rank', this.pick([1, 2, 3])],
        () => ['stage', this.pick(['ready', 'draft', null])],
        () => ['stage', 'ready'],
        () => ['subject', this.morph(false)],
        () => ['subjects', this.morph(true)],
        () => ['part', this.pick([this.part(), null])],
        () => ['zone', [{ __component: 'tenant.part', ...this.part() }]],
        () => ['cover', this.pick([...this.known.files, null])],
      ])();
    const name = this.pick(relations);
    return [name, this.links(RELATIONS[type]?.[name] ?? '', TO_ONE.includes(name))];
  }

  private data(type: string): Record<string, unknown> {
    const size = this.pick([0, 1, 1, 2, 3]);
    return Object.fromEntries(Array.from({ length: size }, () => this.entry(type)));
  }

  /** A key of brackets that follows relations, and the type that it reaches. */
  private walk(type: string, depth: number): { readonly keys: string; readonly type: string } {
    if (depth === 0 || this.chance(40)) return { keys: '', type };
    if (type === 'article' && this.chance(15)) {
      const name = this.pick(['article', 'articles']);
      const rest = this.walk('article', depth - 1);
      return { keys: `[part][${name}]${rest.keys}`, type: rest.type };
    }
    const name = this.pick(Object.keys(RELATIONS[type] ?? {}));
    const rest = this.walk(RELATIONS[type]?.[name] ?? '', depth - 1);
    return { keys: `[${name}]${rest.keys}`, type: rest.type };
  }

  private condition(type: string): string {
    const { keys, type: reached } = this.walk(type, 3);
    const not = this.pick(['', '', '[$not]', '[$or][0]', '[$and][0]']);
    return this.pick([
      () => `${not}${keys}[${TEXT[reached] ?? ''}][$contains]=${this.pick(['alpha', 'beta', 'gamma', 'a'])}`,
      () => `${not}${keys}[documentId][$eq]=${this.id(reached)}`,
      () => `${not}${keys}[documentId][$notIn][0]=${this.id(reached)}`,
      () => `${not}${keys}[documentId][$null]=${this.pick(['true', 'false'])}`,
      () => `${not}${keys}[id][$gt]=${this.pick(['0', '30', '90000'])}`,
      () => `${not}${keys}[${TEXT[reached] ?? ''}][$gte]=b`,
      () => (keys === '' ? '[id][$notNull]=true' : `${not}${keys}${this.ownOperator(reached)}`),
    ])();
  }

  /** Operator on a relation itself, or on `localizations`. */
  private ownOperator(type: string): string {
    const row = 1 + Math.floor(this.next() * ROWS);
    return this.pick([
      `[$null]=${this.pick(['true', 'false'])}`,
      `[$in][0]=${this.id(type)}&filters[id][$in][0]=${row}`,
      `[$notIn][0]=${row + SHIFT}`,
      `=${this.id(type)}`,
      `[id]=${row}`,
    ]);
  }

  /** Keys of populate that only some attributes have. */
  private special(): string {
    const type = this.pick(['article', 'tag', 'topic']);
    const on = `[on][${uid(type)}]`;
    const inside = this.pick([
      '=true',
      `[populate]=*`,
      `[filters]${this.condition(type)}`,
      `[fields]=${TEXT[type] ?? ''}`,
    ]);
    return this.pick([
      `populate[subjects]${on}${inside}`,
      `populate[subject]${on}${inside}`,
      'populate[subjects][count]=true',
      'populate[about][count]=true',
      'populate[localizations]=true',
      'populate[localizations][populate]=*',
      `populate[localizations][filters]${this.condition('article')}`,
      `populate[zone][on][tenant.part]${this.pick(['=true', '[populate]=*', '[populate][articles]=true'])}`,
      'populate[part][populate]=*',
      `populate[part][populate][articles][filters]${this.condition('article')}`,
      'populate[cover]=true',
      'populate[cover][populate]=*',
    ]);
  }

  /** Parameters about versions. */
  private version(): string {
    const filter = this.pick([
      ...['never-published', 'never-published-document', 'has-published-version'],
      ...['has-published-version-document', 'modified', 'unmodified'],
      ...['published-without-draft', 'published-with-draft'],
    ]);
    return this.pick([
      `publicationFilter=${filter}`,
      `status=draft&publicationFilter=${filter}`,
      `locale=*&publicationFilter=${filter}`,
      `hasPublishedVersion=${this.pick(['true', 'false'])}`,
      `locale=fr&fallbackLocale=${this.pick(['en', 'fr', 'en,fr', 'false'])}`,
      'locale=fr&fallbackLocale=en&status=draft',
      `locale=fr&fallbackLocale=en&sort=${TEXT['article'] ?? ''}`,
      'locale=*&withState=true&status=draft',
    ]);
  }

  private populate(type: string): string {
    const { keys, type: reached } = this.walk(type, 3);
    const path = keys.replaceAll('][', '][populate][');
    if (path === '')
      return this.pick(['populate=*', 'populate[0]=subjects&populate[1]=subject', 'populate=*']);
    return this.pick([
      () => `populate${path}=true`,
      () => `populate${path}[populate]=*`,
      () => `populate${path}[count]=true`,
      () => `populate${path}[filters]${this.condition(reached)}`,
      () => `populate${path}[sort]=${TEXT[reached] ?? ''}&populate${path}[pagination][limit]=1`,
    ])();
  }

  private query(type: string): string {
    const part = (): string =>
      this.pick([
        () => `filters${this.condition(type)}`,
        () => `filters${this.condition(type)}`,
        () => this.populate(type),
        () => this.populate(type),
        () => this.version(),
        () => this.special(),
        () => `sort=${this.walk(type, 2).keys.replaceAll('][', '.').replace(/[[\]]/g, '') || 'id'}`,
        () => `sort=${this.sortKey(type)}:${this.pick(['asc', 'desc'])}`,
        () => `_q=${this.pick(['alpha', 'beta', 'gamma'])}`,
        () => `status=${this.pick(['draft', 'published'])}`,
        () => `locale=${this.pick(['en', 'fr', '*'])}`,
        () => `pagination[pageSize]=${this.pick(['1', '2', '50'])}&pagination[page]=${this.pick(['1', '2'])}`,
        () => 'withState=true',
        () => `fields=${TEXT[type] ?? ''}`,
      ])();
    return Array.from({ length: this.pick([0, 1, 1, 2, 3]) }, part).join('&');
  }

  private sortKey(type: string): string {
    const { keys, type: reached } = this.walk(type, 2);
    return [...keys.matchAll(/\[(\w+)\]/g)]
      .map(([, name]) => name)
      .concat(TEXT[reached] ?? '')
      .join('.');
  }

  private read(): Asked {
    const type = this.type();
    const base = this.chance(60) ? PLURAL(type) : `${PLURAL(type)}/${this.id(type)}`;
    if (this.chance(2)) return { method: 'GET', path: 'openapi.json' };
    return { method: 'GET', path: `${base}?${this.query(type)}` };
  }

  private write(): Asked {
    const type = this.type();
    const method = this.pick(['PUT', 'PUT', 'PUT', 'POST', 'DELETE']);
    const base = method === 'POST' ? PLURAL(type) : `${PLURAL(type)}/${this.id(type)}`;
    const query = this.pick([
      '',
      'status=draft',
      'populate=*',
      'locale=fr',
      'status=draft&locale=fr',
      'withState=true',
    ]);
    const tagOf = method !== 'POST' && this.chance(20) ? { tagOf: base } : {};
    const path = `${base}?${query}`;
    return method === 'DELETE'
      ? { method, path, ...tagOf }
      : { method, path, body: { data: this.data(type) }, ...tagOf };
  }

  private transition(): Asked {
    const base = `articles/${this.id('article')}/actions`;
    const path = `${base}/${this.pick(['publish', 'unpublish', 'discard'])}${this.pick(['', '?locale=*', '?locale=fr'])}`;
    const at = { data: { publishAt: '2999-01-01T00:00:00.000Z' } };
    return this.pick<Asked>([
      { method: 'POST', path },
      { method: 'POST', path },
      { method: 'PUT', path: `${base}/schedule`, body: at },
      { method: 'GET', path: `${base}/schedule` },
      { method: 'DELETE', path: `${base}/schedule` },
    ]);
  }

  private item(type: string): object {
    const action = this.pick(['create', 'update', 'update', 'delete', 'publish', 'unpublish', 'discard']);
    return {
      action,
      ...(action === 'create' ? {} : { documentId: this.id(type) }),
      ...(['create', 'update'].includes(action) ? { data: this.data(type) } : {}),
      ...(this.chance(20) ? { status: 'draft' } : {}),
    };
  }

  private bulk(): Asked {
    const type = this.pick(['article', 'article', 'tag', 'topic']);
    const path = `${PLURAL(type)}/bulk${this.pick(['', '?populate=*', '?locale=*'])}`;
    if (this.chance(60)) {
      const data = Array.from({ length: this.pick([1, 2, 3]) }, () => this.item(type));
      return { method: 'POST', path, body: { data, atomic: this.chance(50) } };
    }
    const text = TEXT[type] ?? '';
    const filters = this.pick<object>([
      { [text]: { $contains: 'a' } },
      { organisation: { name: { $contains: 'beta' } } },
      { documentId: { $in: [this.id(type), this.id(type)] } },
    ]);
    const action = this.pick(['update', 'delete', 'publish', 'unpublish', 'discard']);
    const data = { action, filters, ...(action === 'update' ? { data: this.data(type) } : {}) };
    return { method: 'POST', path, body: { data, dryRun: this.chance(50) } };
  }

  private past(): Asked {
    const type = this.pick(OWNED);
    const id = this.id(type);
    const base = `${PLURAL(type)}/${id}`;
    const some = (): string => this.pick(this.known.versions[this.chance(90) ? id : this.id(type)] ?? ['1']);
    const version = some();
    return this.pick<Asked>([
      { method: 'GET', path: `${base}/versions` },
      { method: 'GET', path: `${base}/versions?status=published&locale=en&pagination[pageSize]=1` },
      { method: 'GET', path: `${base}/versions/${version}` },
      { method: 'GET', path: `${base}/versions/${version}/changes` },
      { method: 'GET', path: `${base}/versions/${version}/changes?with=${some()}` },
      { method: 'GET', path: `${base}/versions/${version}/changes?with=${some()}` },
      { method: 'POST', path: `${base}/versions/${version}/actions/restore` },
      { method: 'GET', path: `${PLURAL(type)}/trash` },
      { method: 'GET', path: `${PLURAL(type)}/trash?documentId=${id}` },
      { method: 'POST', path: `${base}/actions/restore` },
    ]);
  }

  private release(): Asked {
    const base = `releases/${this.pick([1, 2, 2, 3, 4, 4, 5])}`;
    const entry = (): object => ({
      type: this.pick(['article', 'article', 'tag']),
      documentId: this.id('article'),
      ...(this.chance(80) ? { locale: this.pick(['en', 'fr', '*']) } : {}),
      ...(this.chance(50) ? { action: this.pick(['publish', 'unpublish']) } : {}),
    });
    const row = (): string => String(this.pick([1, 2, 11, 12, 13, 14, 21, 22]));
    const at = this.pick(['2999-01-01T00:00:00.000Z', null]);
    return this.pick<() => Asked>([
      () => ({ method: 'GET', path: `releases?${this.pick(['', 'sort=size', 'filters[size][$gt]=1'])}` }),
      () => ({ method: 'GET', path: base }),
      () => ({ method: 'POST', path: 'releases', body: { data: { name: 'new' } } }),
      () => ({ method: 'PUT', path: base, body: { data: { at } } }),
      () => ({ method: 'DELETE', path: base }),
      () => ({ method: 'POST', path: `${base}/entries`, body: { data: [entry(), entry()] } }),
      () => ({ method: 'POST', path: `${base}/entries`, body: { data: entry() } }),
      () => ({ method: 'DELETE', path: `${base}/entries/${row()}` }),
      () => ({ method: 'POST', path: `${base}/actions/remove`, body: { data: { entries: [row(), row()] } } }),
      () => ({ method: 'POST', path: `${base}/actions/publish`, body: { data: { dryRun: true } } }),
      () => ({ method: 'POST', path: `${base}/actions/publish` }),
      () => ({ method: 'POST', path: `${base}/actions/undo`, body: { data: { dryRun: true } } }),
      () => ({ method: 'POST', path: `${base}/actions/undo` }),
    ])();
  }

  request(): Asked {
    const asked = this.asked();
    if (asked.method === 'GET' || !this.chance(8)) return asked;
    return { ...asked, key: this.pick(['one', 'two', 'three']) };
  }

  private asked(): Asked {
    const roll = this.next();
    if (roll < 0.37) return this.read();
    if (roll < 0.66) return this.write();
    if (roll < 0.75) return this.transition();
    if (roll < 0.82) return this.release();
    return roll < 0.92 ? this.bulk() : this.past();
  }
}
