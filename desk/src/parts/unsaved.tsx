/** Changes of a form that nothing keeps: its dialog and its page are left only after a question. */
import { createContext, useContext, useEffect, useRef } from 'react';
import { leaving } from '../editor/leaving.ts';

/** Dialog around a form; null on the page. */
export const DialogScope = createContext<object | null>(null);

export function Unsaved({ isChanged }: { readonly isChanged: boolean }) {
  const scope = useContext(DialogScope);
  useEffect(() => (isChanged ? leaving.hold('changes', scope) : undefined), [isChanged, scope]);
  return null;
}

/** Whether values differ from those of the first rendering. */
export function useChanged(values: unknown): boolean {
  const text = JSON.stringify(values);
  const first = useRef(text);
  return text !== first.current;
}
