/**
 * Parameter and return types of `ContentService<T>` and hooks, specific if `T` is an id of the registered
 * model. Without a registered model, or if `T` is a document type, they are general, and results have the
 * type `T`.
 */
import type { RawQuery } from '../content/query/read-raw.js';
import type { Whole } from './document-of.js';
import type { Exact } from './exact.js';
import type { FieldsOf } from './filters-of.js';
import type { ChangeInput, HookData, NewInput } from './input-of.js';
import type { CountQuery, ListQuery, OneQuery, PopulateOf, VersionQuery, WriteQuery } from './query-of.js';
import type { ContentId, IsRegistered, Register } from './registry.js';
import type { Result } from './result-of.js';

/** Content type: its id if a model is registered, otherwise the type of its documents. */
export type Subject = IsRegistered extends true ? ContentId | object : object;

// No constraint on `T` without a registered model, so that code generic over documents compiles.
type IfRegistered<T, Yes, No> = IsRegistered extends true ? (T extends string ? Yes : No) : No;

export type FieldsFor<T> = IfRegistered<T, FieldsOf<T & string, Register>, unknown>;
export type PopulateFor<T> = IfRegistered<T, PopulateOf<T & string, Register>, unknown>;
export type Status = 'draft' | 'published';

type CheckedPopulate<T, P> = P & Exact<P, T & string, Register>;

export type ListQueryFor<T, F, P> = IfRegistered<
  T,
  ListQuery<T & string, Register, F, CheckedPopulate<T, P>>,
  RawQuery
>;
export type OneQueryFor<T, F, P> = IfRegistered<
  T,
  OneQuery<T & string, Register, F, CheckedPopulate<T, P>>,
  RawQuery
>;
export type CountQueryFor<T> = IfRegistered<T, CountQuery<T & string, Register>, RawQuery>;
export type WriteQueryFor<T, F, P, S = Status> = IfRegistered<
  T,
  Omit<WriteQuery<F, CheckedPopulate<T, P>>, 'status'> & { readonly status?: S | undefined },
  RawQuery
>;
export type VersionQueryFor<T> = IfRegistered<T, VersionQuery, RawQuery>;
export type NewFor<T, S> = IfRegistered<T, NewInput<T & string, Register, S>, object>;
export type ChangeFor<T, S> = IfRegistered<T, ChangeInput<T & string, Register, S>, object>;
export type AnswerFor<T, F, P> = IfRegistered<T, Result<T & string, Register, F, P>, T>;

export type DataFor<T> = IfRegistered<T, HookData<T & string, Register>, Record<string, unknown>>;
export type ShownTo<T> = IfRegistered<T, Whole<T & string, Register>, Readonly<Record<string, unknown>>>;
