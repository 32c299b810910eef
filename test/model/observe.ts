/** Compares responses with the model, and remembers values that must stay: ids and times. */
import { DEFAULT_LOCALE, LOCALES } from './content.ts';
import type { Client } from './client.ts';
import type { State } from './links.ts';
import { counts, everything, join, uidOf, versionQuery } from './queries.ts';
import { PARTS, type Type, TYPES } from './shape.ts';
import { type Document, type Instance, localeOf, stateOf, versionKey, type World } from './world.ts';

const STATES: readonly State[] = ['draft', 'published'];

/** Seen metadata of a version. */
interface Seen {
  readonly id: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly publishedAt: string | null;
}

/** Versions that a command has written, and those that it has changed. */
export interface Moves {
  readonly written: readonly string[];
  readonly changed: readonly string[];
}

interface View {
  readonly type: Type;
  readonly status: State;
  readonly locale: string;
}

const show = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

export class Observer {
  readonly problems: string[] = [];
  documentsCompared = 0;
  private readonly versions = new Map<string, Seen>();
  private readonly moved = new Set<string>();
  private round = new Map<string, Seen>();
  private readonly instances = new Map<number, { readonly id: number; readonly documentId: string }>();
  private readonly keys = new Map<string, number>();
  private readonly client: Client;
  private readonly world: World;

  constructor(client: Client, world: World) {
    this.client = client;
    this.world = world;
  }

  keyOf = (component: string, id: number): number | undefined => this.keys.get(`${component} ${id}`);
  instanceId = (key: number): number | undefined => this.instances.get(key)?.id;

  private differ(where: string, what: string, found: unknown, expected: unknown): void {
    if (show(found) !== show(expected))
      this.problems.push(`${where}: ${what} is ${show(found)}, expected ${show(expected)}`);
  }

  /**
   * Records the effect of a command, before the next comparison. Versions that are deleted may return as
   * others.
   */
  note({ written, changed }: Moves): void {
    for (const key of [...written, ...changed]) this.moved.add(key);
    const there = this.world.contents();
    for (const key of [...this.versions.keys(), ...this.moved])
      if (!there.has(key)) {
        this.versions.delete(key);
        this.moved.delete(key);
      }
  }

  /**
   * Returns the states and locales of types with documents. A locale without any write looks like a missing
   * locale, so it is read only at the end.
   */
  private views(all: boolean): View[] {
    const present = new Set([...this.world.documents.values()].map(({ type }) => type));
    const locales = LOCALES.filter(
      (locale) => all || locale === DEFAULT_LOCALE || this.world.mentioned.has(locale),
    );
    return [...present].flatMap((type) =>
      STATES.flatMap((status) => locales.map((locale): View => ({ type, status, locale }))),
    );
  }

  /** Reads every document in every state and locale, and compares. */
  async compare(all: boolean): Promise<void> {
    this.round = new Map();
    const views = this.views(all);
    const answers = await Promise.all(views.map((view) => this.read(view)));
    views.forEach((view, i) => this.compareList(view, answers[i] ?? []));
    // All rows that links may target are known only now.
    views.forEach((view, i) => this.compareRows(view, answers[i] ?? []));
    for (const [key, seen] of this.round) this.versions.set(key, seen);
    this.moved.clear();
  }

  /** Remembers the versions of a new document, so that the next command is seen to change them. */
  async meetDocument({ id, type, versions }: Document): Promise<void> {
    const path = type.single ? `/api/${type.path}` : `/api/${type.path}/${id}`;
    const fields = ['createdAt', 'updatedAt', 'publishedAt']
      .map((name, i) => `fields[${i}]=${name}`)
      .join('&');
    for (const [state, locale] of [...versions.keys()].map((key) => key.split(' ') as [State, string])) {
      const query = join(versionQuery(state, type.localized ? locale : null), fields);
      const { body } = await this.client.send({ method: 'GET', path: `${path}${query}` });
      if (body?.data !== undefined && body.data !== null)
        this.versions.set(versionKey(id, state, locale), body.data);
    }
  }

  private async read({ type, status, locale }: View): Promise<any[]> {
    const query = join(
      versionQuery(status, locale),
      everything(type),
      type.single ? '' : 'pagination[pageSize]=100',
    );
    const { status: code, body } = await this.client.send({
      method: 'GET',
      path: `/api/${type.path}${query}`,
    });
    if (type.single && code === 404) return [];
    if (code !== 200)
      this.problems.push(`GET ${type.path} ${status} ${locale} returned ${code}: ${show(body)}`);
    if (code !== 200) return [];
    return type.single ? [body.data] : body.data;
  }

  /** Returns the documents of a type in a state and a locale. */
  private expected({ type, status, locale }: View): Document[] {
    const isThere = ({ id }: Document): boolean =>
      this.world.has(id, stateOf(type, status), localeOf(type, locale));
    return [...this.world.documents.values()].filter((one) => one.type === type && isThere(one));
  }

  private compareList(view: View, found: readonly any[]): void {
    const where = `${view.type.name} ${view.status} ${view.locale}`;
    const expected = this.expected(view);
    const ids = (list: readonly string[]): string[] => [...list].sort();
    this.differ(
      where,
      'the list',
      ids(found.map((one) => one.documentId)),
      ids(expected.map(({ id }) => id)),
    );
    for (const document of expected) {
      const one = found.find(({ documentId }) => documentId === document.id);
      if (one !== undefined) this.compareOne(document, view, one);
      if (one !== undefined) this.compareTimes(document, view, one);
    }
  }

  /** Compares the response to a write; its times are compared when everything is read. */
  answer(document: Document, view: Omit<View, 'type'>, found: any): void {
    this.compareOne(document, { type: document.type, ...view }, found, 'the response of ');
  }

  private compareOne(document: Document, view: View, found: any, prefix = ''): void {
    this.documentsCompared += 1;
    if (typeof found !== 'object' || found === null)
      return this.differ(prefix, document.id, found, 'a document');
    const { type, status, locale } = view;
    const here = localeOf(type, locale);
    const state = stateOf(type, status);
    const where = `${prefix}${document.id} ${status} ${locale}`;
    const values = this.world.values(document, state, here);
    this.differ(where, 'documentId', found.documentId, document.id);
    this.differ(where, 'locale', found.locale, here);
    for (const { attribute } of type.scalars)
      this.differ(where, attribute, found[attribute], values[attribute]);
    for (const side of type.sides) {
      const shown = [found[side.attribute]].flat().flatMap((one) => one?.documentId ?? []);
      this.differ(where, side.attribute, shown, this.world.shown(side, document.id, status, locale));
      if (side.one === Array.isArray(found[side.attribute]))
        this.problems.push(`${where}: ${side.attribute} is ${show(found[side.attribute])}`);
    }
    for (const { attribute, zone } of type.embedded)
      this.compareInstances(
        { where: `${where}: ${attribute}`, zone, status, locale },
        found[attribute] ?? [],
        (values[attribute] ?? []) as readonly Instance[],
      );
    if (type.localized) {
      const others = LOCALES.filter((one) => one !== here && this.world.has(document.id, state, one));
      this.differ(
        where,
        'localizations',
        (found.localizations ?? []).map((one: any) => one.locale).sort(),
        others,
      );
    }
  }

  private compareInstances(
    at: { readonly where: string; readonly zone: boolean; readonly status: State; readonly locale: string },
    found: readonly any[],
    expected: readonly Instance[],
  ): void {
    const { where, zone, status, locale } = at;
    this.differ(where, 'its length', found.length, expected.length);
    expected.forEach(({ key, component, text, links }, i) => {
      const one = found[i];
      if (one === undefined) return;
      const part = PARTS[component] ?? { one: {}, many: {} };
      const shown = (ids: readonly string[]): string[] => this.world.shownInside(ids, status, locale);
      this.differ(`${where}[${i}]`, 'component', zone ? one.__component : component, component);
      this.differ(`${where}[${i}]`, 'text', one.text, text);
      for (const name of [...Object.keys(part.one), ...Object.keys(part.many)]) {
        const targets = [one[name]].flat().flatMap((target) => target?.documentId ?? []);
        this.differ(`${where}[${i}]`, name, targets, shown(links[name] ?? []));
      }
      this.meet(`${where}[${i}]`, key, { component, id: one.id, documentId: one.documentId });
    });
  }

  /** An instance keeps its ids for its lifetime, and no other instance has them (D2). */
  private meet(
    where: string,
    key: number,
    {
      component,
      id,
      documentId,
    }: { readonly component: string; readonly id: number; readonly documentId: string },
  ): void {
    const known = this.instances.get(key);
    if (known !== undefined)
      return this.differ(where, 'its ids', [id, documentId], [known.id, known.documentId]);
    const name = `${component} ${id}`;
    if (this.keys.has(name)) this.problems.push(`${where}: the id ${id} belongs to another instance`);
    this.instances.set(key, { id, documentId });
    this.keys.set(name, key);
  }

  /** Row ids and creation times stay (D18). `updatedAt` changes exactly if the version changes (D21). */
  private compareTimes(document: Document, { type, status, locale }: View, found: any): void {
    const state = stateOf(type, status);
    const key = versionKey(document.id, state, localeOf(type, locale));
    const seen: Seen = {
      id: found.id,
      createdAt: found.createdAt,
      updatedAt: found.updatedAt,
      publishedAt: found.publishedAt,
    };
    const now = this.round.get(key);
    if (now !== undefined) return this.differ(key, 'two reads differ', seen, now);
    this.round.set(key, seen);
    if (state === 'draft') this.differ(key, 'publishedAt', seen.publishedAt, null);
    else if (typeof seen.publishedAt !== 'string')
      this.problems.push(`${key}: publishedAt is ${show(seen.publishedAt)}`);
    const before = this.versions.get(key);
    if (before === undefined) return;
    this.differ(key, 'id', seen.id, before.id);
    this.differ(key, 'createdAt', seen.createdAt, before.createdAt);
    const moved = seen.updatedAt !== before.updatedAt;
    const expected = this.moved.has(key);
    if (moved !== expected)
      this.problems.push(
        `${key}: updatedAt ${moved ? 'changed, although the content did not' : 'did not change'}`,
      );
    if (moved && seen.updatedAt < before.updatedAt) this.problems.push(`${key}: updatedAt went back`);
  }

  /** Populated documents are the version that the status and the locale select. */
  private compareRows({ type, status, locale }: View, found: readonly any[]): void {
    for (const one of found)
      for (const { attribute, targets } of type.sides) {
        for (const shown of [one[attribute]].flat()) {
          if (shown === null || shown === undefined) continue;
          const of = ({ name }: Type): boolean => targets.length === 1 || uidOf(name) === shown.__type;
          const target = TYPES.find((other) => targets.includes(other.name) && of(other));
          if (target === undefined) continue;
          const row = this.round.get(
            versionKey(shown.documentId, stateOf(target, status), localeOf(target, locale)),
          );
          this.differ(`${one.documentId} ${status} ${locale}`, `the row of ${attribute}`, shown.id, row?.id);
        }
      }
  }

  /** `[count]` of every to-many, and every `publicationFilter`. */
  async compareMore(): Promise<void> {
    const views = this.views(false);
    await Promise.all(views.map((view) => this.compareCounts(view)));
    const filtered = views.filter(({ type }) => type.drafts && !type.single);
    const [first] = filtered;
    const filtersOf = (view: View): string[] =>
      Object.keys(FILTERS).filter((name) => CONTENT_FILTERS.includes(name) || view.type === first?.type);
    await Promise.all(
      filtered.flatMap((view) => filtersOf(view).map((name) => this.compareFilter(view, name))),
    );
  }

  private async compareCounts(view: View): Promise<void> {
    const { type, status, locale } = view;
    const page = type.single ? '' : 'pagination[pageSize]=100';
    const query = join(versionQuery(status, locale), counts(type), page);
    const { body } = await this.client.send({ method: 'GET', path: `/api/${type.path}${query}` });
    const found: any[] = [body?.data ?? []].flat();
    for (const document of this.expected(view)) {
      const one = found.find(({ documentId }) => documentId === document.id);
      for (const side of type.sides)
        if (!side.one) {
          const expected = this.world.shown(side, document.id, status, locale).length;
          this.differ(
            `${document.id} ${status} ${locale}`,
            `[count] of ${side.attribute}`,
            one?.[side.attribute]?.count,
            expected,
          );
        }
    }
  }

  private async compareFilter(view: View, name: string): Promise<void> {
    const { type, status, locale } = view;
    const filter = `publicationFilter=${name}`;
    const query = join(
      versionQuery(status, locale),
      filter,
      'fields[0]=documentId',
      'pagination[pageSize]=100',
    );
    const { body } = await this.client.send({ method: 'GET', path: `/api/${type.path}${query}` });
    const found: string[] = (body?.data ?? []).map((one: any) => one.documentId);
    const here = localeOf(type, locale);
    const isMeant = (document: Document): boolean =>
      FILTERS[name]?.(this.world, { document, status, locale: here }) === true;
    const expected = this.expected(view).filter(isMeant);
    this.differ(
      `${type.name} ${status} ${locale}`,
      filter,
      found.sort(),
      expected.map(({ id }) => id).sort(),
    );
  }
}

/** Filters that depend on content; the others are compared for one type. */
const CONTENT_FILTERS = ['modified', 'unmodified'];

interface Version {
  readonly document: Document;
  readonly status: State;
  readonly locale: string;
}

const inBoth = (world: World, { document: { id }, locale }: Version): boolean =>
  world.has(id, 'draft', locale) && world.has(id, 'published', locale);

const somewhere = (world: World, { document: { id } }: Version): boolean =>
  LOCALES.some((locale) => world.has(id, 'published', locale));

/** Whether draft and published version differ in content (D21). */
const isModified = (world: World, { document, locale }: Version): boolean =>
  world.content(document, 'draft', locale) !== world.content(document, 'published', locale);

/** Meaning of each `publicationFilter` (8.18). */
const FILTERS: Readonly<Record<string, (world: World, version: Version) => boolean>> = {
  modified: (world, one) => inBoth(world, one) && isModified(world, one),
  unmodified: (world, one) => inBoth(world, one) && !isModified(world, one),
  'never-published': (world, { document, locale }) => !world.has(document.id, 'published', locale),
  'has-published-version': (world, { document, locale }) => world.has(document.id, 'published', locale),
  'never-published-document': (world, one) => !somewhere(world, one),
  'has-published-version-document': somewhere,
  'published-with-draft': (world, one) => one.status === 'published' && inBoth(world, one),
  'published-without-draft': () => false,
};
