/** The functions that developers define content with: what is misspelt does not compile. */
import type { AttributeDefinition, ComponentDefinition, TypeOptions } from './definitions.js';

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
  options: T & Known<T, keyof TypeOptions | 'kind'>,
): T & { readonly kind: 'collectionType' } => Object.freeze({ ...options, kind: 'collectionType' as const });

/**
 * Defines a single type: at most one document, served under its singular API id.
 *
 * @publicApi
 */
export const defineSingleType = <const T extends Omit<TypeOptions, 'pluralApiId'>>(
  options: T & Known<T, keyof TypeOptions | 'kind'>,
): T & { readonly kind: 'singleType' } => Object.freeze({ ...options, kind: 'singleType' as const });

/**
 * Defines a component: a group of attributes that types, and other components, embed. It has no routes of its
 * own.
 *
 * @publicApi
 */
export const defineComponent = <const T extends ComponentDefinition>(
  options: T & Known<T, keyof ComponentDefinition>,
): T => Object.freeze({ ...options });

/**
 * Refuses options that a definition, or an attribute of its type, does not take, so that a misspelt one does
 * not compile. Attributes without one are left out: there are many of them, and few mistakes.
 */
type Known<T, Options> = { readonly [P in Exclude<keyof T, Options>]: never } & (T extends {
  attributes: infer A;
}
  ? {
      readonly attributes: {
        readonly [K in keyof A as Exclude<keyof A[K], OptionOf<A[K]>> extends never ? never : K]: {
          readonly [P in Exclude<keyof A[K], OptionOf<A[K]>>]: never;
        };
      };
    }
  : unknown);

type KeysOf<D> = D extends unknown ? keyof D : never;

/** The options of each attribute type but relations, whose options go by their kind. */
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

/** The options of attributes like `A`: of its type, and of a relation those of its kind. */
type OptionOf<A> = A extends { readonly relation: infer R extends keyof ByKind }
  ? ByKind[R]
  : A extends { readonly type: infer N extends keyof ByType }
    ? ByType[N]
    : never;
