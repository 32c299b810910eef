/** Note in place of an entry that was just removed, with the button that brings it back. */
import { Button, Group, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTexts } from '../texts/texts.ts';

/** Entry that was removed, and its former place in the list. */
export interface Removed<T> {
  readonly entry: T;
  readonly at: number;
}

export const withEntry = <T,>(list: readonly T[], { entry, at }: Removed<T>): readonly T[] => [
  ...list.slice(0, at),
  entry,
  ...list.slice(at),
];

interface Props {
  readonly title: string;
  readonly undo: () => void;
}

export function RemovedNote({ title, undo }: Props) {
  const texts = useTexts();
  const button = useRef<HTMLButtonElement>(null);
  // The button that removed the entry is gone with it.
  useEffect(() => button.current?.focus({ preventScroll: true }), [title]);
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
