/** What SQL has to say of a kind of join, whichever it is. */
import type { Join } from '../../schema/join-model.js';
import type { LinkedAttribute, RelationAttribute } from '../../schema/model.js';
import { type Param, quote, type Sql, sql } from '../../sql.js';
import type { LinkStep } from '../link-sql.js';
import type { Context, RowScope, Scope } from '../scope.js';
import type { ChangeShape, LinksShape, TransferShape } from '../write-shape.js';

/** A step of a read from a row, or from inside a component, to the targets of a relation. */
export interface ReadStep {
  readonly from: Scope;
  readonly attribute: RelationAttribute;
  readonly target: RowScope;
  readonly context: Context;
  /** The version conditions, where targets are looked up one by one. */
  readonly version: readonly Sql[] | null;
}

/** The rows that a step leads to. */
export interface Linked {
  readonly from: Sql;
  readonly conditions: readonly Sql[];
  /** The stored order; null for at most one. */
  readonly position: Sql | null;
}

/** The links, and the type and document id that each of them names. */
export interface NamedLinks {
  readonly from: Sql;
  readonly conditions: readonly Sql[];
  readonly position: Sql;
  readonly type: Sql;
  readonly documentId: Sql;
}

/** Whose stored targets are asked for. */
interface StoredList {
  readonly row: RowScope;
  readonly attribute: LinkedAttribute;
  readonly locale: Param;
  readonly defaultLocale: string;
}

/** One row of the table of joins. */
export interface JoinSql<J extends Join = Join> {
  /** How to get from a row to its targets. */
  targets(way: J, step: ReadStep): Linked;
  /** Whether targets that are shown are looked up one by one, each by its index. */
  isLookedUp(attribute: RelationAttribute): boolean;
  /** Whether targets have versions of which the read picks one. */
  readonly versioned: boolean;
  /** The target documents of a row in stored order, as a JSON list, whichever versions they have. */
  storedList(way: J, of: StoredList): Sql;
  /** Whether the target's row `x` links to the document `me`, in any state and locale. */
  linksTo(way: J, me: Sql): Sql;
  /** The steps that bring a new list about. */
  replace(way: J, change: ChangeShape, step: LinksShape): LinkStep[];
  /** The steps that make the links of one state those of the other. */
  transfer(way: J, transfer: TransferShape, step: LinksShape): LinkStep[];
}

/** A join of which nothing is stored that could be looked up or written on its own. */
export const NOTHING_STORED: Pick<JoinSql, 'storedList' | 'linksTo' | 'replace' | 'transfer'> = {
  storedList: () => sql`'[]'::json`,
  linksTo: () => sql`false`,
  replace: () => [],
  transfer: () => [],
};

/** The table of a step's targets, with its alias. */
export const tableOf = ({ type, alias }: RowScope): Sql => sql`${quote(type.table)} ${alias}`;
