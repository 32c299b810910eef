/** Interface of the SQL of all kinds of joins. */
import type { Join } from '../../model/join-model.js';
import type { LinkedAttribute, RelationAttribute } from '../../model/model.js';
import { type Param, quote, type Sql, sql } from '../../../kernel/sql.js';
import type { LinkChange, LinksStep, LinkTransfer } from '../../plan/steps.js';
import { inState, inStates, type LinkStep } from '../link-sql.js';
import type { Context, RowScope, Scope } from '../scope.js';
import type { ChangeShape, LinksShape, TransferShape } from '../write-shape.js';

export interface ReadStep {
  readonly from: Scope;
  readonly attribute: RelationAttribute;
  readonly target: RowScope;
  readonly context: Context;
  /** Version conditions if each target is looked up separately; otherwise null. */
  readonly version: readonly Sql[] | null;
}

export interface LinkedRows {
  readonly from: Sql;
  readonly conditions: readonly Sql[];
  /** Stored order; null for at most one target. */
  readonly position: Sql | null;
}

/** Polymorphic links, with the type and document id of each target. */
export interface NamedLinks {
  readonly from: Sql;
  readonly conditions: readonly Sql[];
  readonly position: Sql;
  readonly type: Sql;
  readonly documentId: Sql;
}

interface StoredList {
  readonly row: RowScope;
  readonly attribute: LinkedAttribute;
  readonly locale: Param | Sql;
  readonly defaultLocale: string;
}

/** Links to documents that may take their targets from others. */
export type NewLinks = LinkChange | LinkTransfer;

export const isChange = (links: NewLinks): links is LinkChange => 'targets' in links;

/** Conditions for rows in the states that a write changes. */
export const inWritten = (row: Sql, links: NewLinks): Sql[] =>
  isChange(links) ? inStates(row, links.states) : [inState(row, links.published)];

export interface JoinSql<J extends Join = Join> {
  /** Prints the path from a row to its targets. */
  targets(way: J, step: ReadStep): LinkedRows;
  /** Whether shown targets are looked up separately, each by its index. */
  isLookedUp(attribute: RelationAttribute): boolean;
  /**
   * Whether a unique index allows one target row, so that a join repeats no row. A target has one row in each
   * state and locale; a link table has no such index.
   */
  isJoined(attribute: RelationAttribute): boolean;
  /** Whether the read selects one of several versions of each target. */
  readonly versioned: boolean;
  /** Prints the target document ids of a row in stored order, as a JSON list, regardless of versions. */
  storedList(way: J, of: StoredList): Sql;
  /** Condition that the target's row `x` links to the document `me`, in any state and locale. */
  linksTo(way: J, me: Sql): Sql;
  /** Steps that replace the list of targets. */
  replace(way: J, change: ChangeShape, step: LinksShape): LinkStep[];
  /** Steps that copy the links of one state to the other. */
  transfer(way: J, transfer: TransferShape, step: LinksShape): LinkStep[];
  /** Prints the rows `t` of documents that lose an exclusive target; null if there are none. */
  losers(way: J, links: NewLinks, step: LinksStep): Sql | null;
}

/** Methods of joins without links of their own to look up or write. */
export const NOTHING_STORED: Pick<JoinSql, 'storedList' | 'linksTo' | 'replace' | 'transfer' | 'losers'> = {
  storedList: () => sql`'[]'::json`,
  linksTo: () => sql`false`,
  replace: () => [],
  transfer: () => [],
  losers: () => null,
};

export const tableOf = ({ type, alias }: RowScope): Sql => sql`${quote(type.table)} ${alias}`;
