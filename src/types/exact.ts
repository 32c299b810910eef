/**
 * Check of a `populate` argument, whose type TypeScript infers: every name in it must exist, at any depth.
 * Walks the given names instead of all valid ones, which is far less work. Strings are checked by their own
 * types.
 */
import type { FiltersOf } from './filters-of.js';
import type { PopulateName } from './query-of.js';
import type { AttributeOf, IdOfKind, KindsOf, NamesOf, TargetOf } from './registry.js';

/** Type that a compiler message shows for an unknown name. */
interface NoSuchName<Name, Known> {
  readonly name: Name;
  readonly known: Known;
}

export type Exact<P, N extends string, R> = '*' extends P
  ? unknown
  : P extends string | readonly string[]
    ? unknown
    : {
        readonly [K in keyof P]: K extends PopulateName<N, R>
          ? ExactOptions<P[K], AttributeOf<N, R, K>, R>
          : NoSuchName<K, PopulateName<N, R>>;
      };

type ExactOptions<O, A, R> = O extends object
  ? [TargetOf<A>] extends [never]
    ? ExactMixed<O, KindsOf<A, R>, R>
    : ExactItem<O, TargetOf<A>, R>
  : unknown;

type ItemOption = 'fields' | 'filters' | 'sort' | 'populate' | 'count';

type ExactItem<O, N extends string, R> = {
  readonly [K in keyof O]: K extends 'populate'
    ? Exact<O[K], N, R>
    : K extends 'filters'
      ? Named<O[K], FiltersOf<N, R>>
      : K extends 'sort'
        ? ExactSort<O[K], N, R>
        : K extends ItemOption
          ? unknown
          : // Repeats the literals, because messages would show only the name of an alias.
            NoSuchName<K, 'fields' | 'filters' | 'sort' | 'populate' | 'count'>;
};

type MixedOption = 'on' | 'populate' | 'count';

type ExactMixed<O, Kinds extends string, R> = {
  readonly [K in keyof O]: K extends 'on'
    ? {
        readonly [U in keyof O[K]]: U extends Kinds
          ? O[K][U] extends object
            ? ExactItem<O[K][U], IdOfKind<U> & string, R>
            : unknown
          : NoSuchName<U, Kinds>;
      }
    : K extends MixedOption
      ? unknown
      : NoSuchName<K, 'on' | 'populate' | 'count'>;
};

type ExactSort<S, N extends string, R> = S extends string
  ? unknown
  : S extends readonly unknown[]
    ? { readonly [I in keyof S]: ExactSort<S[I], N, R> }
    : {
        readonly [K in keyof S]: K extends NamesOf<N, R, 'scalar' | 'related'>
          ? ExactSort<S[K], TargetOf<AttributeOf<N, R, K>>, R>
          : NoSuchName<K, NamesOf<N, R, 'scalar' | 'related'>>;
      };

type KeysOf<T> = T extends readonly unknown[] ? never : T extends object ? keyof T & string : never;

type ObjectIn<T, K> = T extends readonly unknown[]
  ? never
  : T extends object
    ? K extends keyof T
      ? NonNullable<T[K]>
      : never
    : never;
type ItemIn<T> = T extends readonly (infer One)[] ? One : never;

type Named<Given, Allowed> = Given extends readonly unknown[]
  ? { readonly [I in keyof Given]: Named<Given[I], ItemIn<Allowed>> }
  : Given extends Date
    ? unknown
    : Given extends object
      ? unknown extends Allowed
        ? unknown
        : {
            readonly [K in keyof Given]: K extends KeysOf<Allowed>
              ? Named<Given[K], ObjectIn<Allowed, K>>
              : NoSuchName<K, KeysOf<Allowed>>;
          }
      : unknown;
