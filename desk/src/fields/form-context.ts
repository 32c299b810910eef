/** Form that a field belongs to. */
import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { FormStore } from '../form/store.ts';
import type { Attribute, Model, Type } from '../model/model.ts';
import { reasonText } from '../texts/reasons.ts';
import { useTexts } from '../texts/texts.ts';

export interface Form {
  readonly store: FormStore;
  readonly model: Model;
  readonly type: Type;
  readonly isNew: boolean;
  readonly locale: string;
}

const FormContext = createContext<Form | null>(null);

export const FormProvider = FormContext.Provider;

/** Returns the form. Throws an Error outside of one. */
export function useForm(): Form {
  const form = useContext(FormContext);
  if (form === null) throw new Error('There is no form around this field');
  return form;
}

export interface FieldProps {
  readonly attribute: Attribute;
  /** Place of the value in the form. */
  readonly path: string;
  readonly readOnly: boolean;
}

/** Value at a place, a function that replaces it, and the problem that the server found there. */
export function useValue<T>(path: string): readonly [T, (value: unknown) => void, string | null] {
  const { store } = useForm();
  const subscribe = useCallback((listener: () => void) => store.subscribe(path, listener), [store, path]);
  const value = useSyncExternalStore(subscribe, () => store.get(path)) as T;
  const problem = useSyncExternalStore(subscribe, () => store.problemAt(path));
  const set = useCallback((next: unknown) => store.set(path, next), [store, path]);
  const texts = useTexts();
  return [value, set, problem === null ? null : reasonText(problem, texts)];
}
