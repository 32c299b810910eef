/** Joins: the ways from a document to the targets of a relation, as the model describes them. */
import type { Identifier } from '../../kernel/sql.js';

interface JoinBase {
  /** Name of the relation, equal on both sides; null for a one-sided join. */
  readonly name: string | null;
  /**
   * Side of the relation. The owning side's table, or its link table, stores the links. Null for a one-sided
   * join.
   */
  readonly side: 'owning' | 'inverse' | null;
  /**
   * Name of the advisory lock for the links, equal on both sides: one lock for all links of the owning type.
   * Null if only the document itself writes them.
   */
  readonly lock: string | null;
  readonly perLocale: boolean;
}

/**
 * Column of the owning side with the target's document id. All locales have the same one, unless the relation
 * is one-way. `position` orders the rows on the inverse side.
 */
export interface ColumnJoin extends JoinBase {
  readonly kind: 'column';
  readonly column: Identifier;
  readonly position: Identifier | null;
}

export interface InverseColumnJoin extends JoinBase {
  readonly kind: 'inverseColumn';
  readonly column: Identifier;
  readonly position: Identifier | null;
}

export interface LinkJoin extends JoinBase {
  readonly kind: 'link';
  readonly links: LinkTable;
}

export interface InverseLinkJoin extends JoinBase {
  readonly kind: 'inverseLink';
  readonly links: TwoWayLinkTable;
  /** Name of this side's type in the links; null if the links have one target type only. */
  readonly calledType: string | null;
}

export interface EmbeddedJoin extends JoinBase {
  readonly kind: 'embedded';
}

export interface LocalesJoin extends JoinBase {
  readonly kind: 'locales';
}

export interface HoldersJoin extends JoinBase {
  readonly kind: 'holders';
}

export type Join =
  ColumnJoin | InverseColumnJoin | LinkJoin | InverseLinkJoin | EmbeddedJoin | LocalesJoin | HoldersJoin;

export interface LinkColumn {
  readonly name: Identifier;
  readonly property: string;
  readonly type: string;
  readonly key: boolean;
}

/**
 * Link table, with its columns by purpose. A link is between documents, so its version need not exist yet. It
 * has one row per state of the owner, or per state and locale (D20, D25).
 */
export interface LinkTable {
  readonly table: Identifier;
  readonly owner: LinkColumn;
  readonly published: LinkColumn;
  /** Locale of the owner; {@link SHARED_LOCALE} if all locales share the links. */
  readonly locale: LinkColumn;
  readonly target: LinkColumn;
  /** `singularApiId` of the target's type; null if there is one target type only. */
  readonly targetType: LinkColumn | null;
  readonly position: LinkColumn;
  /**
   * Position among the target's links: a number from {@link Storage.counter}, greater for later links. Null
   * if the target's type does not show the links.
   */
  readonly inversePosition: LinkColumn | null;
  readonly perLocale: boolean;
  readonly toOne: boolean;
  /** Whether a target has at most one owner per state, and per locale if locales have their own links. */
  readonly exclusive: boolean;
  /** Target types whose documents have at most one owner each, in a polymorphic relation. */
  readonly exclusiveTypes: readonly string[];
  readonly targetIndex: Identifier;
}

/** Returns the columns of a link table, the owner first. */
export function linkTableColumns(links: LinkTable): readonly LinkColumn[] {
  const { owner, published, locale, target, targetType, position, inversePosition } = links;
  const all = [owner, published, locale, target, targetType, position, inversePosition];
  return all.filter((column) => column !== null);
}

/** Locale of links that all locales share. */
export const SHARED_LOCALE = '';

export interface TwoWayLinkTable extends LinkTable {
  readonly inversePosition: LinkColumn;
}
