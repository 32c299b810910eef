import { type LinkTable, SHARED_LOCALE, type TwoWayLinkTable } from '../model/join-model.js';
import type { Column, ContentType, LinkedAttribute } from '../model/model.js';
import {
  constant,
  type Identifier,
  join,
  type Param,
  plain,
  quote,
  type Sql,
  sql,
  union,
} from '../../kernel/sql.js';
import type { LinksShape, TransferShape } from './write-shape.js';

/** Part of a step's statement. `result` names the result of an earlier part of the step. */
export type Part = (result: (part: number) => Sql) => Sql;

interface ChangedRows {
  readonly type: ContentType;
  /** Null if the step updates the rows itself. */
  readonly links: ChangedLinks | null;
  /** Whether the changed rows may include rows of the written document. */
  readonly own: boolean;
}

interface ChangedLinks {
  readonly attribute: LinkedAttribute;
  readonly parts: readonly number[];
  readonly after: Part;
}

export interface LinkStep {
  readonly parts: readonly Part[];
  /** Null if the step writes links only. */
  readonly rows: ChangedRows | null;
}

export const texts = (values: Param): Sql => sql`${values}::text[]`;

/** Condition that an id is not in a list, which is hashed once. */
export const notAmong = (id: Sql, list: Param): Sql =>
  sql`${id} not in (select k.id from unnest(${texts(list)}) k(id))`;

export const writtenId = ({ documentId }: Pick<LinksShape, 'documentId'>): Sql => sql`${documentId}::text`;

export const stateOf = (published: boolean): Sql => (published ? sql`true` : sql`false`);

export const inState = (row: Sql, published: boolean): Sql =>
  published ? sql`${row}.published` : sql`not ${row}.published`;

/** Condition that a row is in one of the states; empty if these are all states. */
export const inStates = (row: Sql, states: readonly boolean[]): Sql[] =>
  states.length === 1 ? [inState(row, states[0] === true)] : [];

export const localeOf = ({ perLocale }: LinkTable, locale: Param | Sql): Sql =>
  perLocale ? sql`${locale}::text` : constant(SHARED_LOCALE);

export interface LinkLocales {
  readonly locale: Param | null;
  /** Whether `locale` is a list of locales. */
  readonly isOfSeveral?: boolean;
}

/** Condition for the locale of a link; empty if locales share the links, or all are meant. */
export function inLocale(link: Sql, links: LinkTable, { locale, isOfSeveral = false }: LinkLocales): Sql[] {
  if (!links.perLocale || locale === null) return [];
  return [sql`${link}.locale = ${isOfSeveral ? sql`any(${texts(locale)})` : localeOf(links, locale)}`];
}

/** Conditions for the links that a transfer copies. */
export const inTransfer = (link: Sql, links: LinkTable, transfer: TransferShape): Sql[] => [
  ...inLocale(link, links, transfer),
  ...inLocale(link, links, { locale: transfer.except }).map((isThere) => sql`not ${isThere}`),
];

export interface LinkNames {
  readonly table: Sql;
  readonly owner: Sql;
  readonly target: Sql;
  readonly position: Sql;
}

export const namesOf = ({ table, owner, target, position }: LinkTable): LinkNames => ({
  table: quote(table),
  owner: plain(owner.name),
  target: plain(target.name),
  position: plain(position.name),
});

export const targetColumns = ({ target, targetType }: LinkTable): readonly TargetColumn[] => [
  { name: plain(target.name), as: sql`target` },
  ...(targetType === null ? [] : [{ name: plain(targetType.name), as: sql`type` }]),
];

interface TargetColumn {
  readonly name: Sql;
  readonly as: Sql;
}

interface LinkTarget {
  readonly documentId: Sql;
  readonly calledType: string | null;
}

export function leadsTo(link: Sql, links: LinkTable, { documentId, calledType }: LinkTarget): Sql {
  const isOne = sql`${link}.${plain(links.target.name)} = ${documentId}`;
  return allOf([isOne, ...ofType(link, links, calledType)]);
}

export const ofType = (link: Sql, { targetType }: LinkTable, calledType: string | null): Sql[] =>
  targetType === null || calledType === null
    ? []
    : [sql`${link}.${plain(targetType.name)} = ${constant(calledType)}`];

/** Condition that a target of a type has at most one owner; null if targets may have any number. */
export function isTaken({ exclusive, exclusiveTypes }: LinkTable, type: Sql): Sql | null {
  if (exclusive) return sql`true`;
  if (exclusiveTypes.length === 0) return null;
  return sql`${type} in (${join(exclusiveTypes.map(constant), ', ')})`;
}

export const twoWayNamesOf = (links: TwoWayLinkTable): LinkNames & { readonly place: Sql } => ({
  ...namesOf(links),
  place: plain(links.inversePosition.name),
});

/** Columns that identify the owner version of a changed link. */
const OWNER_VERSION_COLUMNS = sql`owner, published, locale`;

export const changedIn = (parts: readonly Sql[]): Sql =>
  union(parts.map((part) => sql`select ${OWNER_VERSION_COLUMNS} from ${part}`));

/** Condition that a part has a link of the owner's row `t`. The part is hashed once for all rows. */
export const isOfOwner = (part: Sql, { perLocale }: LinkTable): Sql =>
  sql`(t.document_id, t.published, ${perLocale ? sql`t.locale` : constant(SHARED_LOCALE)})
    in (select w.owner, w.published, w.locale from ${part} w)`;

/** Returning clause of a part that changes the links `l`. */
export const changedLinks = ({ owner }: LinkNames): Sql =>
  sql`returning l.${owner} as owner, l.published, l.locale`;

export const allOf = (conditions: readonly Sql[]): Sql => join(conditions, ' and ');

/** Column that remembers the former position of a row, by the name of the column with its position. */
export const formerPlaceOf = ({ storage }: ContentType, place: Identifier): Column | undefined =>
  storage.columns.find(({ remembers }) => remembers === place);
