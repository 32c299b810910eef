/** One write of a form: its body, the version that it is based on, and the values that it stores. */
import { ApiError, OfflineError } from '../api/errors.ts';
import { bodyOf } from '../form/body.ts';
import type { FormStore } from '../form/store.ts';
import type { Values } from '../form/values.ts';
import { hasDrafts, type Model, type Type } from '../model/model.ts';
import type { Write } from './requests.ts';

export interface Pending extends Write {
  /** Values that are stored once this write is. */
  readonly sent: Values;
}

interface Written {
  readonly type: Type;
  readonly model: Model;
  readonly isNew: boolean;
  readonly store: FormStore;
}

/** Whether a draft is stored without the values that the server has refused, which stay in the form. */
export const sendsParts = ({ type, isNew }: Pick<Written, 'type' | 'isNew'>): boolean =>
  hasDrafts(type) && !isNew;

/** Returns the write of everything that has changed; null if nothing has. */
export function nextWrite(form: Written, etag: string | null): Pending | null {
  const { type, isNew, store } = form;
  const { base, values } = store;
  const data = bodyOf(type, { base: isNew ? {} : base, values }, form);
  if (sendsParts(form)) for (const path of store.problemPaths) delete data[path.split('/')[0] ?? ''];
  if (Object.keys(data).length === 0 && !isNew) return null;
  const changes = Object.keys(data).map((name) => [name, values[name]] as const);
  const sent = { ...base, ...Object.fromEntries(changes) };
  return { body: { data }, ifMatch: etag, key: crypto.randomUUID(), sent };
}

/** Responses after which the same request is sent again, with its key: the outcome is not known. */
const TEMPORARY = [409, 429, 502, 503, 504];

export const isTemporary = (error: unknown): error is Error =>
  error instanceof OfflineError || (error instanceof ApiError && TEMPORARY.includes(error.status));
