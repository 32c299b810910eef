/**
 * Stored state that a write starts from: rows of the document, their values, and the documents that the body
 * references.
 */
import type { OwnCondition } from '../access/decide.js';
import { compileExpectedDocuments, compileLoad, compileVersions, modelIn } from '../compile/compile-load.js';
import { documentsIn } from '../compile/load-shape.js';
import type { Row } from '../../pool/runner.js';
import type { Lookup } from '../plan/body.js';
import type { Coverage } from '../plan/coverage.js';
import { type FoundRow, FoundTargets } from '../plan/found-targets.js';
import { type GivenRelation, hiddenTypes, scopesOf } from '../plan/given.js';
import type { LoadedState } from '../plan/loaded.js';
import { neededValues } from '../plan/needed-values.js';
import type { StoredValues } from '../plan/stored-instances.js';
import { lacksDraft, type VersionRow, type Versions, versionsOf } from '../plan/versions.js';
import type { CheckedBody, WriteTarget } from '../plan/write-plan.js';
import { isObject } from '../../kernel/json.js';
import type { ContentType, LinkedAttribute, StoredLinks } from '../model/model.js';
import type { ContentSettings } from '../../kernel/settings.js';
import type { Sql, Statement } from '../../kernel/sql.js';

export interface LoadRequest {
  readonly target: WriteTarget;
  readonly own: OwnCondition | null;
  readonly coverage: Coverage | null;
  readonly body: CheckedBody | null;
  readonly settings: ContentSettings;
  readonly freshIds: number;
  /** Condition that a feature has stored the row `t`; null without one. */
  readonly kept: Sql | null;
}

const parse = <T>(text: unknown, otherwise: T): T =>
  typeof text === 'string' ? (JSON.parse(text) as T) : otherwise;

const versionRow = (row: Row): VersionRow => ({
  id: Number(row['id']),
  documentId: String(row['document_id']),
  locale: String(row['locale']),
  published: row['published'] === true,
  revision: String(row['revision']),
  covered: String(row['covered'] ?? row['revision']),
  stamp: String(row['stamp']),
  kept: row['kept'] === true,
  own: row['own'] === true,
  live: row['own'] === true,
  shown: row['own'] === true,
});

function draftlessOf(
  { type }: WriteTarget,
  { all, documentId }: Versions,
  named: ReadonlyMap<ContentType, readonly FoundRow[]>,
): Map<ContentType, string[]> {
  const documents = new Map<ContentType, string[]>();
  const add = (of: ContentType, ids: readonly string[]): void => {
    if (ids.length > 0) documents.set(of, [...(documents.get(of) ?? []), ...ids]);
  };
  if (type.draftAndPublish && documentId !== null && lacksDraft(all)) add(type, [documentId]);
  for (const [target, rows] of named)
    add(
      target,
      rows.flatMap(([, id, , , , draftless]) => (draftless === true ? [id] : [])),
    );
  return documents;
}

/**
 * Returns the required relations that the write must check, because it publishes, even if the body omits
 * them.
 */
function checkedRelations({ target: { type, publish }, settings }: LoadRequest): LinkedAttribute[] {
  if (!settings.strictRelations || !publish) return [];
  return type.storage.relations.filter(({ required }) => required);
}

function linksToFollow({ target: { type, publish }, body }: LoadRequest): StoredLinks[] {
  if (!publish || !type.draftAndPublish || body === null) return [];
  const given = [...body.values.relations.values()].map(({ attribute }) => attribute.join.name);
  return type.storage.links.filter(({ attribute: { join } }) => !given.includes(join.name));
}

/**
 * Whether the write needs the stored links: it changes them one by one, or it replaces them by a list. Such a
 * list may keep links, or name targets that the caller could not link now.
 */
const needsLinks = (given: GivenRelation): boolean => {
  const { attribute, input } = given;
  return (
    input.kind !== 'set' ||
    hiddenTypes(given).length > 0 ||
    scopesOf(given).some(
      ({ targets, rows, drafts, resends }) =>
        targets !== 'all' ||
        (rows === 'linked' && input.references.some((one) => 'id' in one)) ||
        attribute.targets.some((type) => drafts(type) !== 'all' || !resends(type)),
    )
  );
};

const mayExist = ({ type, documentId }: WriteTarget): boolean =>
  documentId !== null || type.kind === 'singleType';

export function loadStatement(request: LoadRequest): Statement | null {
  const { target, own, coverage, kept, body, settings, freshIds } = request;
  const { type, documentId, locale, linkLocale, everyLocale } = target;
  if (body === null) return compileVersions({ type, documentId, own, coverage, kept });
  const { references, values } = body;
  const existing = mayExist(target);
  if (!existing && references.size === 0 && freshIds === 0) return null;
  const needed = neededValues(target, values);
  const given = [...values.relations.values()];
  const changed = given.filter(isInverse);
  const linked = given.filter(needsLinks).map(({ attribute }) => attribute);
  return compileLoad({
    type,
    existing,
    documentId,
    locale: everyLocale ? null : locale,
    linkLocale,
    defaultLocale: settings.defaultLocale,
    touched: new Set([...linked, ...checkedRelations(request)].map(({ name }) => name)),
    changed: new Set(changed.flatMap(({ attribute: { targets } }) => targets)),
    references: [...references],
    own,
    coverage,
    kept,
    instances: freshIds,
    needed: needed.names,
    merged: needed.merged,
    followed: existing ? linksToFollow(request) : [],
  });
}

const isInverse = ({ attribute: { join } }: GivenRelation): boolean => join.side === 'inverse';

interface Expectation {
  readonly found: FoundState;
  readonly statements: readonly Statement[];
}

/**
 * Returns the assumption of a create: all documents that its body references exist. Null if the write needs
 * more of them than their existence, or if its own document may exist.
 */
export function expectationOf({ target, body, settings }: LoadRequest): Expectation | null {
  if (body === null || mayExist(target) || [...body.values.relations.values()].some(isInverse)) return null;
  const isPlain = ([type, { references, guarded, ownOnly }]: readonly [ContentType, Lookup]): boolean =>
    !type.internal && !guarded && ownOnly.length === 0 && references.every((one) => 'documentId' in one);
  const lookups = [...body.references];
  if (!lookups.every(isPlain)) return null;
  const expected = lookups.map(([type, lookup]) => [type, documentsIn(lookup)] as const);
  const named = expected.map(([type, ids]): [ContentType, FoundRow[]] => [type, ids.map((id) => [0, id])]);
  return {
    found: { ...NOTHING_FOUND, named: new Map(named) },
    statements:
      expected.length === 0 ? [] : [compileExpectedDocuments(target.type, expected, settings.defaultLocale)],
  };
}

export interface FoundState {
  readonly versions: readonly Row[];
  readonly named: ReadonlyMap<ContentType, readonly FoundRow[]>;
  readonly linked: readonly boolean[];
  readonly model: string | null;
  readonly freshIds: readonly number[];
}

const NOTHING_FOUND: FoundState = { versions: [], named: new Map(), linked: [], model: null, freshIds: [] };

export function foundIn(row: Row = {}, { body }: LoadRequest): FoundState {
  const types = [...(body?.references.keys() ?? [])];
  return {
    versions: parse<Row[]>(row['versions'], []),
    named: new Map(types.map((to, i) => [to, parse<readonly FoundRow[]>(row[`k${i}`], [])])),
    linked: parse<boolean[]>(row['linked'], []),
    model: modelIn(row),
    freshIds: parse<number[]>(row['ids'], []),
  };
}

export function loadedFrom(found: FoundState, request: LoadRequest, ids: readonly number[]): LoadedState {
  const { target } = request;
  const { named, linked, model } = found;
  const rows = found.versions.map(versionRow);
  const stored = new Map(
    found.versions.flatMap(({ id, stored: values }): [number, StoredValues][] =>
      isObject(values) ? [[Number(id), values]] : [],
    ),
  );
  const unlinked = linksToFollow(request).flatMap(({ attribute }, i) =>
    linked[i] === false ? [attribute] : [],
  );
  const inLocale = (locale: string): LoadedState => {
    const versions = versionsOf(rows, target.type, locale);
    return {
      versions,
      draftless: draftlessOf(target, versions, named),
      stored: storedOf(target.type, versions, stored),
      published: versions.published === undefined ? null : (stored.get(versions.published.id) ?? null),
      ids,
      targets: new Map([...named].map(([to, list]) => [to, new FoundTargets(to, list, locale)])),
      unlinked: new Set(unlinked),
      model,
      each: [],
    };
  };
  const loaded = inLocale(target.locale);
  if (!target.everyLocale) return loaded;
  const drafts = loaded.versions.all.filter(({ published }) => !published);
  return { ...loaded, each: drafts.map(({ locale }) => inLocale(locale)) };
}

/**
 * Returns the values that a new locale copies from another: all that are not localized. Links of a locale can
 * exist before its version (D25), so loaded links already belong to it.
 */
function takenOver({ attributes, storage }: ContentType, stored: StoredValues): StoredValues {
  const isLeft = (name: string): boolean =>
    attributes.get(name)?.localized === true && storage.columnOf.has(name);
  return Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [name, isLeft(name) ? null : value]),
  );
}

function storedOf(
  type: ContentType,
  versions: Versions,
  stored: ReadonlyMap<number, StoredValues>,
): StoredValues | null {
  const own = versions.own === undefined ? undefined : stored.get(versions.own.id);
  const base = versions.base === undefined ? undefined : stored.get(versions.base.id);
  return own ?? (base === undefined ? null : takenOver(type, base));
}
