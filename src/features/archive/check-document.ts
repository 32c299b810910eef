/**
 * Checks the documents of an archive: the shape of their rows, and their values by the rules for request
 * bodies.
 */
import type { Locales } from '../../content/model/description.js';
import { holdersIn, isEmbedded, problemOf } from '../../content/plan/stored-problems.js';
import { isObject, isText } from '../../kernel/json.js';
import type { StoredValues } from '../../content/plan/stored-instances.js';
import type { DocumentMember } from '../../content/documents/archive-parts.js';
import type { ArchivedType } from '../../content/model/archive.js';
import { linkTableColumns } from '../../content/model/join-model.js';
import type { Attribute, StoredLinks } from '../../content/model/model.js';
import { isScheduledAction, SCHEDULE_COLUMNS, SCHEDULED_ACTIONS } from '../../content/model/schedule.js';
import { SYSTEM_COLUMNS } from '../../content/model/system-columns.js';
import { damageIn, hasEscapes, type RowShape } from './check-rows.js';
import { ArchiveError, documentIdOf } from './format.js';
import type { ArchiveConflict } from './compare-batch.js';
import { DocumentParser, isRows } from './parse-document.js';

export interface DocumentRules {
  readonly archived: ArchivedType;
  readonly locales: Locales;
  /** True accepts stored values that no request body can have. */
  readonly trusted: boolean;
  /** Highest row id of the type, as the archive declares it. */
  readonly lastId: number;
  /** Members that features have added to documents. */
  readonly members: readonly DocumentMember[];
}

interface Check extends DocumentRules {
  readonly shape: DocumentShape;
  readonly parser: DocumentParser;
  readonly columns: readonly { readonly property: string; readonly name: string }[];
}

const TIMES: RowShape = {
  columns: SCHEDULE_COLUMNS.filter(({ name }) => !['type', 'document_id'].includes(name)),
  key: ['locale', 'action'],
};

function linkShape({ table }: StoredLinks): RowShape {
  const columns = linkTableColumns(table).filter((column) => column !== table.owner);
  return { columns, key: columns.filter(({ key }) => key).map(({ name }) => name) };
}

/** Returns the list of a member as rows, and their shape. */
function listed(list: unknown, lists: DocumentMember['lists']): readonly [unknown, RowShape] {
  if (!('name' in lists)) return [list, { columns: lists, key: [] }];
  const rows = Array.isArray(list) ? list.map((value: unknown) => ({ [lists.name]: value })) : list;
  return [rows, { columns: [lists], key: [] }];
}

interface DocumentShape {
  readonly versions: RowShape;
  readonly links: readonly (readonly [name: string, shape: RowShape])[];
}

function shapeOf({ columns, links }: ArchivedType): DocumentShape {
  return {
    versions: { columns: [...SYSTEM_COLUMNS, ...columns], key: ['locale', 'published'] },
    links: links.map((one) => [one.attribute.name, linkShape(one)]),
  };
}

interface Rows {
  readonly versions: readonly StoredValues[];
  readonly times: readonly StoredValues[];
}

/** Returns the rows of a document, or the reason if no export writes such a line. */
function rowsIn(line: string, { shape, parser, lastId, members }: Check): Rows | string {
  const document = parser.parse(line);
  const id = documentIdOf(line);
  if (document?.['documentId'] !== id || !isObject(document['links'])) return 'cannot be read';
  const { versions, links } = document;
  const times = document['schedule'] ?? [];
  const lists: readonly (readonly [unknown, RowShape])[] = [
    [versions, shape.versions],
    ...shape.links.map(([name, one]) => [links[name] ?? [], one] as const),
    [times, TIMES],
    ...members.map(({ name, lists: one }) => listed(document[name] ?? [], one)),
  ];
  const escaped = hasEscapes(line);
  const wrong = lists.map(([rows, one]) => damageIn(rows, one, escaped)).find((one) => one !== null);
  if (wrong !== undefined) return wrong;
  if (!isRows(versions) || !isRows(times) || versions.length === 0) return 'has no versions';
  if (versions.some((one) => one['document_id'] !== id)) return 'has a version of another document';
  if (versions.some((one) => Number(one['id']) > lastId)) return 'has a row number beyond the last one';
  return { versions, times };
}

/** Characters that need no escape in a URL. */
const DOCUMENT_ID = /^[A-Za-z0-9_.~-]{1,255}$/;

/** Returns why no write stores such a component or zone, or such an instance; null if one does. */
function damageOf(attribute: Attribute, value: unknown): string | null {
  if (!isEmbedded(attribute) || (value ?? null) === null) return null;
  const items = [value].flat();
  if (!items.every(isObject)) return `${attribute.name} must have instances that are objects`;
  const isNamed = items.every((one) => Number.isInteger(one['id']) && isText(one['documentId']));
  return isNamed ? null : `${attribute.name} must have instances with an id and a documentId`;
}

/** Yields the values of a version that no request body can have: attribute and reason. */
function* refusedIn(version: StoredValues, check: Check): Generator<readonly [string, string]> {
  const { type } = check.archived;
  const { locales, defaultLocale } = check.locales;
  const [locale, published] = [String(version['locale']), version['published'] === true];
  if (!published && !type.draftAndPublish) yield ['status', 'the type has no drafts'];
  if (!(type.localized ? locales : [defaultLocale]).includes(locale))
    yield ['locale', `"${locale}" is not a locale of the type`];
  const values = Object.fromEntries(check.columns.map(({ property, name }) => [property, version[name]]));
  const root = { model: type, at: type.singularApiId, values };
  const draft = type.draftAndPublish && !published;
  for (const holder of holdersIn(root, () => undefined))
    for (const attribute of holder.model.attributes.values()) {
      if (holder === root && !(attribute.name in values)) continue;
      const value = holder.values[attribute.name];
      const problem = damageOf(attribute, value) ?? problemOf(attribute, value, draft);
      if (problem !== null) yield [`${holder.at}.${attribute.name}`.slice(root.at.length + 1), problem];
    }
}

function* refused({ versions, times }: Rows, check: Check): Generator<readonly [string, string]> {
  for (const version of versions) {
    if (!DOCUMENT_ID.test(String(version['document_id'])))
      yield ['documentId', 'it has characters other than letters, digits and "-_.~", or more than 255'];
    yield* refusedIn(version, check);
  }
  if (times.length > 0 && !check.archived.type.draftAndPublish) yield ['schedule', 'the type has no drafts'];
  if (times.some(({ action }) => !isScheduledAction(action)))
    yield ['schedule', `an action is none of ${SCHEDULED_ACTIONS.join(', ')}`];
}

/** Returns the conflicts of a document. Throws an ArchiveError for a line that no export writes. */
function conflictsOf(line: string, check: Check): readonly ArchiveConflict[] {
  const { singularApiId: type } = check.archived.type;
  const documentId = documentIdOf(line);
  const damaged = (why: string): ArchiveError =>
    new ArchiveError(`The archive is damaged: its document ${type} "${documentId}" ${why}`);
  const found = new Map<string, string>();
  try {
    const rows = rowsIn(line, check);
    if (typeof rows === 'string') throw damaged(rows);
    if (check.trusted) return [];
    for (const [attribute, reason] of refused(rows, check))
      if (!found.has(attribute)) found.set(attribute, reason);
  } catch (error) {
    // The checks recurse into JSON.
    throw error instanceof RangeError ? damaged('is nested too deeply') : error;
  }
  return [...found].map(([attribute, reason]) => ({ kind: 'rule', type, documentId, attribute, reason }));
}

/** Returns the conflicts of a document with the rules of the application, at most one per attribute. */
export type DocumentCheck = (line: string) => readonly ArchiveConflict[];

/** Returns a check, which throws an ArchiveError for a line that no export writes. */
export function documentCheck(rules: DocumentRules): DocumentCheck {
  const { archived } = rules;
  const columns = [...SYSTEM_COLUMNS, ...archived.columns];
  const check = { ...rules, shape: shapeOf(archived), parser: new DocumentParser(archived), columns };
  return (line) => conflictsOf(line, check);
}

/** Throws an ArchiveError for a batch with a document twice. */
export function refuseTwice(lines: readonly string[], { type }: ArchivedType): void {
  if (new Set(lines.map(documentIdOf)).size < lines.length)
    throw new ArchiveError(`The archive is damaged: it contains a document of ${type.singularApiId} twice`);
}

/** Checks the documents of a batch, which must all differ. */
export function checkDocuments(lines: readonly string[], rules: DocumentRules): readonly ArchiveConflict[] {
  refuseTwice(lines, rules.archived);
  return lines.flatMap(documentCheck(rules));
}
