/** Empty list: what it is for, and its first action. */
import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAnnouncement } from './messages.tsx';

interface Props {
  readonly text: string;
  readonly hint?: string;
  /** First action of the list, if the editor may do it. */
  readonly children?: ReactNode;
}

export function EmptyList({ text, hint, children }: Props) {
  useAnnouncement(text);
  return (
    <Stack align="flex-start" gap="sm" py="xl">
      <Text>{text}</Text>
      {hint !== undefined && (
        <Text size="sm" c="dimmed" maw={680}>
          {hint}
        </Text>
      )}
      {children}
    </Stack>
  );
}
