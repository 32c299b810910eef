/** Tables with one row for each kind: a new kind is a missing row, and does not compile. */

/** A function for each kind of a union's members. */
export type ByKind<U extends { readonly kind: string }, A extends readonly unknown[], R> = {
  readonly [K in U['kind']]: (member: Extract<U, { readonly kind: K }>, ...rest: A) => R;
};

/** Asks the row of a member's kind. That a row fits its kind, the table's type has made sure. */
export const byKind =
  <U extends { readonly kind: string }, A extends readonly unknown[], R>(table: ByKind<U, A, R>) =>
  (member: U, ...rest: A): R =>
    (table[member.kind as U['kind']] as (member: U, ...rest: A) => R)(member, ...rest);
