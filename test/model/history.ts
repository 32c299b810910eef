/**
 * Stored versions against the model. A write stores each version that it changes. Before that it stores the
 * versions that writes of other documents have changed. Stored versions never change.
 */
import { isDeepStrictEqual } from 'node:util';
import type { RunSql } from '../faults/picture.ts';
import type { Body } from './body.ts';
import type { Client, Request } from './client.ts';
import { LOCALES } from './content.ts';
import type { State } from './links.ts';
import { PARTS, STAGE, typeNamed } from './shape.ts';
import { type Document, type Instance, type Snapshot, versionKey, type World } from './world.ts';

/** Content of all versions before a command. */
export interface Taken {
  readonly contents: Map<string, string>;
  readonly snapshots: ReadonlyMap<string, Snapshot>;
}

interface StoredVersion {
  readonly id: string;
  readonly type: string;
  readonly documentId: string;
  readonly state: State;
  readonly locale: string;
  readonly hash: string;
  /** Content of the model; null for a deleted version. */
  readonly content: Snapshot | null;
  /** Content of the row, if later steps of the same request have changed that of the model. */
  readonly stored?: unknown;
}

/** Stored version that is not a deletion. */
type Contained = StoredVersion & { readonly content: Snapshot };

interface Tools {
  readonly client: Client;
  readonly sql: RunSql;
  readonly problems: string[];
  /** Returns the key of an instance in the model; undefined if it has met none with this id. */
  readonly keyOf: (component: string, id: number) => number | undefined;
}

type Row = Readonly<Record<string, any>>;

const versionOf = ({ document_id: id, published, locale }: Row): string =>
  versionKey(id, published === true ? 'published' : 'draft', locale);

/** Request that restores content, and its effect on the model. */
export interface Restoring {
  readonly request: Request;
  readonly statuses: readonly number[];
  readonly apply: () => string[];
}

/** Number of versions of each document, and of deleted documents, that a sequence restores. */
const RESTORED = 3;

const listed = (value: unknown): readonly any[] => [value].flat().filter((one) => one !== null);

/** Returns the document id of a link: stored as `id` or `type:id`, shown as an object. */
const idIn = (link: any): string =>
  typeof link === 'string' ? (link.split(':').at(-1) ?? '') : link.documentId;

const linksIn = (value: unknown): string[] => listed(value ?? []).map(idIn);

const textIn = (instance: any): unknown => instance.text ?? null;

/** Returns the same form of a content of the model, of the table and of a response. */
function shapeOf(content: any, type: Document['type']): object {
  const scalars = type.scalars.map(({ attribute }): [string, unknown] => [
    attribute,
    content[attribute] ?? null,
  ]);
  const embedded = type.embedded.map(({ attribute }): [string, unknown] => [
    attribute,
    listed(content[attribute] ?? []).map((one) => ({
      text: textIn(one),
      ...Object.fromEntries(
        ['topic', 'people', 'stories'].map((name) => [name, linksIn(one.links?.[name] ?? one[name])]),
      ),
    })),
  ]);
  const links = type.sides.flatMap(({ attribute, own }): [string, unknown][] =>
    own ? [[attribute, linksIn(content[attribute])]] : [],
  );
  return Object.fromEntries([...scalars, ...embedded, ...links]);
}

const modelled = ({ values, links }: Snapshot, type: Document['type']): object =>
  shapeOf({ ...values, ...links }, type);

/** Key that no instance has. */
const NO_KEY = 0;

/** Returns the content of a row as one of the model. */
function snapshotOf(stored: any, type: Document['type'], keyOf: Tools['keyOf']): Snapshot {
  const scalars = type.scalars.map(({ attribute }): [string, any] => [attribute, stored[attribute] ?? null]);
  const embedded = type.embedded.map(({ attribute, components }): [string, Instance[]] => [
    attribute,
    listed(stored[attribute] ?? []).map((one) => {
      const component = one.__component ?? components[0];
      const { one: single = {}, many = {} } = PARTS[component] ?? {};
      const names = Object.keys({ ...single, ...many });
      const links = Object.fromEntries(names.map((name) => [name, linksIn(one[name])]));
      return {
        key: keyOf(component, one.id) ?? NO_KEY,
        component,
        text: textIn(one) as string | null,
        links,
      };
    }),
  ]);
  const own = type.sides.filter((side) => side.own);
  return {
    values: Object.fromEntries([...scalars, ...embedded]),
    links: Object.fromEntries(own.map(({ attribute }) => [attribute, linksIn(stored[attribute])])),
  };
}

/** A restored version keeps the current stage. */
const withoutStage = ({ scalars: { [STAGE]: _stage, ...scalars }, ...body }: Body): Body => ({
  ...body,
  scalars,
});

const show = (value: unknown): string => JSON.stringify(value);

export class History {
  private readonly known = new Map<string, StoredVersion>();
  /** Rows that a restore has stored before its last one. */
  private readonly passed = new Set<string>();
  private readonly deleted = new Map<string, ReadonlyMap<string, Snapshot>>();
  /** Versions that have changed since they were stored. */
  private readonly unstored = new Set<string>();
  /** Versions that the present command has written or changed. */
  private moved: string[] = [];
  private readonly tools: Tools;
  private readonly world: World;

  constructor(tools: Tools, world: World) {
    this.tools = tools;
    this.world = world;
  }

  take(): Taken {
    const snapshots = [...this.world.documents.values()].flatMap((document) => this.snapshotsOf(document));
    return { contents: this.world.contents(), snapshots: new Map(snapshots) };
  }

  private snapshotsOf(document: Document): [string, Snapshot][] {
    return [...document.versions.keys()].map((key) => {
      const [state, locale] = key.split(' ') as [State, string];
      return [versionKey(document.id, state, locale), this.world.snapshot(document, state, locale)];
    });
  }

  /**
   * Compares the rows that a command has added. A restored document is written in several steps, and only the
   * last row of each version has its final content. With `others`, later steps of other documents may have
   * changed that content, too.
   */
  async compare(before: Taken, inSteps = false, others = false): Promise<void> {
    const rows = await this.tools.sql(`select id::text, type, document_id, locale, published, action, content,
      md5(v::text) as hash from content_version v order by v.id`);
    const present = this.take().snapshots;
    const found = new Map(rows.map((row) => [String(row['id']), row]));
    for (const { id, hash } of this.known.values())
      if (found.get(id)?.['hash'] !== hash) this.tools.problems.push(`the stored version ${id} has changed`);
    const fresh = rows.filter(({ id }) => !this.known.has(String(id)) && !this.passed.has(String(id)));
    const keyIn = (row: Record<string, any>): string =>
      `${row['document_id']} ${row['published']} ${row['locale']}`;
    if (!inSteps) this.compareBefore(fresh, before.snapshots);
    this.settle(fresh, present);
    const last = new Map(fresh.map((row) => [keyIn(row), row]));
    const isLast = (row: Record<string, any>): boolean => last.get(keyIn(row)) === row;
    if (inSteps) for (const row of fresh) if (!isLast(row)) this.passed.add(String(row['id']));
    for (const row of inSteps ? fresh.filter(isLast) : fresh)
      this.meet(row, row['action'] === 'before' ? before.snapshots : present, others);
    for (const id of others ? [] : new Set(fresh.map((row) => String(row['document_id']))))
      this.compareLast(id, present);
    this.leave(before);
  }

  /** Remembers the versions of documents that are gone since. */
  leave({ snapshots }: Taken): void {
    for (const key of snapshots.keys()) {
      const [id = ''] = key.split(' ');
      const own = [...snapshots].filter(([one]) => one.startsWith(`${id} `));
      if (!this.world.documents.has(id)) this.deleted.set(id, new Map(own));
    }
  }

  /** Records the effect of a command, before its stored versions are compared. */
  note(versions: readonly string[]): void {
    this.moved.push(...versions);
  }

  /**
   * Versions are stored again before a write only if something has changed them (25.8). Writes that delete
   * versions store all others of the document.
   */
  private compareBefore(fresh: readonly Row[], before: ReadonlyMap<string, Snapshot>): void {
    const isWritten = ({ action, content }: Row): boolean => action !== 'before' && content !== null;
    const written = new Set(fresh.filter(isWritten).map((row) => row['document_id']));
    for (const row of fresh.filter((one) => one['action'] === 'before' && written.has(one['document_id']))) {
      const key = versionOf(row);
      const [known, content] = [this.lastKnown(key)?.content ?? null, before.get(key)];
      if (known === null || content === undefined || this.unstored.has(key)) continue;
      const [was, is] = [known, content].map((one) => modelled(one, typeNamed(row['type'])));
      if (isDeepStrictEqual(was, is))
        this.tools.problems.push(`${key} is stored again, although nothing has changed it`);
    }
  }

  /** Last stored version; that of the published one for a draft without one. */
  private lastKnown(version: string): StoredVersion | undefined {
    const known = [...this.known.values()];
    const of = (key: string): StoredVersion | undefined =>
      known.filter((one) => versionKey(one.documentId, one.state, one.locale) === key).at(-1);
    const [own, published] = [of(version), of(version.replace(' draft ', ' published '))];
    return known.indexOf(own!) > known.indexOf(published!) ? own : published;
  }

  /** Finds out which changed versions are stored. A published version stands for an equal draft. */
  private settle(fresh: readonly Row[], present: ReadonlyMap<string, Snapshot>): void {
    const stored = new Set(fresh.map(versionOf));
    for (const version of stored) this.unstored.delete(version);
    for (const version of this.moved) {
      const live = version.replace(' draft ', ' published ');
      const isEqual = isDeepStrictEqual(present.get(live), present.get(version));
      if (stored.has(version) || (stored.has(live) && isEqual)) this.unstored.delete(version);
      else this.unstored.add(version);
    }
    this.moved = [];
  }

  private meet(row: Record<string, any>, expected: ReadonlyMap<string, Snapshot>, others: boolean): void {
    const { id, type, document_id: documentId, locale, published, content: stored, hash } = row;
    const state = published === true ? 'published' : 'draft';
    const key = versionKey(documentId, state, locale);
    const content = expected.get(key) ?? null;
    const where = `stored version ${key} (${row['action']})`;
    const wanted = content === null ? null : modelled(content, typeNamed(type));
    const shown = stored === null ? null : shapeOf(stored, typeNamed(type));
    const isSame = isDeepStrictEqual(shown, wanted);
    if (!isSame && others) {
      const accepted = stored === null ? null : snapshotOf(stored, typeNamed(type), this.tools.keyOf);
      this.known.set(id, { id, type, documentId, state, locale, hash, content: accepted, stored });
      return;
    }
    if (!isSame) this.tools.problems.push(`${where} is ${show(shown)}, expected ${show(wanted)}`);
    this.known.set(id, { id, type, documentId, state, locale, hash, content });
  }

  /** The last stored version of each state and locale is the current one; a published one may stand for a draft. */
  private compareLast(documentId: string, present: ReadonlyMap<string, Snapshot>): void {
    const document = this.world.documents.get(documentId);
    if (document === undefined) return;
    for (const [key, snapshot] of this.snapshotsOf(document)) {
      const [, state, locale] = key.split(' ');
      const here = [...this.known.values()].filter(
        (one) => one.documentId === documentId && one.locale === locale,
      );
      const last = [
        here.filter((one) => one.state === state).at(-1),
        ...(state === 'draft' ? [here.filter((one) => one.state === 'published').at(-1)] : []),
      ];
      const shape = (one: Snapshot): object => modelled(one, document.type);
      const wanted = shape(present.get(key) ?? snapshot);
      if (!last.some((one) => one?.content && isDeepStrictEqual(shape(one.content), wanted)))
        this.tools.problems.push(`${key} is not stored: ${show(wanted)}`);
    }
  }

  private pathOf({ type, id }: Document): string {
    return type.single ? `/api/${type.path}` : `/api/${type.path}/${id}`;
  }

  /** Reads every version of every document over HTTP. */
  async compareAll(): Promise<void> {
    for (const document of this.world.documents.values()) {
      const stored = [...this.known.values()].filter(({ documentId }) => documentId === document.id);
      const path = `${this.pathOf(document)}/versions`;
      const { body } = await this.tools.client.send({
        method: 'GET',
        path: `${path}?pagination[pageSize]=100`,
      });
      const listed = (body?.data ?? []).map(({ id }: any) => id).filter((id: string) => !this.passed.has(id));
      if (!isDeepStrictEqual(listed, stored.map(({ id }) => id).reverse()))
        this.tools.problems.push(`GET ${path} returned ${show(listed)}`);
      for (const { id, content } of stored) await this.compareShown(document, `${path}/${id}`, content);
    }
  }

  private async compareShown(document: Document, path: string, content: Snapshot | null): Promise<void> {
    const { status, body } = await this.tools.client.send({ method: 'GET', path });
    const shown = body?.data?.content ?? null;
    const found = shown === null ? null : shapeOf(shown, document.type);
    const wanted = content === null ? null : modelled(content, document.type);
    if (status !== 200 || !isDeepStrictEqual(found, wanted))
      this.tools.problems.push(`GET ${path} returned ${status} ${show(found)}, expected ${show(wanted)}`);
    for (const link of document.type.sides.flatMap(({ attribute }) => listed(shown?.[attribute] ?? [])))
      if (link.exists !== this.exists(link.documentId))
        this.tools.problems.push(`GET ${path}: the document ${link.documentId} exists: ${link.exists}`);
  }

  private exists = (id: string): boolean => this.world.documents.has(id) || this.world.hasFile(id);

  /** Returns the body that a restoration writes: links to what exists, and instances of which some exist. */
  private bodyOf(
    { values, links }: Snapshot,
    { type, id }: Document,
    { withSelf = true, present = new Set() }: { withSelf?: boolean; present?: ReadonlySet<number> } = {},
  ): Body {
    const there = (ids: readonly string[]): { set: string[] } => ({
      set: ids.filter((one) => (one === id ? withSelf : this.exists(one))),
    });
    const all = (lists: Readonly<Record<string, readonly string[]>>): Body['relations'] =>
      Object.fromEntries(Object.entries(lists).map(([name, ids]) => [name, there(ids)]));
    const embedded = type.embedded.map(({ attribute }): [string, Body['embedded'][string]] => [
      attribute,
      ((values[attribute] ?? []) as readonly Instance[]).map((one) => ({
        key: present.has(one.key) ? one.key : null,
        component: one.component,
        text: one.text,
        links: all(one.links),
      })),
    ]);
    const scalars = type.scalars.map(({ attribute }): [string, string | number | null] => [
      attribute,
      (values[attribute] ?? null) as string | number | null,
    ]);
    return {
      scalars: Object.fromEntries(scalars),
      embedded: Object.fromEntries(embedded),
      relations: all(links),
    };
  }

  /** Keys of the instances in the versions of a document in a locale. */
  private instancesOf(document: Document, locale: string): ReadonlySet<number> {
    const states = (['draft', 'published'] as const).filter((state) =>
      document.versions.has(`${state} ${locale}`),
    );
    return new Set(
      states.flatMap((state) => {
        const { values } = this.world.snapshot(document, state, locale);
        return document.type.embedded.flatMap(({ attribute }) =>
          ((values[attribute] ?? []) as readonly Instance[]).map(({ key }) => key),
        );
      }),
    );
  }

  /** Restores the first, the middle and the last version of each document. */
  *restoreVersions(): Generator<Restoring> {
    for (const document of [...this.world.documents.values()]) {
      const stored = this.contentsOf(document);
      const some = new Set([0, Math.floor(stored.length / 2), stored.length - 1].slice(0, RESTORED));
      for (const version of [...some].flatMap((n) => stored[n] ?? []))
        yield this.restoring(document, version);
    }
  }

  /** Restores one of the stored versions of a document; null if it has none. */
  restoreVersion(document: Document, n: number): Restoring | null {
    const stored = this.contentsOf(document);
    const version = stored[n % stored.length];
    return version === undefined ? null : this.restoring(document, version);
  }

  /** Stored versions of a document, without deletions. */
  private contentsOf({ id }: Document): Contained[] {
    return [...this.known.values()].flatMap((one) => {
      const { documentId, type, content, stored } = one;
      if (documentId !== id || content === null) return [];
      // The ids of new instances are known only after their documents were read.
      const now = stored === undefined ? content : snapshotOf(stored, typeNamed(type), this.tools.keyOf);
      return [{ ...one, content: now }];
    });
  }

  private restoring(document: Document, { id, locale, content }: Contained): Restoring {
    return {
      request: { method: 'POST', path: `${this.pathOf(document)}/versions/${id}/actions/restore` },
      statuses: [200],
      apply: () => {
        const body = withoutStage(
          this.bodyOf(content, document, { present: this.instancesOf(document, locale) }),
        );
        return this.world.update(document.id, { locale, publish: false, body, caller: null });
      },
    };
  }

  /** Creates deleted documents again, in all states and locales that they had. */
  *restoreAllDeleted(): Generator<Restoring> {
    const ids = [...this.deleted.keys()].filter((id) => !this.world.documents.has(id));
    for (const id of ids.filter((one) => this.typeOf(one)?.single === false).slice(0, RESTORED)) {
      const restoring = this.restoreDeleted(id);
      if (restoring !== null) yield restoring;
    }
  }

  private typeOf(id: string): Document['type'] | undefined {
    const stored = [...this.known.values()].find(({ documentId }) => documentId === id);
    return stored === undefined ? undefined : typeNamed(stored.type);
  }

  /** Creates a deleted document again; null if nothing is known of it. */
  restoreDeleted(id: string): Restoring | null {
    const [type, versions] = [this.typeOf(id), this.deleted.get(id)];
    if (type === undefined || versions === undefined) return null;
    const document: Document = { id, type, shared: new Map(), versions: new Map() };
    return {
      request: { method: 'POST', path: `/api/${type.path}/${id}/actions/restore` },
      statuses: [200, 201],
      apply: () => this.recreate(document, versions),
    };
  }

  /** Published versions come first, so that drafts may differ from them. Equal values are written once. */
  private recreate(document: Document, versions: ReadonlyMap<string, Snapshot>): string[] {
    const { id, type } = document;
    const written: string[] = [];
    const known = new WrittenValues(type);
    for (const state of ['published', 'draft'] as const)
      for (const locale of LOCALES) {
        const content = versions.get(versionKey(id, state, locale));
        if (content === undefined) continue;
        const write = { locale, publish: state === 'published', caller: null, restores: true };
        if (!this.world.documents.has(id)) {
          const body = this.bodyOf(content, document, { withSelf: false });
          written.push(...this.world.create(type, id, { ...write, body }));
          known.add(locale, body);
        }
        const body = known.missingIn(locale, this.bodyOf(content, document));
        if (body === null) continue;
        written.push(...this.world.update(id, { ...write, body }));
        known.add(locale, body);
      }
    return written;
  }
}

/** Values that the drafts of a restored document have, by attribute, and by locale if it is localized. */
class WrittenValues {
  private readonly locales = new Set<string>();
  private readonly values = new Map<string, unknown>();
  private readonly localized: ReadonlySet<string>;

  constructor({ scalars, embedded, sides }: Document['type']) {
    const relations = sides.map(({ attribute, relation: { localized } }) => ({ attribute, localized }));
    this.localized = new Set(
      [...scalars, ...embedded, ...relations].flatMap((one) => (one.localized ? [one.attribute] : [])),
    );
  }

  /** Returns the values to write to a version; null if it exists and has them all. */
  missingIn(locale: string, { scalars, embedded, relations }: Body): Body | null {
    const missing = <T>(values: Readonly<Record<string, T>>): Record<string, T> =>
      Object.fromEntries(
        Object.entries(values).filter(([name, value]) => {
          const key = this.keyOf(name, locale);
          return !this.values.has(key) || !isDeepStrictEqual(this.values.get(key), value);
        }),
      );
    const body = { scalars: missing(scalars), embedded: missing(embedded), relations: missing(relations) };
    const isNothing = Object.values(body).every((values) => Object.keys(values).length === 0);
    return isNothing && this.locales.has(locale) ? null : body;
  }

  add(locale: string, body: Body): void {
    this.locales.add(locale);
    for (const values of Object.values(body))
      for (const [name, value] of Object.entries(values)) this.values.set(this.keyOf(name, locale), value);
  }

  private keyOf(name: string, locale: string): string {
    return this.localized.has(name) ? `${name} ${locale}` : name;
  }
}
