/** Problems that the server has found in a write. */
import { ApiError } from '../api/errors.ts';
import { placeOf } from '../form/store.ts';
import type { Values } from '../form/values.ts';
import { hasDrafts, type Type } from '../model/model.ts';
import type { Pending } from './requests.ts';

interface Refusal {
  /** Messages by the places of the form. */
  readonly marked: readonly (readonly [place: string, message: string])[];
  /** Message of the whole write; null if each problem has its place. */
  readonly error: string | null;
}

export function refusalOf({ problems, message }: ApiError, sent: Values): Refusal {
  const marked = problems
    .map((one) => [placeOf(sent, one.path), one.message] as const)
    .filter(([place]) => place !== '');
  return { marked, error: marked.length > 0 && marked.length === problems.length ? null : message };
}

type Sized = readonly [name: string, size: number];

/** Names of attributes with the sizes of their values, the smallest first. */
const bySize = (data: object): Sized[] =>
  Object.entries(data)
    .map(([name, value]): Sized => [name, JSON.stringify(value).length])
    .sort(([, one], [, other]) => one - other);

const isTooLarge = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 413;

/** Size of the smallest write of a form that the server has refused as too large. */
export class WriteSize {
  private refused = Infinity;

  /** Returns as many of the values as are smaller together than a refused write, or the smallest one. */
  within<T extends object>(data: T): T {
    let sum = 0;
    const names = bySize(data).flatMap(([name, size], at) => {
      sum += size;
      return at === 0 || sum < this.refused ? [name] : [];
    });
    return Object.fromEntries(Object.entries(data).filter(([name]) => names.includes(name))) as T;
  }

  /**
   * The refusal of a body that is too large, as a problem of its largest attribute. Drafts are stored in
   * parts before: the next write is smaller.
   */
  problemOf(error: unknown, { body: { data } }: Pick<Pending, 'body'>, type: Type): unknown {
    if (!isTooLarge(error)) return error;
    const sizes = bySize(data);
    this.refused = sizes.reduce((sum, [, size]) => sum + size, 0);
    const [largest] = sizes.at(-1) ?? [];
    if (largest === undefined || (hasDrafts(type) && sizes.length > 1)) return error;
    const { status, message } = error;
    return new ApiError(status, { message, details: { errors: [{ path: [largest], message }] } });
  }
}

/** Whether a write was refused that is stored in parts now. */
export const isDivided = (error: unknown): boolean => isTooLarge(error) && error.problems.length === 0;
