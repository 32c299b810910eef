/** The write that stores the changes of a form. */
import { bodyOf } from '../form/body.ts';
import { type FormStore, topOf } from '../form/store.ts';
import { finishedValues, sameValues } from '../form/values.ts';
import { hasDrafts, type Model, type Type } from '../model/model.ts';
import type { WriteSize } from './refusal.ts';
import type { Pending } from './requests.ts';
import { waitingSlugs } from './slugs.ts';
import type { Snapshot } from './snapshot.ts';

interface Form {
  readonly model: Model;
  readonly type: Type;
  readonly store: FormStore;
  readonly isNew: boolean;
  readonly size: WriteSize;
}

/** Whether a draft is stored without the values that cannot be sent, or that the server has refused. */
export const sendsParts = ({ type, isNew }: Pick<Form, 'type' | 'isNew'>): boolean =>
  hasDrafts(type) && !isNew;

/** Whether changes are saved without a press of the button: those of drafts are. */
export const isAutosaved = (form: Pick<Form, 'type' | 'isNew'>): boolean =>
  sendsParts(form) && 'update' in form.type.verbs;

/** Whether the form has no value that cannot be sent, and none that the server has refused. */
export const isSendable = ({ base, values, problemPaths }: FormStore): boolean =>
  problemPaths.length === 0 && sameValues(values, finishedValues(values, base));

/** Returns the state of a form after the editor has taken refused values back: everything is saved. */
export function takenBack({ store, snapshot }: { store: FormStore; snapshot: Snapshot }): Partial<Snapshot> {
  const { saving, conflicts } = snapshot;
  const isDone = saving === 'refused' && conflicts.length === 0 && !store.isChanged && isSendable(store);
  return isDone ? { saving: 'idle', error: null } : {};
}

/** Returns the next write; null if there is nothing to send. */
export function nextWrite(form: Form, ifMatch: string | null): Pending | null {
  const { type, isNew, store } = form;
  const { base, problemPaths } = store;
  const values = finishedValues(store.values, base);
  const all = bodyOf(type, { base: isNew ? {} : base, values }, form);
  if (!isNew && Object.keys(all).length === 0) return null;
  // Without a text to make a uid from, the server would make it from the name of the type, and keep it.
  if (ifMatch === null)
    for (const { name, localized, required } of waitingSlugs(type, values))
      if (!required && (isNew || localized)) all[name] = null;
  // A draft is stored without the values that the server has refused; they stay in the form.
  const left = sendsParts(form) ? problemPaths.map(topOf) : [];
  for (const name of left) delete all[name];
  // Without drafts, readers would see a part of the changes.
  const data = hasDrafts(type) ? form.size.within(all) : all;
  if (Object.keys(data).length === 0 && !isNew) return null;
  const changes = Object.keys(data).map((name) => [name, values[name]] as const);
  const sent = { ...base, ...Object.fromEntries(changes) };
  return { body: { data }, ifMatch, key: crypto.randomUUID(), sent };
}
