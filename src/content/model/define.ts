/** Functions that define content. A misspelt option does not compile. */
import type { AttributeDefinition, ComponentDefinition, TypeOptions } from './definitions.js';
import type { INDEXED_ALWAYS, IndexDefinition } from './index-definition.js';
import type { ALWAYS_LISTED, TypeLayout } from './layout.js';
import { STAGE, type StageAttribute, stageAttribute, type StageDefinition } from './stage-definition.js';

/**
 * Defines a collection type: many documents, served under its plural API id.
 *
 * @example
 * const article = defineCollectionType({
 *   singularApiId: 'article', pluralApiId: 'articles',
 *   attributes: { title: { type: 'string', required: true } },
 * });
 *
 * @publicApi
 */
export const defineCollectionType = <const T extends TypeOptions>(
  options: T & KnownOptions<T, keyof TypeOptions | 'kind'>,
): WithKind<T, 'collectionType'> => withKind<T, 'collectionType'>(options, 'collectionType');

/**
 * Defines a single type: at most one document, served under its singular API id.
 *
 * @publicApi
 */
export const defineSingleType = <const T extends Omit<TypeOptions, 'pluralApiId'>>(
  options: T & KnownOptions<T, keyof TypeOptions | 'kind'>,
): WithKind<T, 'singleType'> => withKind<T, 'singleType'>(options, 'singleType');

/**
 * Defines a component: a group of attributes that types and other components embed. It has no routes.
 *
 * @publicApi
 */
export const defineComponent = <const T extends ComponentDefinition>(
  options: T & KnownOptions<T, keyof ComponentDefinition>,
): T => Object.freeze({ ...options });

/** Attribute `stage` of a type with stages. */
type StageAttributes<T> = T extends { readonly stages: infer S }
  ? { readonly attributes: { readonly [STAGE]: StageAttribute<keyof S & string> } }
  : unknown;

type WithKind<T, K> = T & { readonly kind: K } & StageAttributes<T>;

/** Adds the attribute `stage` to a type with stages, unless the type has another attribute of this name. */
function withKind<T extends Omit<TypeOptions, 'pluralApiId'>, K extends string>(
  options: T,
  kind: K,
): WithKind<T, K> {
  const stage = stageAttribute(options);
  const { attributes } = options;
  const all = stage === null || STAGE in attributes ? attributes : { ...attributes, [STAGE]: stage };
  return Object.freeze({ ...options, attributes: all, kind }) as WithKind<T, K>;
}

/**
 * Makes a misspelt option of a definition or attribute a compile error. Omits attributes without mistakes,
 * which keeps type checks fast.
 */
type KnownOptions<T, Options> = { readonly [P in Exclude<keyof T, Options>]: never } & (T extends {
  attributes: infer A;
}
  ? {
      readonly attributes: {
        readonly [K in keyof A as Exclude<keyof A[K], OptionOf<A[K]>> extends never ? never : K]: {
          readonly [P in Exclude<keyof A[K], OptionOf<A[K]>>]: never;
        };
      };
    }
  : unknown) &
  KnownLayout<T> &
  KnownIndexes<T> &
  KnownStages<T>;

type AttributesIn<T> =
  | (T extends { readonly attributes: infer A } ? keyof A : never)
  | (T extends { readonly stages: object } ? typeof STAGE : never);
type NamesIn<T> = AttributesIn<T> | (typeof ALWAYS_LISTED)[number];

/** Makes a misspelt option of a layout, or a name that is not an attribute, a compile error. */
type KnownLayout<T> = T extends { readonly desk: infer D }
  ? {
      readonly desk: { readonly [P in Exclude<keyof D, keyof TypeLayout>]: never } & {
        readonly title?: NamesIn<T>;
        readonly list?: readonly NamesIn<T>[];
        readonly order?: AttributesIn<T>;
      };
    }
  : unknown;

/** Makes a misspelt option of an index, or a name that is not an attribute, a compile error. */
type KnownIndexes<T> = T extends { readonly indexes: infer I extends readonly unknown[] }
  ? {
      readonly indexes: readonly (IndexDefinition & {
        readonly attributes: readonly IndexedIn<T>[];
      } & { readonly [P in Exclude<KeysOf<I[number]>, keyof IndexDefinition>]?: never })[];
    }
  : unknown;

/** Makes a misspelt option of a stage, or a move to an unknown stage, a compile error. */
type KnownStages<T> = T extends { readonly stages: infer S }
  ? {
      readonly stages: {
        readonly [K in keyof S]: { readonly to: readonly (keyof S)[] } & {
          readonly [P in Exclude<keyof S[K], keyof StageDefinition>]: never;
        };
      };
    }
  : unknown;

type IndexedIn<T> = AttributesIn<T> | (typeof INDEXED_ALWAYS)[number];

type KeysOf<D> = D extends unknown ? keyof D : never;

/** Options by attribute type. Relations are not distinguished here: their options depend on the kind. */
type ByType = {
  readonly [N in AttributeDefinition['type']]: KeysOf<Extract<AttributeDefinition, { readonly type: N }>>;
};
type AnyRelation = Extract<AttributeDefinition, { readonly type: 'relation' }>;
type ByKind = {
  readonly [R in AnyRelation['relation']]: AnyRelation extends infer D
    ? D extends { readonly relation: infer Kinds }
      ? R extends Kinds
        ? keyof D
        : never
      : never
    : never;
};

type OptionOf<A> = A extends { readonly relation: infer R extends keyof ByKind }
  ? ByKind[R]
  : A extends { readonly type: infer N extends keyof ByType }
    ? ByType[N]
    : never;
