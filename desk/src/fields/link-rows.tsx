/** Chosen documents or files in their order, each with what a field shows of it. */
import { ActionIcon, Group, Paper } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { keyOf, type Link } from '../form/values.ts';
import { moved, SortableEntry, SortableList } from '../parts/sortable-list.tsx';
import { useTexts } from '../texts/texts.ts';

interface Props {
  readonly links: readonly Link[];
  readonly set: (links: readonly Link[]) => void;
  readonly isOne: boolean;
  readonly readOnly: boolean;
  readonly content: (link: Link) => ReactNode;
}

export function LinkRows({ links, set, isOne, readOnly, content }: Props) {
  const texts = useTexts();
  return (
    <SortableList keys={links.map(keyOf)} move={(from, to) => set(moved(links, from, to))}>
      {links.map((link) => {
        const key = keyOf(link);
        const title = link.title ?? texts.untitled;
        return (
          <SortableEntry key={key} id={key} title={title} isFixed={readOnly || isOne || links.length < 2}>
            {(handle) => (
              <Paper withBorder px="xs" py={4}>
                <Group gap="xs" wrap="nowrap">
                  {handle}
                  {content(link)}
                  {!readOnly && (
                    <ActionIcon
                      variant="subtle"
                      color="red"
                      aria-label={texts.removeItem(title)}
                      onClick={() => set(links.filter((one) => keyOf(one) !== key))}
                    >
                      <IconTrash size={16} />
                    </ActionIcon>
                  )}
                </Group>
              </Paper>
            )}
          </SortableEntry>
        );
      })}
    </SortableList>
  );
}
