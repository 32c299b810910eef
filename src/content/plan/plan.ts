/**
 * Plan of a read: all names resolved, permissions applied, one state and locale for the whole tree. Frozen.
 */
import type { CoverageOf } from './coverage.js';
import type { Decision, Rule } from '../access/decide.js';
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
} from '../model/model.js';

/**
 * Locales shown at the root. Populated documents have the same one; with several, that of their parent; else
 * the default.
 */
export type LocalePick =
  | { readonly kind: 'one'; readonly code: string }
  | { readonly kind: 'several'; readonly codes: readonly string[] }
  | { readonly kind: 'any' };

/** Locales that replace a missing one (protocol 9.18). */
interface Fallback {
  readonly chain: readonly string[] | null;
  /** Whether the fallback applies to the root: not for the response to a write. */
  readonly atRoot: boolean;
}

/** Version rule of a read (D13). */
export interface Version {
  readonly published: boolean;
  readonly locale: LocalePick;
  readonly defaultLocale: string;
  readonly fallback?: Fallback;
  readonly publication: PublicationFilter | null;
  /** Whether a write stores the draft instead of publishing, because the caller may not publish. */
  readonly storesDraft: boolean;
  /** Whether the root documents show their state (protocol 8.32). */
  readonly withState: boolean;
  /** Part of a type that `modified` compares; omitted if it compares all of it. */
  readonly coverage?: CoverageOf;
  /** Documents that the caller may read; omitted if the plan excludes all others by their types. */
  readonly limits?: LimitsOf;
}

/** Decides which versions of a type exist for the caller: at the root of a query, or below it. */
export type LimitsOf = (
  type: ContentType,
  at: { readonly root: boolean; readonly published: boolean },
) => Decision;

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
  /** Some related row or component instance satisfies `where`; with `orNone`, or none exists. */
  | {
      readonly kind: 'related';
      readonly attribute: Hop;
      readonly where: Condition;
      readonly orNone: boolean;
    }
  | Rule;

export type Hop = RelationAttribute | ComponentAttribute;

/** Attribute with items of several types: dynamic zone or polymorphic relation. */
export type MixedAttribute = ZoneAttribute | MorphAttribute;

export const isMixed = (attribute: Attribute): attribute is MixedAttribute =>
  attribute.kind === 'zone' || attribute.kind === 'morph';

export const isPopulatable = (attribute: Attribute): attribute is Exclude<Attribute, ScalarAttribute> =>
  attribute.kind !== 'scalar';

/** Whether filters and sort keys may use an attribute, or step through it (protocol 5.7, 7.5). */
export const isSearched = (attribute: Attribute): attribute is ScalarAttribute | Hop =>
  !isMixed(attribute) && !(attribute.linked && attribute.polymorphic);

export interface OrderKey {
  readonly hops: readonly Hop[];
  readonly attribute: ScalarAttribute;
  readonly descending: boolean;
}

export interface ObjectPlan {
  readonly model: Model;
  readonly fields: readonly ScalarAttribute[];
  readonly children: readonly ChildPlan[];
}

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
      readonly items: ReadonlyMap<Model, ItemsPlan>;
      readonly counted: boolean;
    };

/** State that a response adds to its documents: the versions that the caller may read. */
export interface StatePlan {
  /** Rule of the drafts; null if the caller may read all of them. */
  readonly drafts: Rule | null;
  /** Rule of the published versions. */
  readonly published: Rule | null;
  /** Whether their stamps are read as well, for the response to a write. */
  readonly stamps: boolean;
}

export interface Search {
  readonly text: string;
  readonly among: readonly ScalarAttribute[];
}

/** Plan of a read. A null `documentId` with `kind: 'one'` is the document of a single type. */
export interface ReadPlan {
  readonly kind: 'list' | 'one';
  readonly type: ContentType;
  readonly documentId: string | null;
  readonly version: Version;
  readonly where: Condition | null;
  readonly operands: Operands | null;
  readonly search: Search | null;
  readonly order: readonly OrderKey[];
  readonly page: Pagination | null;
  readonly object: ObjectPlan;
  /** Null if the documents do not show their state. */
  readonly state: StatePlan | null;
  /** Response format (protocol section 17). */
  readonly format: 'flat' | 'v4';
  /** Whether the response contains sent attributes only, for a writer who may not read the document (D27). */
  readonly echoes: boolean;
  /** Plan for documents that this plan does not find; null throws NotFoundError. */
  readonly otherwise: ReadPlan | null;
  /** Prefix of file URLs, which are signed before the response is sent; null for none. */
  readonly filePlaceholder: string | null;
  /** Null for a plan of a single request. {@link PerPlan} derives values of the others once. */
  readonly shared: SharedPlan | null;
}

export interface Operands {
  /** Text of all values. Equal texts of a shared plan have equal operands. */
  readonly text: string;
  readonly values: readonly unknown[];
  /** Values of the caller's conditions, as its grants return them. */
  readonly granted: readonly unknown[];
}

export interface SharedPlan {
  readonly key: string;
}

/** Whether a response contains only columns of one version's row. */
export const isPlain = ({ page, object, state }: ReadPlan): boolean =>
  page === null && object.children.length === 0 && state === null;
