/** What the statements about links are made of. */
import { type LinkTable, SHARED, type TwoWayLinkTable } from '../schema/join-model.js';
import type { Column, ContentType, LinkedAttribute } from '../schema/model.js';
import { constant, type Identifier, join, type Param, plain, quote, type Sql, sql, union } from '../sql.js';
import type { LinksShape, TransferShape } from './write-shape.js';

/** A part of a step's statement. It may read what an earlier part of the step returns, by its number. */
export type Part = (result: (part: number) => Sql) => Sql;

/** What a step means for the rows of a type; a statement changes a row only once. */
interface ChangedRows {
  readonly type: ContentType;
  /** What the step changes of their links; null where it updates the rows itself. */
  readonly links: ChangedLinks | null;
  /** Whether rows of the written document may be among them. */
  readonly own: boolean;
}

/** Links that change, so that the rows of their owners have to be noted. */
interface ChangedLinks {
  /** The relation, on its owning side. */
  readonly attribute: LinkedAttribute;
  /** The parts that return whose links have changed. */
  readonly parts: readonly number[];
  /** The targets that an owner's row `t` has after the step, as a list. */
  readonly after: Part;
}

/** One step of a statement. */
export interface LinkStep {
  readonly parts: readonly Part[];
  /** Null where the step writes links alone. */
  readonly rows: ChangedRows | null;
}

export const texts = (values: Param): Sql => sql`${values}::text[]`;

/** Whether an id is in none of a list, which is hashed once and not searched for each row. */
export const notAmong = (id: Sql, list: Param): Sql =>
  sql`${id} not in (select k.id from unnest(${texts(list)}) k(id))`;

/** The document id of the written document. */
export const writtenId = ({ documentId }: Pick<LinksShape, 'documentId'>): Sql => sql`${documentId}::text`;

/** A state as a value. */
export const stateOf = (published: boolean): Sql => (published ? sql`true` : sql`false`);

/** Whether a row is in a state. */
export const inState = (row: Sql, published: boolean): Sql =>
  published ? sql`${row}.published` : sql`not ${row}.published`;

/** Whether a row is in one of the states; nothing where they are all there are. */
export const inStates = (row: Sql, states: readonly boolean[]): Sql[] =>
  states.length === 1 ? [inState(row, states[0] === true)] : [];

/** The locale in which a table has the links that a write in a locale means. */
export const localeOf = ({ perLocale }: LinkTable, locale: Param): Sql =>
  perLocale ? sql`${locale}::text` : constant(SHARED);

/** Whether a link is in the locale of a write, or in any where that is null. */
export const inLocale = (link: Sql, links: LinkTable, locale: Param | null): Sql[] =>
  links.perLocale && locale !== null ? [sql`${link}.locale = ${localeOf(links, locale)}`] : [];

/** Whether a link is one that changes its state. */
export const inTransfer = (link: Sql, links: LinkTable, { locale, except }: TransferShape): Sql[] => [
  ...inLocale(link, links, locale),
  ...inLocale(link, links, except).map((isThere) => sql`not ${isThere}`),
];

/** The names of a link table in SQL. */
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

/** What tells the target of a link: its columns, and what they are called where links are wanted. */
export const targetColumns = ({ target, targetType }: LinkTable): readonly TargetColumn[] => [
  { name: plain(target.name), as: sql`target` },
  ...(targetType === null ? [] : [{ name: plain(targetType.name), as: sql`type` }]),
];

interface TargetColumn {
  readonly name: Sql;
  readonly as: Sql;
}

/** A target, as a document id or a set of them, and what links that lead to several types call its type. */
interface LinkTarget {
  readonly documentId: Sql;
  readonly calledType: string | null;
}

/** Whether a link leads to a document of a type, or to one of several. */
export function leadsTo(link: Sql, links: LinkTable, { documentId, calledType }: LinkTarget): Sql {
  const isOne = sql`${link}.${plain(links.target.name)} = ${documentId}`;
  return allOf([isOne, ...ofType(link, links, calledType)]);
}

/** Whether the target of a link is of a type; nothing where links lead to one type only. */
export const ofType = (link: Sql, { targetType }: LinkTable, calledType: string | null): Sql[] =>
  targetType === null || calledType === null
    ? []
    : [sql`${link}.${plain(targetType.name)} = ${constant(calledType)}`];

/** Whether a target of a type has one owner at most; null where targets may have any number. */
export function isTaken({ exclusive, exclusiveTypes }: LinkTable, type: Sql): Sql | null {
  if (exclusive) return sql`true`;
  if (exclusiveTypes.length === 0) return null;
  return sql`${type} in (${join(exclusiveTypes.map(constant), ', ')})`;
}

/** The same, and the place on the other side. */
export const twoWayNamesOf = (links: TwoWayLinkTable): LinkNames & { readonly place: Sql } => ({
  ...namesOf(links),
  place: plain(links.inversePosition.name),
});

/** What identifies a link, for the parts that change links: whose owners' content has changed. */
const CHANGED = sql`owner, published, locale`;

/** The owners in the results of parts. */
export const changedIn = (parts: readonly Sql[]): Sql =>
  union(parts.map((part) => sql`select ${CHANGED} from ${part}`));

/** Whether a part has a link of the owner's row `t`. It is hashed once, however many rows there are. */
export const isOfOwner = (part: Sql, { perLocale }: LinkTable): Sql =>
  sql`(t.document_id, t.published, ${perLocale ? sql`t.locale` : constant(SHARED)})
    in (select w.owner, w.published, w.locale from ${part} w)`;

/** What a part that changes the links `l` returns. */
export const changedLinks = ({ owner }: LinkNames): Sql =>
  sql`returning l.${owner} as owner, l.published, l.locale`;

export const allOf = (conditions: readonly Sql[]): Sql => join(conditions, ' and ');

/** The column that remembers which place a row had before, by the name of the one that has its place. */
export const formerPlaceOf = ({ storage }: ContentType, place: Identifier): Column | undefined =>
  storage.columns.find(({ remembers }) => remembers === place);
