/** One write: lock, load, settle, rows, links, answer; at most six statements, whatever the number of targets. */
import { createId } from '@paralleldrive/cuid2';
import { compileLinks, type LinkChange, type LinkCopy, linkSteps, type LinksRequest } from '../compile/compile-links.js';
import { compileLoad, compileLock } from '../compile/compile-load.js';
import { type ColumnValues, compileCreate, compileDiscard, compileUpdate, type RowsRequest } from '../compile/compile-write.js';
import type { Row, Runner } from '../database/database.js';
import { COMPONENT_SEQUENCE } from '../database/sequences.js';
import { type Issue, issuesError, notFound, validationError } from '../errors.js';
import type { Body } from '../plan/body.js';
import type { Resolver } from '../plan/links.js';
import type { Reference } from '../plan/relation-input.js';
import { settle, type Settled, type Stored } from '../plan/settle.js';
import type { ContentType, RelationAttribute } from '../schema/model.js';
import { withGeneratedUids } from './generate-uid.js';

/** What a write is about. */
export interface WriteRequest {
  readonly type: ContentType;
  /** Null to create; for a single type, null until its document is found. */
  readonly documentId: string | null;
  readonly locale: string;
  /** Whether the published version is written; false for `status=draft`. Always true in types without drafts. */
  readonly publish: boolean;
  readonly body: Body;
  readonly hashes: ReadonlyMap<string, string>;
  /** Filled with the values that a unique index may refuse. */
  readonly values: Map<string, unknown>;
}

/** A version of the document as the lock found it. */
interface VersionRow {
  readonly id: number;
  readonly documentId: string;
  readonly locale: string;
  readonly published: boolean;
}

/** The rows that a write starts from. */
interface Versions {
  /** The draft in the write's locale, or the one row of a type without drafts. */
  readonly own: VersionRow | undefined;
  /** Its published counterpart. */
  readonly published: VersionRow | undefined;
  /** Where a new locale takes over shared values from. */
  readonly base: VersionRow | undefined;
  readonly all: readonly VersionRow[];
}

interface Loaded {
  readonly stored: ReadonlyMap<number, Stored>;
  readonly ids: number[];
  readonly resolvers: ReadonlyMap<ContentType, Resolver>;
}

const parse = <T>(text: unknown, otherwise: T): T => (typeof text === 'string' ? (JSON.parse(text) as T) : otherwise);

const toVersionRow = (row: Row): VersionRow => ({
  id: Number(row['id']),
  documentId: String(row['document_id']),
  locale: String(row['locale']),
  published: row['published'] === true,
});

function versionsOf(rows: readonly Row[], request: WriteRequest): Versions {
  const all = rows.map(toVersionRow);
  const isOwn = ({ published }: VersionRow): boolean => published === !request.type.draftAndPublish;
  const here = (row: VersionRow): boolean => !request.type.localized || row.locale === request.locale;
  return {
    all,
    own: all.find((row) => isOwn(row) && here(row)),
    published: all.find((row) => row.published && here(row)),
    base: all.find(isOwn),
  };
}

function resolverOf(target: ContentType, found: readonly (readonly [number, string])[], locale: string): Resolver {
  const byRow = new Map(found);
  const documents = new Set(byRow.values());
  const find = (reference: Reference): string | undefined =>
    'id' in reference ? byRow.get(reference.id) : documents.has(reference.documentId) ? reference.documentId : undefined;
  const require = (references: readonly Reference[]): readonly string[] => {
    const missing = references.filter((reference) => find(reference) === undefined);
    const named = missing.find((reference) => 'documentId' in reference);
    if (named !== undefined && 'documentId' in named) {
      throw validationError(`Document with id "${named.documentId}", locale "${target.localized ? locale : 'null'}" not found`);
    }
    if (missing.length > 0) throw validationError(`${missing.length} relation(s) of type ${target.internal ? 'plugin::upload.file' : `api::${target.uid}.${target.uid}`} associated with this entity do not exist`);
    return references.map((reference) => find(reference) as string);
  };
  return { find, require };
}

async function load(runner: Runner, request: WriteRequest, versions: Versions): Promise<Loaded> {
  const rows = [versions.own ?? versions.base, versions.published].flatMap((row) => (row === undefined ? [] : [row.id]));
  const touched = new Set([...request.body.values].filter(([, given]) => given.kind === 'relation').map(([name]) => name));
  const { references, instances } = request.body;
  const nothing = rows.length === 0 && references.size === 0 && instances === 0;
  const [result] = nothing ? [{}] : await runner.run(compileLoad({ type: request.type, rows, touched, references, instances, sequenceTable: COMPONENT_SEQUENCE }));
  const found = result as Row;
  const stored = parse<Record<string, Stored>>(found['stored'], {});
  return {
    stored: new Map(Object.entries(stored).map(([id, values]) => [Number(id), values])),
    ids: parse<number[]>(found['ids'], []),
    resolvers: new Map([...references.keys()].map((target, i) => [target, resolverOf(target, parse(found[`k${i}`], []), request.locale)])),
  };
}

/** Values of another locale that this one takes over: only what is not localized. */
function takenOver(type: ContentType, stored: Stored): Stored {
  return Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, type.attributes.get(name)?.localized === true ? null : value]));
}

const NOWHERE: Resolver = { find: () => undefined, require: (references) => references.map(() => '') };

/** What is stored for the version to be written, or taken over into it; null for a new document. */
function storedOf(type: ContentType, versions: Versions, loaded: Loaded): Stored | null {
  const own = versions.own === undefined ? undefined : loaded.stored.get(versions.own.id);
  const base = versions.base === undefined ? undefined : loaded.stored.get(versions.base.id);
  return own ?? (base === undefined ? null : takenOver(type, base));
}

function settled(request: WriteRequest, versions: Versions, loaded: Loaded): Settled {
  const { type, body } = request;
  const issues: Issue[] = [];
  const stored = storedOf(type, versions, loaded);
  const published = versions.published === undefined ? undefined : loaded.stored.get(versions.published.id);
  const ids = [...loaded.ids];
  const draft = type.draftAndPublish && !request.publish;
  const result = settle(type, { given: body.values, stored, versions: published === undefined ? [] : [published] }, {
    draft,
    missingIsNull: type.draftAndPublish,
    complete: versions.own === undefined || (type.draftAndPublish && request.publish),
    issues,
    newInstance: () => ({ id: ids.shift() ?? 0, documentId: newDocumentId() }),
    hash: (password) => request.hashes.get(password) ?? '',
    resolver: (target) => loaded.resolvers.get(target) ?? NOWHERE,
  });
  if (issues.length > 0) throw issuesError(issues);
  return result;
}

/** Keeps the values that a unique index may refuse, for the message about it. */
function noteValues({ type, values }: WriteRequest, result: Settled, stored: Stored | null): void {
  for (const attribute of type.attributes.values()) {
    if (attribute.kind !== 'scalar' || (attribute.def.unique !== true && attribute.def.type !== 'uid')) continue;
    values.set(attribute.name, result.values.get(attribute) ?? stored?.[attribute.name]);
  }
}

/** 24 lower-case letters and digits, a letter first (protocol 1.23). */
export const newDocumentId = (): string => createId();

function columnValues({ values, lists }: Settled): ColumnValues {
  const toOne = [...lists].flatMap(([attribute, list]): [RelationAttribute, unknown][] => (attribute.join.kind === 'column' ? [[attribute, list[0] ?? null]] : []));
  return new Map<Parameters<ColumnValues['get']>[0], unknown>([...values, ...toOne]);
}

/** Which rows' links a relation's new list belongs to. */
function ownersOf(attribute: RelationAttribute, request: WriteRequest, touched: readonly VersionRow[]): number[] {
  const shared = request.type.localized && !attribute.localized;
  return touched.filter((row) => shared || !request.type.localized || row.locale === request.locale).map(({ id }) => id);
}

/** The links of a write, once the rows are known that they belong to. */
function linksRequest(request: WriteRequest, documentId: string, { versions, result, touched }: Linking): LinksRequest {
  const { type } = request;
  const inserted = touched === 'inserted';
  const changes = [...result.lists].map(([attribute, targets]): LinkChange => ({
    attribute,
    targets,
    owners: inserted ? 'inserted' : ownersOf(attribute, request, touched),
  }));
  return { type, documentId, draftsOnly: type.draftAndPublish && !request.publish, changes, copies: inserted ? [] : copiesOf(request, { versions, result, touched }) };
}

/** What decides about links: what was there, what is wanted, and the rows written. */
interface Linking {
  readonly versions: Versions;
  readonly result: Settled;
  readonly touched: readonly VersionRow[] | 'inserted';
}

/** Links that published rows and new locales take over as they are. */
function copiesOf(request: WriteRequest, { versions, result, touched }: Linking & { readonly touched: readonly VersionRow[] }): LinkCopy[] {
  const { type } = request;
  const own = touched.find((row) => row.published === !type.draftAndPublish && (!type.localized || row.locale === request.locale));
  const source = versions.own ?? versions.base;
  return [...type.attributes.values()].flatMap((attribute): LinkCopy[] => {
    if (attribute.kind !== 'relation' || attribute.join.kind !== 'link' || result.lists.has(attribute)) return [];
    if (source === undefined || (versions.own === undefined && attribute.localized)) return [];
    const to = ownersOf(attribute, request, touched).filter((id) => id !== source.id && (id !== own?.id || versions.own === undefined) && isCopied(id, touched, versions));
    return [{ attribute, from: source.id, to }];
  });
}

/**
 * The rows that an update will touch, when all of them exist already; undefined when one will be inserted. Links can
 * then go into the same statement, unless they change rows of the document's own table, which the statement changes too.
 */
function foreseen(request: WriteRequest, versions: Versions, result: Settled): readonly VersionRow[] | undefined {
  const { type, publish } = request;
  if (versions.own === undefined || (publish && versions.published === undefined)) return undefined;
  const entangled = [...result.lists.keys()].some(({ target, join }) => target === type && join.kind === 'inverseColumn') || [...result.lists.keys()].some((attribute) => attribute.join.kind === 'column' && attribute.exclusive);
  return entangled ? undefined : versions.all.filter((row) => (row.published ? publish : true));
}

/** Published rows always take the draft's links; drafts only when they are new. */
const isCopied = (id: number, touched: readonly VersionRow[], versions: Versions): boolean =>
  touched.some((row) => row.id === id && row.published) || !versions.all.some((row) => row.id === id);

/**
 * Runs a write inside a transaction and returns the document's id. Throws NotFoundError for an unknown document and
 * a ValidationError for a body that cannot be stored; nothing has been written then.
 */
export async function write(runner: Runner, request: WriteRequest): Promise<string> {
  const { type } = request;
  const existing = request.documentId !== null || type.kind === 'singleType';
  const versions = versionsOf(existing ? await runner.run(compileLock(type, request.documentId)) : [], request);
  if (request.documentId !== null && versions.all.length === 0) throw notFound();
  const loaded = await load(runner, request, versions);
  const stored = storedOf(type, versions, loaded);
  const result = await withGeneratedUids(runner, request, settled(request, versions, loaded), stored);
  noteValues(request, result, stored);
  const documentId = request.documentId ?? versions.all[0]?.documentId ?? newDocumentId();
  const rows: RowsRequest = {
    type,
    documentId,
    locale: request.locale,
    values: columnValues(result),
    row: versions.own?.id ?? null,
    base: versions.base?.id ?? null,
    publish: request.publish,
  };
  await writeRows(runner, request, rows, { versions, result });
  return documentId;
}

async function writeRows(runner: Runner, request: WriteRequest, rows: RowsRequest, known: Omit<Linking, 'touched'>): Promise<void> {
  const { versions, result } = known;
  const { documentId } = rows;
  if (versions.own === undefined && versions.base === undefined) {
    await runner.run(compileCreate(rows, linkSteps(linksRequest(request, documentId, { ...known, touched: 'inserted' }))));
    return;
  }
  const touched = foreseen(request, versions, result);
  if (touched !== undefined) {
    await runner.run(compileUpdate(rows, linkSteps(linksRequest(request, documentId, { ...known, touched }))));
    return;
  }
  const written = (await runner.run(compileUpdate(rows, []))).map((row) => ({ ...toVersionRow(row), documentId }));
  const links = compileLinks(linksRequest(request, documentId, { ...known, touched: written }));
  if (links !== null) await runner.run(links);
}

/** Puts the draft back to the published version, links included. Throws NotFoundError where there is none. */
export async function discardDraft(runner: Runner, type: ContentType, documentId: string, locale: string): Promise<void> {
  const rows = (await runner.run(compileLock(type, documentId))).map(toVersionRow).filter((row) => !type.localized || row.locale === locale);
  const draft = rows.find((row) => !row.published);
  const published = rows.find((row) => row.published);
  if (draft === undefined || published === undefined) throw notFound();
  const touched = (await runner.run(compileDiscard(type, draft.id, published.id))).map((row) => Number(row['id']));
  const copies = [...type.attributes.values()].flatMap((attribute): LinkCopy[] => {
    if (attribute.kind !== 'relation') return [];
    return [{ attribute, from: published.id, to: attribute.localized ? [draft.id] : touched }];
  });
  const statement = compileLinks({ type, documentId, draftsOnly: true, changes: [], copies });
  if (statement !== null) await runner.run(statement);
}
