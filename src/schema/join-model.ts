/**
 * How relations are stored, as the model says it: a kind of join for each way from a document to its targets.
 */
import type { Identifier } from '../sql.js';

interface JoinBase {
  /** The relation's name, the same from both sides; null where there is one side only. */
  readonly name: string | null;
  /**
   * Which side of its relation an attribute is: the owning side's table, or a link table, holds the links;
   * null where there is one side only.
   */
  readonly side: 'owning' | 'inverse' | null;
  /**
   * The lock of the links, the same from both sides: that of all links which the owning side's type holds;
   * null where nobody else writes them.
   */
  readonly lock: string | null;
  /** Whether links have a locale, each its own. */
  readonly perLocale: boolean;
}

/**
 * The owning side's rows hold the target's document id: the same in all locales, unless the relation is
 * one-way. `position` orders them on the inverse side.
 */
export interface ColumnJoin extends JoinBase {
  readonly kind: 'column';
  readonly column: Identifier;
  readonly position: Identifier | null;
}

/** The target's rows hold our document id, in all locales. */
export interface InverseColumnJoin extends JoinBase {
  readonly kind: 'inverseColumn';
  readonly column: Identifier;
  readonly position: Identifier | null;
}

/** A link table of which ours is the owning side. */
export interface LinkJoin extends JoinBase {
  readonly kind: 'link';
  readonly links: LinkTable;
}

/** A link table of which the target's is the owning side. */
export interface InverseLinkJoin extends JoinBase {
  readonly kind: 'inverseLink';
  readonly links: TwoWayLinkTable;
  /** What the links call our type; null where they lead to no other. */
  readonly calledType: string | null;
}

/** Inside a component: the instance holds one document id or a list of them. */
export interface EmbeddedJoin extends JoinBase {
  readonly kind: 'embedded';
}

/** The other locales of the same document. */
export interface LocalesJoin extends JoinBase {
  readonly kind: 'locales';
}

/** The documents that hold ours by any media attribute of theirs, at any depth. */
export interface HoldersJoin extends JoinBase {
  readonly kind: 'holders';
}

/** How a relation reaches its targets. Relations link documents; the version is picked when they are read. */
export type Join =
  ColumnJoin | InverseColumnJoin | LinkJoin | InverseLinkJoin | EmbeddedJoin | LocalesJoin | HoldersJoin;

/** A column of a link table. */
export interface LinkColumn {
  readonly name: Identifier;
  /** Its property in the entity. */
  readonly property: string;
  /** Its type in the database. */
  readonly type: string;
  /** Part of the primary key. */
  readonly key: boolean;
}

/**
 * A table of links: its columns by what they are for. A link is one of documents: it stands once for a state
 * of its owner, or once for a state and locale, whether or not there is such a version already (D20, D25).
 */
export interface LinkTable {
  readonly table: Identifier;
  /** The document whose link it is, as a document id. */
  readonly owner: LinkColumn;
  /** In which state of the owner. */
  readonly published: LinkColumn;
  /** In which locale of the owner; {@link SHARED} where all have the same. */
  readonly locale: LinkColumn;
  readonly target: LinkColumn;
  /** The type of the target, by its `singularApiId`; null where there is one type only. */
  readonly targetType: LinkColumn | null;
  /** The position among the owner's links. */
  readonly position: LinkColumn;
  /**
   * The place among the links of the target, a number of the {@link Storage.counter}: what comes later is
   * greater; null where the target's type does not show them.
   */
  readonly inversePosition: LinkColumn | null;
  /** Whether each locale of the owner has links of its own. */
  readonly perLocale: boolean;
  /** Whether an owner has one link at most. */
  readonly toOne: boolean;
  /** Whether a target has one owner at most: in a state, and in a locale where locales have their own. */
  readonly exclusive: boolean;
  /** Where there are several types: those whose documents have one owner at most, each. */
  readonly exclusiveTypes: readonly string[];
  /** The index for the links of a target. */
  readonly targetIndex: Identifier;
}

/** The locale of links that all locales share. */
export const SHARED = '';

/** A table of links that both sides show. */
export interface TwoWayLinkTable extends LinkTable {
  readonly inversePosition: LinkColumn;
}
