/** Chosen documents or files in their order, each with what a field shows of it. */
import { ActionIcon, Button, Group, Paper } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { keyOf, type Link } from '../form/values.ts';
import { distinct } from '../parts/distinct.ts';
import { moved, SortableEntry, SortableList } from '../parts/sortable-list.tsx';
import { useTexts } from '../texts/texts.ts';
import { type Removed, removedNotes, useRemoved, withEntry } from './removed-note.tsx';

interface Props {
  /** Place of the field in the form; null for a choice in a dialog. */
  readonly path: string | null;
  readonly links: readonly Link[];
  readonly set: (links: readonly Link[]) => void;
  readonly isOne: boolean;
  readonly readOnly: boolean;
  /** Content of a row. The name distinguishes its controls from those of other rows. */
  readonly content: (link: Link, name: string) => ReactNode;
}

/** Rows of a long list that are shown first, and how many each press adds. The last ones are always shown. */
const FIRST = 50;
const MORE = 200;
const LAST = 10;

export function LinkRows({ path, links, set, isOne, readOnly, content }: Props) {
  const texts = useTexts();
  const [first, setFirst] = useState(FIRST);
  const removed = useRemoved<Link>(path);
  const titleOf = ({ title }: Link): string => title ?? texts.untitled;
  const hidden = Math.max(0, links.length - first - LAST);
  const shown = hidden === 0 ? links : [...links.slice(0, first), ...links.slice(first + hidden)];
  const keys = shown.map(keyOf);
  const names = distinct(shown.map(titleOf));
  const placeOf = (at: number): number => (at < first ? at : at + hidden);
  const undo = (one: Removed<Link>): void => {
    removed.drop(one);
    set(isOne ? [one.entry] : withEntry(links, one));
  };
  // A link may have been chosen again. Of a single link, the last one can come back.
  const notes = isOne ? removed.all.slice(-1).filter(() => links.length === 0) : removed.all;
  const notesAt = (isThere: (at: number) => boolean) =>
    removedNotes(
      notes.filter(({ key, at }) => isThere(at) && !links.some((link) => keyOf(link) === key)),
      { titleOf, undo, last: removed.last },
    );
  return (
    <>
      <SortableList keys={keys} move={(from, to) => set(moved(links, placeOf(from), placeOf(to)))}>
        {shown.flatMap((link, index) => {
          const place = placeOf(index);
          const name = names[index] ?? '';
          const key = keyOf(link);
          return [
            ...notesAt((at) => at === place),
            <SortableEntry key={key} id={key} title={name} isFixed={readOnly || isOne || links.length < 2}>
              {(handle) => (
                <LinkRow
                  {...{ handle, content, link, readOnly }}
                  title={name}
                  remove={() => {
                    removed.add({ key, entry: link, at: place });
                    set(links.filter((one) => one !== link));
                  }}
                />
              )}
            </SortableEntry>,
            hidden > 0 && index === first - 1 && (
              <Button key="more" size="xs" variant="subtle" onClick={() => setFirst(first + MORE)}>
                {texts.moreEntries(hidden)}
              </Button>
            ),
          ];
        })}
        {notesAt((at) => at >= links.length)}
      </SortableList>
    </>
  );
}

interface RowProps extends Pick<Props, 'content' | 'readOnly'> {
  readonly handle: ReactNode;
  readonly link: Link;
  readonly title: string;
  readonly remove: () => void;
}

function LinkRow({ handle, content, link, readOnly, title, remove }: RowProps) {
  const texts = useTexts();
  return (
    <Paper withBorder px="xs" py={4}>
      <Group gap="xs" wrap="nowrap">
        {handle}
        {content(link, title)}
        {!readOnly && (
          <ActionIcon variant="subtle" color="red" aria-label={texts.removeItem(title)} onClick={remove}>
            <IconTrash size={16} />
          </ActionIcon>
        )}
      </Group>
    </Paper>
  );
}
