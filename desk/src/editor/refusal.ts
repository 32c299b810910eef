/** Problems that the server has found in a write. */
import { ApiError } from '../api/errors.ts';
import { placeOf } from '../form/store.ts';
import type { Values } from '../form/values.ts';
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

/** The refusal of a body that is too large, as a problem of its largest attribute: others can be stored. */
export function atLargest(error: unknown, { body }: Pick<Pending, 'body'>): unknown {
  if (!(error instanceof ApiError) || error.status !== 413) return error;
  const sizes = Object.entries(body.data).map(
    ([name, value]) => [JSON.stringify(value).length, name] as const,
  );
  const [largest] = sizes.sort(([one], [other]) => other - one);
  if (largest === undefined) return error;
  const { status, message } = error;
  return new ApiError(status, { message, details: { errors: [{ path: [largest[1]], message }] } });
}
