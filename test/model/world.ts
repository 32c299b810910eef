/**
 * Executable specification of documents and writes, as the protocol defines them. It covers D13, D19–D26,
 * D29, D33 and sections 8, 9 and 11, and knows nothing of tables.
 */
import { DEFAULT_LOCALE, LOCALES } from './content.ts';
import { type Body, changed, type GivenInstance, isEmpty, named, type Payload, Refusal } from './body.ts';
import { Sheet, type State } from './links.ts';
import {
  type Embedded,
  INITIAL,
  PARTS,
  READY,
  type Relation,
  type Side,
  STAGE,
  type Type,
  typeNamed,
} from './shape.ts';

/** An instance of a component. `key` represents its id, which the service chooses. */
export interface Instance {
  readonly key: number;
  readonly component: string;
  readonly text: string | null;
  readonly links: Readonly<Record<string, readonly string[]>>;
}

type Values = Record<string, string | number | null | readonly Instance[]>;

export interface Document {
  readonly id: string;
  readonly type: Type;
  /** Values that locales share, by state (D20). */
  readonly shared: Map<State, Values>;
  /** Values of each version, by state and locale. */
  readonly versions: Map<string, Values>;
}

/** Content of a version at a time. */
export interface Snapshot {
  readonly values: Values;
  readonly links: Readonly<Record<string, readonly string[]>>;
}

export interface Write {
  readonly locale: string;
  /** Of types with drafts: whether the draft is published at once (8.5). */
  readonly publish: boolean;
  readonly body: Body;
  /** The signed-in person; null for a caller with all permissions. */
  readonly caller: string | null;
  /** Whether the write restores a deleted document, in the stage that it had. */
  readonly restores?: boolean;
}

/** Document that a release publishes or unpublishes, in a locale or in all (null). */
export interface Change {
  readonly id: string;
  readonly locale: string | null;
  readonly unpublish: boolean;
}

/** Versions before a release. */
interface Before {
  readonly contents: ReadonlyMap<string, string>;
  readonly snapshots: ReadonlyMap<string, Snapshot>;
}

/** Whether values meet the condition of a type, which has no drafts and no locales. */
const meets = ({ condition }: Type, values: Values): boolean =>
  Object.entries(condition ?? {}).every(([name, value]) => values[name] === value);

const unpublishFirst = (changes: readonly Change[]): readonly Change[] =>
  [...changes].sort((a, b) => Number(b.unpublish) - Number(a.unpublish));

const withoutKeys = (instances: unknown): string =>
  JSON.stringify((instances as readonly Instance[]).map(({ key: _key, ...one }) => one));

const SHARED = '';
/** Caller of what a schedule does: may change every document, and approves none. */
export const SCHEDULE = 'schedule';
const STATES: readonly State[] = ['draft', 'published'];

/** State that a type's writes change, and its locale if it has only one (D29). */
export const writtenState = ({ drafts }: Type): State => (drafts ? 'draft' : 'published');
export const stateOf = ({ drafts }: Type, status: State): State => (drafts ? status : 'published');
export const localeOf = ({ localized }: Type, locale: string): string =>
  localized ? locale : DEFAULT_LOCALE;
export const versionKey = (id: string, state: State, locale: string): string => `${id} ${state} ${locale}`;
const place = (state: State, locale: string): string => `${state} ${locale}`;
const sheetLocale = ({ localized }: Relation, locale: string): string => (localized ? locale : SHARED);

/** Locales of a relation that a publication changes: all, if the document has no locales (D22). */
function concerned({ localized }: Relation, type: Type, locale: string): readonly string[] {
  if (!localized) return [SHARED];
  return type.localized ? [locale] : LOCALES;
}

/** Context of a write: a document in a state, the locale of the request, and the caller. */
interface About {
  readonly document: Document;
  readonly state: State;
  readonly locale: string;
  readonly caller: string | null;
}

interface Ends {
  readonly from: State;
  readonly to: State;
}

/** Links of a target to copy from one state to the other. */
interface Following extends Ends {
  readonly target: string;
  readonly caller: string | null;
}

/** Versions to copy from one state to the other. */
interface Copied extends Ends {
  readonly locale: string;
  readonly caller: string | null;
}

export class World {
  readonly documents = new Map<string, Document>();
  /** Locales that writes have named. */
  readonly mentioned = new Set<string>();
  private readonly sheets = new Map<string, Sheet>();
  private readonly files: readonly string[];
  private keys = 0;
  private places = 0;

  constructor(files: readonly string[]) {
    this.files = files;
  }

  /** Links of a relation in a state, and in a locale for localized relations. */
  private sheet(relation: Relation, state: State, locale: string): Sheet {
    const key = `${relation.name} ${state} ${locale}`;
    const typeOf = (id: string): string | undefined => this.documents.get(id)?.type.name;
    const next = (): number => (this.places += 1);
    const sheet = this.sheets.get(key) ?? new Sheet(relation, { typeOf, next });
    this.sheets.set(key, sheet);
    return sheet;
  }

  private sheetOf(relation: Relation, status: State, locale: string): Sheet {
    return this.sheet(relation, stateOf(typeNamed(relation.from), status), sheetLocale(relation, locale));
  }

  /** Returns a function that takes back all later changes. */
  mark(): () => void {
    const documents = [...this.documents].map(([key, { shared, versions, ...document }]) => {
      const copies = structuredClone({ shared, versions });
      return [key, { ...document, ...copies }] as const;
    });
    const sheets = [...this.sheets].map(([key, sheet]) => [key, sheet, sheet.mark()] as const);
    const [mentioned, keys, places] = [[...this.mentioned], this.keys, this.places];
    return () => {
      this.documents.clear();
      for (const [key, document] of documents) this.documents.set(key, document);
      this.sheets.clear();
      for (const [key, sheet, restore] of sheets) {
        this.sheets.set(key, sheet);
        restore();
      }
      this.mentioned.clear();
      for (const locale of mentioned) this.mentioned.add(locale);
      [this.keys, this.places] = [keys, places];
    };
  }

  hasFile(id: string): boolean {
    return this.files.includes(id);
  }

  has(id: string, state: State, locale: string): boolean {
    return this.documents.get(id)?.versions.has(place(state, locale)) === true;
  }

  private isPublished(id: string, locale: string): boolean {
    return (locale === SHARED ? LOCALES : [locale]).some((one) => this.has(id, 'published', one));
  }

  /** Whether a status and a locale show a document (D13). */
  private isShown(id: string, status: State, locale: string): boolean {
    const document = this.documents.get(id);
    if (document === undefined) return this.files.includes(id);
    return this.has(id, stateOf(document.type, status), localeOf(document.type, locale));
  }

  /** Returns the visible links of one attribute. */
  shown({ relation, own }: Side, id: string, status: State, locale: string): string[] {
    const sheet = this.sheetOf(relation, status, locale);
    const list = own ? sheet.own(id) : sheet.inverse(id);
    return list.filter((other) => this.isShown(other, status, locale));
  }

  /** Returns the visible targets of an instance in a status and a locale. */
  shownInside(ids: readonly string[], status: State, locale: string): string[] {
    return ids.filter((id) => this.isShown(id, status, locale));
  }

  /** Returns the values of a version, including shared ones. */
  values({ shared, versions }: Document, state: State, locale: string): Values {
    return { ...shared.get(state), ...versions.get(place(state, locale)) };
  }

  /** Returns the content of a version: its values, and the links that it owns in their order (D21). */
  content(document: Document, state: State, locale: string): string {
    const own = document.type.sides.filter((side) => side.own);
    const lists = own.map(({ relation }) => this.sheetOf(relation, state, locale).own(document.id));
    return JSON.stringify([this.values(document, state, locale), lists]);
  }

  /** Returns the values of a version, and the links that it owns by attribute, also to hidden documents. */
  snapshot(document: Document, state: State, locale: string): Snapshot {
    const own = document.type.sides.filter((side) => side.own);
    const links = own.map(({ attribute, relation }): [string, string[]] => [
      attribute,
      this.sheetOf(relation, state, locale).own(document.id),
    ]);
    return structuredClone({
      values: this.values(document, state, locale),
      links: Object.fromEntries(links),
    });
  }

  contents(): Map<string, string> {
    const entries = [...this.documents.values()].flatMap((document) =>
      [...document.versions.keys()].map((key): [string, string] => {
        const [state, locale] = key.split(' ') as [State, string];
        return [versionKey(document.id, state, locale), this.content(document, state, locale)];
      }),
    );
    return new Map(entries);
  }

  /** Returns the versions that existed before and have other content now. */
  changedSince(before: ReadonlyMap<string, string>): string[] {
    const changed = [...this.contents()].filter(([key, now]) => before.has(key) && before.get(key) !== now);
    return changed.map(([key]) => key);
  }

  /** Creates a document (8.4). Returns the written versions. Throws a Refusal. */
  create(type: Type, id: string, write: Write): string[] {
    const { caller } = write;
    const document: Document = { id, type, shared: new Map(), versions: new Map() };
    if (caller !== null && type.owner !== null) {
      const relations = { ...write.body.relations, [type.owner]: { set: [caller] } };
      return this.write(document, { ...write, body: { ...write.body, relations } });
    }
    return this.write(document, write);
  }

  /** Changes the attributes of the body, and creates a missing version (8.5, 9.6). Throws a Refusal. */
  update(id: string, write: Write): string[] {
    const document = this.document(id);
    this.mayChange(document, write.caller);
    return this.write(document, write);
  }

  private document(id: string): Document {
    const document = this.documents.get(id);
    if (document === undefined) throw new Refusal('not there');
    return document;
  }

  /** Signed-in people without permission for all documents change only their own. */
  private mayChange({ id, type }: Document, caller: string | null): void {
    if (!this.isOpen(type, caller, id)) throw new Refusal('not theirs');
  }

  /** Whether a caller may change a document and the links that it owns (D26). */
  private isOpen(type: Type, caller: string | null, id: string): boolean {
    const { sides, owner, update } = type;
    if (caller === null || caller === SCHEDULE || update === 'all') return true;
    const document = this.documents.get(id);
    if (update === 'where')
      return document !== undefined && meets(type, this.values(document, 'published', DEFAULT_LOCALE));
    const side = sides.find(({ attribute }) => attribute === owner);
    if (side === undefined || update === 'none') return false;
    // A link may wait for a missing version, and then has no owner.
    return STATES.some(
      (state) =>
        LOCALES.some((locale) => this.has(id, state, locale)) &&
        this.sheetOf(side.relation, state, SHARED).own(id).includes(caller),
    );
  }

  private write(document: Document, write: Write): string[] {
    const { type, id } = document;
    const { locale, publish, caller } = write;
    const body = this.staged(document, write);
    this.mentioned.add(locale);
    const about = { document, state: writtenState(type), locale, caller };
    // The document may name itself, unless it does not exist yet.
    this.checkTargets(body);
    const lists = type.sides.flatMap((side): [Side, string[]][] => {
      const payload = body.relations[side.attribute];
      return payload === undefined ? [] : this.listOf(side, about, payload).map((list) => [side, list]);
    });
    const values = this.written(about, body);
    if (caller !== null && !meets(type, { ...values.shared, ...values.localized }))
      throw new Refusal('not theirs afterwards');
    this.documents.set(id, document);
    document.shared.set(about.state, values.shared);
    document.versions.set(place(about.state, localeOf(type, locale)), values.localized);
    for (const [side, list] of lists) if (side.own) this.writeOwn(side, about, list);
    for (const [side, list] of lists)
      if (!side.own) {
        const both = lists.some(([other]) => other.own && other.relation.name === side.relation.name);
        if (both) this.writeBoth(side, about, list);
        else this.writeInverse(side, about, list);
      }
    if (type.drafts && publish) this.publish(document, locale, caller);
    const written = versionKey(id, about.state, localeOf(type, locale));
    return type.drafts && publish
      ? [written, versionKey(id, 'published', localeOf(type, locale))]
      : [written];
  }

  /**
   * Returns the body with the stage after the write. A move needs the right, and a change of an approved draft
   * without it ends the approval.
   */
  private staged({ type, shared }: Document, { body, publish, caller, restores = false }: Write): Body {
    if (!type.staged) return body;
    const present = shared.get('draft')?.[STAGE];
    const from = typeof present === 'string' ? present : INITIAL;
    const { [STAGE]: to = from, ...others } = body.scalars;
    if (to !== from && caller !== null && !restores) throw new Refusal('no right to move');
    const names = [others, body.embedded, body.relations].flatMap((given) => Object.keys(given));
    const isEdit = to === from && from === READY && names.length > 0;
    const after = isEdit && caller !== null ? INITIAL : to;
    if (publish && after !== READY) throw new Refusal('not approved');
    return { ...body, scalars: { ...others, [STAGE]: after } };
  }

  /** List before a change: of drafts, if the owners have drafts. */
  private stored({ relation, own }: Side, { document, locale }: About): string[] {
    const sheet = this.sheetOf(relation, 'draft', locale);
    return own ? sheet.own(document.id) : sheet.inverse(document.id);
  }

  /** Lists after a body; none without changes. Links of other owners stay (D22, D26). */
  private listOf(side: Side, about: About, payload: Payload): string[][] {
    const from = typeNamed(side.relation.from);
    const { caller } = about;
    if (!side.own && caller !== null && from.update === 'none')
      throw new Refusal('no permission for the other side');
    if (!side.own && caller !== null && from.staged) throw new Refusal('no right to approve the owners');
    // Taking a target from another owner would change a document that the condition may not cover (18.26).
    if (
      side.own &&
      caller !== null &&
      about.document.type.update === 'where' &&
      side.relation.exclusive.length > 0
    )
      throw new Refusal('needs a grant without a condition');
    if (isEmpty(payload)) return [];
    const stored = this.stored(side, about);
    const isOthers = (id: string): boolean => !side.own && !this.isOpen(from, caller, id);
    if (named(payload).some((id) => isOthers(id) && !stored.includes(id))) throw new Refusal('not theirs');
    const list = changed(stored, payload, side.one);
    const lost = stored.filter((id) => isOthers(id) && !list.includes(id));
    const keepsThem = 'set' in payload && (!side.one || list.length === 0);
    if (lost.length > 0 && !keepsThem) throw new Refusal('links of other owners');
    return [[...lost, ...list]];
  }

  private writeOwn({ relation }: Side, { document, state, locale }: About, list: readonly string[]): void {
    this.sheetOf(relation, state, locale).writeOwn(document.id, list);
  }

  /**
   * Owners with drafts change in their drafts. A document without drafts also changes their published links.
   */
  private writeInverse({ relation }: Side, about: About, list: readonly string[]): void {
    const { document, locale, caller } = about;
    const from = typeNamed(relation.from);
    const others = list.filter((owner) => !this.isOpen(from, caller, owner));
    this.sheetOf(relation, 'draft', locale).writeInverse(document.id, list, others);
    if (document.type.drafts || !from.drafts) return;
    const following = { target: document.id, from: 'draft', to: 'published', caller } as const;
    this.follow(relation, sheetLocale(relation, locale), following);
  }

  /**
   * Copies links of published owners that may be changed from one state to the other (D22). The others stay
   * (D13, D26). A target with one owner at most leaves waiting owners, but none whose links may not be
   * changed.
   */
  private follow(relation: Relation, locale: string, { target, from, to, caller }: Following): void {
    const [source, sheet] = [this.sheet(relation, from, locale), this.sheet(relation, to, locale)];
    const owners = typeNamed(relation.from);
    const mayApprove = caller === null || !owners.staged;
    const isOpen = (owner: string): boolean => mayApprove && this.isOpen(owners, caller, owner);
    const goes = (owner: string): boolean => this.isPublished(owner, locale) && isOpen(owner);
    const kept = sheet.inverse(target).filter((owner) => !goes(owner));
    const isHeld = sheet.isExclusive(target) && !kept.every(isOpen);
    const followed = isHeld ? [] : source.inverse(target).filter(goes);
    sheet.follow(target, source, { owners: followed, kept });
  }

  /**
   * A body may set both sides of a relation with itself. The owning side is written first, and decides
   * whether the document links to itself (D22). The position in the other list applies.
   */
  private writeBoth(side: Side, about: About, list: readonly string[]): void {
    const { id } = about.document;
    const others = list.filter((other) => other !== id);
    const sheet = this.sheetOf(side.relation, about.state, about.locale);
    if (!sheet.inverse(id).includes(id)) sheet.writeInverse(id, others);
    else if (side.one) sheet.writeInverse(id, [id]);
    else if (list.includes(id)) sheet.writeInverse(id, list);
    else sheet.writeInverse(id, others, [id]);
  }

  /** Makes the published values and links equal to those of the draft (D20, D22). */
  private publish(document: Document, locale: string, caller: string | null): void {
    this.copy(document, { from: 'draft', to: 'published', locale, caller });
  }

  /** Reverse of publishing, for the same links (D22). */
  discardDraft(id: string, locale: string | null): string[] {
    const document = this.document(id);
    const locales = this.localesOf('published', id, locale);
    if (locales.length === 0) throw new Refusal('nothing is published');
    for (const one of locales)
      this.copy(document, { from: 'published', to: 'draft', locale: one, caller: null });
    return locales.map((one) => versionKey(id, 'draft', localeOf(document.type, one)));
  }

  /** Copies values and links from one state to the other, in a locale and for shared ones. */
  private copy(document: Document, copied: Copied): void {
    const { type, id } = document;
    const { locale, ...ends } = copied;
    this.copyOwn(document, copied);
    for (const { own, relation } of type.sides)
      if (!own && typeNamed(relation.from).drafts)
        for (const one of concerned(relation, type, locale))
          this.follow(relation, one, { target: id, ...ends });
  }

  private copyValues(
    { type, shared, versions }: Document,
    { from, to, locale }: Omit<Copied, 'caller'>,
  ): void {
    const here = localeOf(type, locale);
    shared.set(to, structuredClone(shared.get(from) ?? {}));
    versions.set(place(to, here), structuredClone(versions.get(place(from, here)) ?? {}));
  }

  /** Copies without the links that other documents own. */
  private copyOwn(document: Document, copied: Omit<Copied, 'caller'>): void {
    const { type, id } = document;
    const { from, to, locale } = copied;
    const here = localeOf(type, locale);
    this.copyValues(document, copied);
    for (const { own, relation } of type.sides)
      if (own) this.sheetOf(relation, to, here).writeOwn(id, this.sheetOf(relation, from, here).own(id));
  }

  /** Publishes and unpublishes documents, all or none (27.6). Removals come first. */
  release(changes: readonly Change[], caller: string | null = null): string[] {
    for (const change of changes) this.checkChange(change);
    const written: string[] = [];
    for (const { id, locale, unpublish } of unpublishFirst(changes))
      for (const one of this.localesOf('draft', id, locale))
        if (unpublish) this.unpublish(id, one);
        else written.push(...this.publishDraft(id, one, caller));
    return written;
  }

  /** Throws a Refusal if a document cannot be published or unpublished. */
  checkChange({ id, locale, unpublish }: Change): void {
    if (this.localesOf('draft', id, locale).length === 0) throw new Refusal('not there');
    if (!unpublish) this.mayPublish(id);
  }

  private mayPublish(id: string): void {
    const { type, shared } = this.document(id);
    if (type.staged && shared.get('draft')?.[STAGE] !== READY) throw new Refusal('not approved');
  }

  /** Locales with a version in a state among the locales of a change; null is all. */
  private localesOf(state: State, id: string, locale: string | null): string[] {
    const { type } = this.document(id);
    const locales = locale === null && type.localized ? LOCALES : [locale ?? DEFAULT_LOCALE];
    return locales.filter((one) => this.has(id, state, localeOf(type, one)));
  }

  private publishDraft(id: string, locale: string, caller: string | null): string[] {
    this.publish(this.document(id), locale, caller);
    return this.publishedKeys(id, locale);
  }

  private publishedKeys(id: string, locale: string): string[] {
    const document = this.document(id);
    this.mentioned.add(locale);
    const state = (one: State): string => versionKey(id, one, localeOf(document.type, locale));
    return [state('draft'), state('published')];
  }

  /**
   * Publishes again what was published before a release, and unpublishes the rest (27.13). Drafts stay, and so
   * do links that other documents own.
   */
  undo(changes: readonly Change[], { contents, snapshots }: Before): string[] {
    const written: string[] = [];
    for (const { id } of changes)
      for (const one of LOCALES)
        if (snapshots.has(versionKey(id, 'published', one)) && !this.has(id, 'published', one))
          this.mayPublish(id);
    for (const { id, locale } of changes) {
      const { type } = this.document(id);
      for (const one of type.localized ? LOCALES : [DEFAULT_LOCALE]) {
        const key = versionKey(id, 'published', one);
        const was = snapshots.get(key);
        const isLive = this.has(id, 'published', one);
        const isNamed = [null, one].includes(locale);
        const isChanged = isLive && contents.get(key) !== this.content(this.document(id), 'published', one);
        if (was === undefined && isLive) this.unpublish(id, one);
        if (was === undefined || !(isNamed || isChanged || !isLive)) continue;
        if (!isLive) written.push(...this.publishAgain(id, one));
        this.putBack(this.document(id), one, was);
        written.push(key);
      }
    }
    return written;
  }

  /**
   * Publishes the draft of a locale before the former values are written, without its links. Other locales have
   * the draft's shared values in between, and its links to one document of one type, which are columns. So
   * their versions are written, too. Returns the written versions.
   */
  private publishAgain(id: string, locale: string): string[] {
    const document = this.document(id);
    const before = this.contents();
    this.copyValues(document, { from: 'draft', to: 'published', locale });
    const list = (relation: Relation, state: State): string =>
      this.sheetOf(relation, state, locale).own(id).join();
    const differs = document.type.sides.some(
      ({ own, one, targets, relation }) =>
        own &&
        one &&
        targets.length === 1 &&
        !relation.localized &&
        list(relation, 'draft') !== list(relation, 'published'),
    );
    const live = differs ? this.localesOf('published', id, null) : [];
    const others = live.map((one) => versionKey(id, 'published', localeOf(document.type, one)));
    return [...this.publishedKeys(id, locale), ...others, ...this.changedSince(before)];
  }

  /** Makes a published version equal to a former one. Instances that it does not have any more are new ones. */
  private putBack(document: Document, locale: string, { values, links }: Snapshot): void {
    const { type, id, shared, versions } = document;
    const version = versions.get(place('published', localeOf(type, locale)));
    const all = shared.get('published');
    if (version === undefined || all === undefined) throw new Error(`${id} is not published`);
    for (const { attribute, localized } of type.scalars)
      (localized ? version : all)[attribute] = values[attribute] ?? null;
    for (const { attribute, localized } of type.embedded) {
      const now = ((localized ? version : all)[attribute] ?? []) as readonly Instance[];
      const isThere = ({ key, component }: Instance): boolean =>
        now.some((one) => one.key === key && one.component === component);
      const then = (values[attribute] ?? []) as readonly Instance[];
      if (withoutKeys(now) === withoutKeys(then)) continue;
      (localized ? version : all)[attribute] = then.map((one) =>
        isThere(one) ? one : { ...one, key: (this.keys += 1) },
      );
    }
    for (const { attribute, own, relation } of type.sides) {
      if (!own) continue;
      const sheet = this.sheetOf(relation, 'published', locale);
      const list = links[attribute] ?? [];
      if (sheet.own(id).join() !== list.join()) sheet.writeOwn(id, list);
    }
  }

  /**
   * Removes the published version of a locale. Its links wait, hidden, until it is published again (8.22,
   * D13).
   */
  unpublish(id: string, locale: string | null): string[] {
    const document = this.document(id);
    const locales = this.localesOf('draft', id, locale);
    if (locales.length === 0) throw new Refusal('not there');
    for (const one of locales) remove(document, 'published', localeOf(document.type, one));
    return [];
  }

  /**
   * Removes both versions of a locale, or of all if it is null, with the locale's links. The last version
   * removes all links (8.7, 9.8, 11.25). Instances stay unchanged, although they do not show the document any
   * more.
   */
  delete(id: string, locale: string | null, caller: string | null): string[] {
    const document = this.document(id);
    this.mayChange(document, caller);
    for (const one of locale === null || !document.type.localized ? LOCALES : [locale])
      if (STATES.filter((state) => remove(document, state, one)).length > 0)
        for (const { own, relation } of document.type.sides)
          if (own && relation.localized)
            for (const state of STATES) this.sheet(relation, state, one).leave(id);
    if (document.versions.size > 0) return [];
    this.documents.delete(id);
    for (const sheet of this.sheets.values()) sheet.forget(id);
    return [];
  }

  /** Every document in a body must exist (11.18). */
  private checkTargets({ relations, embedded }: Body): void {
    const inside = Object.values(embedded).flatMap((list) =>
      list.flatMap(({ links }) => Object.values(links)),
    );
    const ids = [...Object.values(relations), ...inside].flatMap(named);
    if (ids.some((id) => !this.documents.has(id) && !this.files.includes(id)))
      throw new Refusal('no such document');
  }

  /** Returns the values of a version after a body. A new version copies shared values (9.7). */
  private written({ document, state, locale }: About, body: Body): { shared: Values; localized: Values } {
    const { type } = document;
    const here = localeOf(type, locale);
    const shared: Values = { ...document.shared.get(state) };
    const localized: Values = { ...document.versions.get(place(state, here)) };
    for (const { attribute, localized: own } of type.scalars) {
      const values = own ? localized : shared;
      values[attribute] =
        body.scalars[attribute] === undefined ? (values[attribute] ?? null) : body.scalars[attribute];
    }
    for (const one of type.embedded) {
      const values = one.localized ? localized : shared;
      const given = body.embedded[one.attribute];
      const list = (values[one.attribute] ?? []) as readonly Instance[];
      const published = this.values(document, 'published', here)[one.attribute] ?? [];
      const known = [...list, ...(published as readonly Instance[])];
      values[one.attribute] =
        given === undefined ? list : given.map((item) => this.instance(item, known, one));
    }
    return { shared, localized };
  }

  private instance(given: GivenInstance, known: readonly Instance[], { attribute }: Embedded): Instance {
    const stored = known.find(({ key, component }) => key === given.key && component === given.component);
    if (given.key !== null && stored === undefined) throw new Refusal(`no such instance in ${attribute}`);
    const { one, many } = PARTS[given.component] ?? { one: {}, many: {} };
    const links = [...Object.keys(one), ...Object.keys(many)].map((name): [string, string[]] => {
      const before = stored?.links[name] ?? [];
      const payload = given.links[name];
      return [name, payload === undefined ? [...before] : changed(before, payload, name in one)];
    });
    return {
      key: stored?.key ?? (this.keys += 1),
      component: given.component,
      text: given.text === undefined ? (stored?.text ?? null) : given.text,
      links: Object.fromEntries(links),
    };
  }
}

/** Removes a version, and with the last one of its state the shared values. Returns whether it existed. */
function remove({ shared, versions }: Document, state: State, locale: string): boolean {
  const wasThere = versions.delete(place(state, locale));
  if (!LOCALES.some((one) => versions.has(place(state, one)))) shared.delete(state);
  return wasThere;
}
