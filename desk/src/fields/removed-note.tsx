/** Notes in place of entries that were removed, with the button that brings each back. */
import { Button, Group, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { FormStore } from '../form/store.ts';
import { useTexts } from '../texts/texts.ts';
import { useForm } from './form-context.ts';

/** Entry that was removed from a list. */
export interface Removed<T> {
  readonly key: string;
  readonly entry: T;
  /** Number of entries of the list before it. */
  readonly at: number;
}

export const withEntry = <T,>(list: readonly T[], { entry, at }: Removed<T>): readonly T[] => [
  ...list.slice(0, at),
  entry,
  ...list.slice(at),
];

const withRemoved = <T,>(all: readonly Removed<T>[], one: Removed<T>): readonly Removed<T>[] => {
  const others = all.filter(({ key }) => key !== one.key);
  return [
    ...others.filter(({ at }) => at <= one.at),
    one,
    ...others.filter(({ at }) => at > one.at).map((later) => ({ ...later, at: later.at - 1 })),
  ];
};

const withoutRemoved = <T,>(all: readonly Removed<T>[], one: Removed<T>): readonly Removed<T>[] => {
  const place = all.indexOf(one);
  return [...all.slice(0, place), ...all.slice(place + 1).map((later) => ({ ...later, at: later.at + 1 }))];
};

const states = new WeakMap<FormStore, Map<string, unknown>>();

/** State of a field until its form is left: closed entries do not render their fields. Null for no field. */
export function useFieldState<T>(path: string | null, first: T) {
  const { store } = useForm();
  const kept = states.get(store) ?? new Map<string, unknown>();
  states.set(store, kept);
  const [value, setValue] = useState<T>(() => (kept.get(path ?? '') ?? first) as T);
  useEffect(() => {
    if (path !== null) kept.set(path, value);
  }, [kept, path, value]);
  return [value, setValue] as const;
}

/** Entries that were removed from a list since its form was opened, in the order of the list. */
export function useRemoved<T>(path: string | null) {
  const [all, setAll] = useFieldState<readonly Removed<T>[]>(path, []);
  const [last, setLast] = useState<string | null>(null);
  return {
    all,
    /** Key of the entry that was removed last since the list is shown, whose note gets the focus. */
    last,
    add: (one: Removed<T>): void => {
      setLast(one.key);
      setAll((before) => withRemoved(before, one));
    },
    /** The entry is in the list again. */
    drop: (one: Removed<T>): void => setAll((before) => withoutRemoved(before, one)),
  };
}

interface NotesOf<T> {
  readonly titleOf: (entry: T) => string;
  readonly undo: (one: Removed<T>) => void;
  readonly last: string | null;
}

/** Notes of removed entries, with keys that differ from those of the rows between which they stand. */
export const removedNotes = <T,>(
  all: readonly Removed<T>[],
  { titleOf, undo, last }: NotesOf<T>,
): ReactNode[] =>
  all.map((one) => (
    <RemovedNote
      key={`removed ${one.key}`}
      title={titleOf(one.entry)}
      undo={() => undo(one)}
      isNew={one.key === last}
    />
  ));

interface Props {
  readonly title: string;
  readonly undo: () => void;
  /** Whether the entry was removed just now, and not before the field was closed. */
  readonly isNew: boolean;
}

export function RemovedNote({ title, undo, isNew }: Props) {
  const texts = useTexts();
  const button = useRef<HTMLButtonElement>(null);
  // The button that removed the entry is gone with it.
  useEffect(() => {
    if (isNew) button.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <Group gap="xs" wrap="nowrap" px="xs">
      <Text size="sm" c="dimmed" truncate miw={0}>
        {texts.removed(title)}
      </Text>
      <Button
        ref={button}
        size="compact-sm"
        variant="subtle"
        flex="none"
        aria-label={texts.bringBackItem(title)}
        onClick={undo}
      >
        {texts.bringBack}
      </Button>
    </Group>
  );
}
