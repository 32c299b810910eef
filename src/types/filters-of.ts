/** Type of `filters`: attribute names, and the operators of each attribute's type. */
import type { ScalarTypeName } from '../content/model/definitions.js';
import type { AttributeOf, NamesOf, TargetOf } from './registry.js';
import type { Values } from './values.js';

export type OneOrMany<V> = V | readonly V[];

/** Operators of every attribute. A list for a single-value operator matches any of its values. */
interface Comparisons<V> {
  readonly $eq?: OneOrMany<V> | null;
  readonly $ne?: OneOrMany<V> | null;
  readonly $lt?: OneOrMany<V>;
  readonly $lte?: OneOrMany<V>;
  readonly $gt?: OneOrMany<V>;
  readonly $gte?: OneOrMany<V>;
  readonly $in?: readonly V[];
  readonly $notIn?: readonly V[];
  readonly $between?: readonly [V, V];
  readonly $null?: boolean;
  readonly $notNull?: boolean;
  readonly $eqi?: OneOrMany<string | number>;
  readonly $nei?: OneOrMany<string | number>;
  readonly $containsi?: OneOrMany<string | number>;
  readonly $notContainsi?: OneOrMany<string | number>;
  readonly $startsWithi?: OneOrMany<string | number>;
  readonly $endsWithi?: OneOrMany<string | number>;
}

interface ValueOperators<V> extends Comparisons<V> {
  readonly $not?: V | ValueOperators<V>;
}

/** Operators of texts; JSON is searched as text. */
interface TextOperators<V> extends Comparisons<V> {
  readonly $contains?: OneOrMany<string>;
  readonly $notContains?: OneOrMany<string>;
  readonly $startsWith?: OneOrMany<string>;
  readonly $endsWith?: OneOrMany<string>;
  readonly $not?: V | TextOperators<V>;
}

interface JsonOperators extends Omit<TextOperators<unknown>, '$not'> {
  readonly $jsonSupersetOf?: unknown;
  readonly $not?: JsonOperators;
}

type TextName = 'string' | 'text' | 'richtext' | 'email' | 'password' | 'uid' | 'enumeration';
type JsonName = 'json' | 'array' | 'blocks';

type OperatorsOf<Type extends ScalarTypeName, V> = Type extends JsonName
  ? JsonOperators
  : Type extends TextName
    ? TextOperators<V>
    : ValueOperators<V>;

type OperandOf<A, Type extends ScalarTypeName> = A extends { readonly enum: readonly (infer E)[] }
  ? E
  : Values[Type];

type ScalarFilter<A> = A extends { readonly type: infer Type extends JsonName }
  ? OperatorsOf<Type, unknown> | null
  : A extends { readonly type: infer Type extends ScalarTypeName }
    ? OneOrMany<OperandOf<A, Type>> | null | OperatorsOf<Type, OperandOf<A, Type>>
    : unknown;

type RelatedFiltersOf<N extends string, R> = FiltersOf<N, R> & ValueOperators<number>;

type FilterOf<A, R> = [TargetOf<A>] extends [never]
  ? ScalarFilter<A>
  : OneOrMany<number> | null | RelatedFiltersOf<TargetOf<A>, R>;

/** Type of `filters` on a content type or component, at any depth (protocol section 5). */
export type FiltersOf<N extends string, R> = {
  readonly [K in NamesOf<N, R, 'scalar' | 'related'> | '$and' | '$or' | '$not']?: K extends '$and' | '$or'
    ? readonly FiltersOf<N, R>[]
    : K extends '$not'
      ? FiltersOf<N, R>
      : FilterOf<AttributeOf<N, R, K>, R>;
};

type Direction = 'asc' | 'desc';

type SortPath<N extends string, R> =
  | NamesOf<N, R, 'scalar'>
  | {
      [K in NamesOf<N, R, 'related'>]: `${K}.${NamesOf<TargetOf<AttributeOf<N, R, K>>, R, 'scalar'>}`;
    }[NamesOf<N, R, 'related'>];

type SortText<N extends string, R> = SortPath<N, R> | `${SortPath<N, R>}:${Direction}`;

type SortTree<N extends string, R> = {
  readonly [K in NamesOf<N, R, 'scalar' | 'related'>]?: [TargetOf<AttributeOf<N, R, K>>] extends [never]
    ? Direction
    : SortTree<TargetOf<AttributeOf<N, R, K>>, R>;
};

/**
 * Type of `sort`: `'title'`, `'author.name:desc'`, `{ author: { name: 'desc' } }`, or a list (protocol 7.2).
 */
export type SortOf<N extends string, R> = OneOrMany<SortText<N, R> | SortTree<N, R>>;

/** Type of `fields` (protocol section 3). */
export type FieldsOf<N extends string, R> = OneOrMany<FieldTexts<N, R>['text']>;

interface FieldTexts<N extends string, R> {
  readonly text: '*' | NamesOf<N, R, 'scalar'>;
}
