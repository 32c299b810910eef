/** Dispatch by `kind`: a table without a row for some kind does not compile. */

export type ByKind<U extends { readonly kind: string }, A extends readonly unknown[], R> = {
  readonly [K in U['kind']]: (member: Extract<U, { readonly kind: K }>, ...rest: A) => R;
};

export const byKind =
  <U extends { readonly kind: string }, A extends readonly unknown[], R>(table: ByKind<U, A, R>) =>
  (member: U, ...rest: A): R =>
    (table[member.kind as U['kind']] as (member: U, ...rest: A) => R)(member, ...rest);
