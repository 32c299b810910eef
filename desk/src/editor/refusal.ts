/** Problems that the server has found in a write. */
import type { ApiError } from '../api/errors.ts';
import { placeOf } from '../form/store.ts';
import type { Values } from '../form/values.ts';

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
