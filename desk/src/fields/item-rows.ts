/** Rows of a repeatable component or a zone: their keys, which of them are shown, and which have problems. */
import { startTransition, useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { Item } from '../form/values.ts';
import { reasonText } from '../texts/reasons.ts';
import { useTexts } from '../texts/texts.ts';
import { useForm } from './form-context.ts';

interface Row {
  readonly key: string;
  readonly component: string;
}

/** Rows of a list. A change inside a row does not render the list again. */
export function useRows(path: string): readonly [readonly Row[], string | null] {
  const { store } = useForm();
  const subscribe = useCallback((listener: () => void) => store.subscribe(path, listener), [store, path]);
  const text = useSyncExternalStore(subscribe, () =>
    ((store.get(path) ?? []) as readonly Item[])
      .map(({ key, component }) => `${key} ${component}`)
      .join('\n'),
  );
  const problem = useSyncExternalStore(subscribe, () => store.problemAt(path));
  const rows = useMemo(() => (text === '' ? [] : text.split('\n').map(rowOf)), [text]);
  const texts = useTexts();
  return [rows, problem === null ? null : reasonText(problem, texts)];
}

const rowOf = (line: string): Row => {
  const [key = '', component = ''] = line.split(' ');
  return { key, component };
};

/** Rows of a list that open with the form. The others follow, so that keys do not wait for them. */
const FIRST_ROWS = 6;

/** Returns the first rows for the first rendering, then all. */
export function useShown(rows: readonly Row[]): readonly Row[] {
  const [isWhole, setIsWhole] = useState(rows.length <= FIRST_ROWS);
  useEffect(() => startTransition(() => setIsWhole(true)), []);
  return isWhole ? rows : rows.slice(0, FIRST_ROWS);
}

/** Keys of the rows with problems below them. */
export function useProblemKeys(path: string): string {
  const { store } = useForm();
  return useSyncExternalStore(
    useCallback((listener: () => void) => store.subscribe('', listener), [store]),
    () => {
      const below = store.problemPaths.filter((place) => place.startsWith(`${path}/#`));
      return [...new Set(below.map((place) => place.slice(path.length + 2).split('/')[0] ?? ''))].join(' ');
    },
  );
}
