/**
 * What will be read: every name resolved, rights applied, one status and one locale for the whole tree.
 * Frozen.
 */
import type { CoverageOf } from './coverage.js';
import type { OwnCondition } from '../access/decide.js';
import type { Template } from '../sql.js';
import type { OperatorName } from '../query/operators.js';
import type { Pagination, PublicationFilter } from '../query/query.js';
import type {
  Attribute,
  ComponentAttribute,
  ContentType,
  Model,
  MorphAttribute,
  RelationAttribute,
  ScalarAttribute,
  ZoneAttribute,
} from '../schema/model.js';

/** Which locales the root shows. Below it: the same one, or with several the row's own, else the default. */
export type LocalePick =
  | { readonly kind: 'one'; readonly code: string }
  | { readonly kind: 'several'; readonly codes: readonly string[] }
  | { readonly kind: 'any' };

/** What is shown of documents that lack the locale asked for (protocol 9.18). */
interface Fallback {
  /** The locales of the request, best first, for every type; null where it leaves that to each type. */
  readonly chain: readonly string[] | null;
  /** Whether that holds for the root, too: not for what a write answers. */
  readonly atRoot: boolean;
}

/** The one version rule of a read (D13). */
export interface Version {
  readonly published: boolean;
  readonly locale: LocalePick;
  readonly defaultLocale: string;
  /** Left out where nothing stands in for a locale. */
  readonly fallback?: Fallback;
  readonly publication: PublicationFilter | null;
  /** What `modified` compares of a type; left out where it compares all of it. */
  readonly coverage?: CoverageOf;
}

/** A condition with every name resolved and negation pushed down to the comparisons. */
export type Condition =
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Condition[] }
  | { readonly kind: 'constant'; readonly value: boolean }
  | {
      readonly kind: 'compare';
      readonly attribute: ScalarAttribute;
      readonly op: OperatorName;
      readonly operands: readonly unknown[];
      readonly negated: boolean;
    }
  /** Some related row (or component instance) satisfies `where`; with `orNone`, or there is none at all. */
  | {
      readonly kind: 'related';
      readonly attribute: Hop;
      readonly where: Condition;
      readonly orNone: boolean;
    }
  | OwnCondition;

/** A step to other rows or into a component. */
export type Hop = RelationAttribute | ComponentAttribute;

/** An attribute whose items are of several kinds, each of which says which: components, or types. */
export type MixedAttribute = ZoneAttribute | MorphAttribute;

/** Whether an attribute's items are of several kinds. */
export const isMixed = (attribute: Attribute): attribute is MixedAttribute =>
  attribute.kind === 'zone' || attribute.kind === 'morph';

/** Whether filters and sorts may name an attribute, or lead through it (protocol 5.7, 7.5). */
export const isSearched = (attribute: Attribute): attribute is ScalarAttribute | Hop =>
  !isMixed(attribute) && !(attribute.linked && attribute.polymorphic);

/** One sort key; `hops` lead from the root to the model that holds the attribute. */
export interface OrderKey {
  readonly hops: readonly Hop[];
  readonly attribute: ScalarAttribute;
  readonly descending: boolean;
}

/** The shape of one object of the answer. */
export interface ObjectPlan {
  readonly model: Model;
  readonly fields: readonly ScalarAttribute[];
  readonly children: readonly ChildPlan[];
}

/** Items of one populated attribute, or those of one kind. */
export interface ItemsPlan {
  readonly object: ObjectPlan;
  readonly where: Condition | null;
  readonly order: readonly OrderKey[];
}

export type ChildPlan =
  | { readonly kind: 'count'; readonly attribute: Hop; readonly where: Condition | null }
  | ({ readonly kind: 'items'; readonly attribute: Hop } & ItemsPlan)
  | {
      readonly kind: 'mixed';
      readonly attribute: MixedAttribute;
      /** The kinds that are shown. */
      readonly items: ReadonlyMap<Model, ItemsPlan>;
      /** Only their number is asked for. */
      readonly counted: boolean;
    };

/** `_q`: what is looked for, and among which of the root's attributes. */
export interface Search {
  readonly text: string;
  readonly among: readonly ScalarAttribute[];
}

/** A read. `documentId` null with `kind: 'one'` is a single type. */
export interface ReadPlan {
  readonly kind: 'list' | 'one';
  readonly type: ContentType;
  readonly documentId: string | null;
  readonly version: Version;
  readonly where: Condition | null;
  /** What the open operands of `where` are; null where it has none. */
  readonly operands: Operands | null;
  readonly search: Search | null;
  readonly order: readonly OrderKey[];
  /** Null for one document. */
  readonly page: Pagination | null;
  readonly object: ObjectPlan;
  /** Shape of the answer (protocol section 17). */
  readonly format: 'flat' | 'v4';
  /**
   * The answer to a write for who may not read what was written: of its attributes only those that were sent
   * (D27).
   */
  readonly echoes: boolean;
  /** The answer where the document is none of those that this plan reads; null: NotFoundError. */
  readonly otherwise: ReadPlan | null;
  /** What is printed before URLs of files, which are signed before the answer is sent; null: nothing. */
  readonly filePlaceholder: string | null;
  /** Where the statement of a plan that is used again is kept; null for a plan made for one request. */
  readonly kept: KeptStatement | null;
}

/** What is filled into the one statement of a plan that serves many filters. */
export interface Operands {
  /** What was sent: equal texts are equal operands. */
  readonly text: string;
  /** By the place that the open operand has. */
  readonly values: readonly unknown[];
}

/** The one statement of a plan, once it has been printed. Its values are those of the plan it is sent for. */
interface KeptStatement {
  /** A short name of the plan, which no other one has. */
  readonly key: string;
  statement: Template<ReadPlan> | null;
  /** The one that answers a write, as the last of its transaction. */
  last: Template<ReadPlan> | null;
  /** What its text comes to in the tags of its answers; null until the first one. */
  shape: string | null;
  /** The types that it looks at, and whether that is one document alone; null until somebody asked. */
  subject: { readonly types: readonly string[]; readonly isAlone: boolean } | null;
  /** What counts its filter, and the statement of its page without a total; null until somebody asked. */
  filter: { readonly total: Template<ReadPlan>; readonly page: Template<ReadPlan> } | null;
  /** Whether the plan may take long; null until somebody asked. */
  heavy: boolean | null;
}

/** Whether an answer shows nothing but one version's own row. */
export const isPlain = ({ page, object }: ReadPlan): boolean => page === null && object.children.length === 0;
