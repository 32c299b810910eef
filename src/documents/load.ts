/** What a write starts from: the document's rows, their values, and the documents that its body names. */
import { compileLoad, type Lock } from '../compile/compile-load.js';
import type { UniqueValues } from '../database/database-errors.js';
import type { Row, Runner } from '../database/runner.js';
import { componentSequence } from '../database/sequences.js';
import { notFound } from '../errors.js';
import type { Body } from '../plan/body.js';
import type { Stored } from '../plan/stored-instances.js';
import type { ContentType, RelationAttribute } from '../schema/model.js';
import type { ContentSettings } from '../settings.js';
import { type FoundRow, Targets } from './targets.js';

/** What a write is about. */
export interface WriteRequest {
  readonly type: ContentType;
  /** Null to create; for a single type, null until its document is found. */
  readonly documentId: string | null;
  readonly locale: string;
  /**
   * Whether the published version is written; false for `status=draft`. Always true in types without drafts.
   */
  readonly publish: boolean;
  readonly settings: ContentSettings;
  readonly body: Body;
  readonly hashes: ReadonlyMap<string, string>;
  /** Filled with what may be said of values that a unique index may refuse. */
  readonly values: UniqueValues;
}

/** A version of the document as the lock found it. */
export interface VersionRow {
  readonly id: number;
  readonly documentId: string;
  readonly locale: string;
  readonly published: boolean;
}

/** The rows that a write starts from. */
export interface Versions {
  /** The draft in the write's locale, or the one row of a type without drafts. */
  readonly own: VersionRow | undefined;
  /** Its published counterpart. */
  readonly published: VersionRow | undefined;
  /** Where a new locale takes over shared values from. */
  readonly base: VersionRow | undefined;
  readonly all: readonly VersionRow[];
  /** The document, also where only versions are left that the type has no more; null for a new one. */
  readonly documentId: string | null;
}

export interface Loaded {
  readonly versions: Versions;
  /** What is stored for the version to be written, or taken over into it; null for a new document. */
  readonly stored: Stored | null;
  /** What is stored for its published version. */
  readonly published: Stored | null;
  readonly ids: number[];
  /** Documents that the write concerns and that have no draft, as a model without drafts has left them. */
  readonly draftless: ReadonlyMap<ContentType, readonly string[]>;
  readonly targets: ReadonlyMap<ContentType, Targets>;
}

const parse = <T>(text: unknown, otherwise: T): T =>
  typeof text === 'string' ? (JSON.parse(text) as T) : otherwise;

export const toVersionRow = (row: Row): VersionRow => ({
  id: Number(row['id']),
  documentId: String(row['document_id']),
  locale: String(row['locale']),
  published: row['published'] === true,
});

/**
 * The versions that a type has, without those that an older model has left: without drafts, published ones;
 * without locales, those of the default locale, which its writes are about (D29).
 */
export const currentVersions = (
  rows: readonly VersionRow[],
  type: ContentType,
  locale: string,
): VersionRow[] =>
  rows.filter((row) => (type.draftAndPublish || row.published) && (type.localized || row.locale === locale));

/** The versions of a document by their part in a write. */
function versionsOf(rows: readonly Row[], { type, locale }: WriteRequest): Versions {
  const found = rows.map(toVersionRow);
  const all = currentVersions(found, type, locale);
  const isOwn = ({ published }: VersionRow): boolean => published === !type.draftAndPublish;
  const here = (row: VersionRow): boolean => row.locale === locale;
  return {
    all,
    own: all.find((row) => isOwn(row) && here(row)),
    published: all.find((row) => row.published && here(row)),
    base: all.find(isOwn),
    documentId: found[0]?.documentId ?? null,
  };
}

/** Whether some published version of a document has no draft. */
const lacksDraft = (rows: readonly VersionRow[]): boolean =>
  rows.some(
    ({ published, locale }) =>
      published && !rows.some((other) => !other.published && other.locale === locale),
  );

function draftlessOf(
  { type }: WriteRequest,
  { all, documentId }: Versions,
  named: ReadonlyMap<ContentType, readonly FoundRow[]>,
): Map<ContentType, string[]> {
  const documents = new Map<ContentType, string[]>();
  const add = (owner: ContentType, ids: readonly string[]): void => {
    if (ids.length > 0) documents.set(owner, [...(documents.get(owner) ?? []), ...ids]);
  };
  if (type.draftAndPublish && documentId !== null && lacksDraft(all)) add(type, [documentId]);
  for (const [target, rows] of named)
    add(
      target,
      rows.flatMap(([, id, , , , draftless]) => (draftless === true ? [id] : [])),
    );
  return documents;
}

/** Relations that may not be empty when a document is published, although the body does not name them. */
function judged({ type, settings, publish }: WriteRequest): RelationAttribute[] {
  if (!settings.strictRelations || !publish) return [];
  const relations = [...type.attributes.values()].filter((attribute) => attribute.kind === 'relation');
  return relations.filter(({ required }) => required);
}

/**
 * Looks up in one statement what a write needs to know; none when it needs nothing. Throws NotFoundError for
 * an unknown document.
 */
export async function load(runner: Runner, request: WriteRequest, locks: readonly Lock[]): Promise<Loaded> {
  const { type, documentId, locale, settings } = request;
  const { references, instances, values, user } = request.body;
  const existing = documentId !== null || type.kind === 'singleType';
  const given = [...values.values()].flatMap((one) => (one.kind === 'relation' ? [one.attribute] : []));
  const changed = new Set(
    given.filter(({ join }) => join.kind.startsWith('inverse')).map(({ target }) => target),
  );
  const nothing = !existing && references.size === 0 && instances === 0;
  const statement = compileLoad({
    type,
    existing,
    documentId,
    locale,
    defaultLocale: settings.defaultLocale,
    touched: new Set([...given, ...judged(request)].map(({ name }) => name)),
    changed,
    references,
    user,
    instances,
    locks,
    sequenceTable: componentSequence(type),
  });
  const [result] = nothing ? [{}] : await runner.run(statement);
  const found = result as Row;
  const versions = versionsOf(parse<Row[]>(found['versions'], []), request);
  if (documentId !== null && versions.all.length === 0) throw notFound();
  const stored = new Map(
    Object.entries(parse<Record<string, Stored>>(found['stored'], {})).map(([id, row]) => [Number(id), row]),
  );
  const rows = new Map(
    [...references.keys()].map((target, i) => [target, parse<readonly FoundRow[]>(found[`k${i}`], [])]),
  );
  return {
    versions,
    draftless: draftlessOf(request, versions, rows),
    stored: storedOf(type, versions, stored),
    published: versions.published === undefined ? null : (stored.get(versions.published.id) ?? null),
    ids: parse<number[]>(found['ids'], []),
    targets: new Map([...rows].map(([target, list]) => [target, new Targets(target, list, locale)])),
  };
}

/** Values of another locale that this one takes over: only what is not localized. */
function takenOver(type: ContentType, stored: Stored): Stored {
  return Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [
      name,
      type.attributes.get(name)?.localized === true ? null : value,
    ]),
  );
}

function storedOf(type: ContentType, versions: Versions, stored: ReadonlyMap<number, Stored>): Stored | null {
  const own = versions.own === undefined ? undefined : stored.get(versions.own.id);
  const base = versions.base === undefined ? undefined : stored.get(versions.base.id);
  return own ?? (base === undefined ? null : takenOver(type, base));
}
