/** Chosen documents or files in their order, each with what a field shows of it. */
import { ActionIcon, Button, Group, Paper } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { Fragment, type ReactNode, useState } from 'react';
import { keyOf, type Link } from '../form/values.ts';
import { distinct } from '../parts/distinct.ts';
import { moved, SortableEntry, SortableList } from '../parts/sortable-list.tsx';
import { useTexts } from '../texts/texts.ts';
import { type Removed, RemovedNote, withEntry } from './removed-note.tsx';

interface Props {
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

export function LinkRows({ links, set, isOne, readOnly, content }: Props) {
  const texts = useTexts();
  const [first, setFirst] = useState(FIRST);
  const [removed, setRemoved] = useState<Removed<Link> | null>(null);
  const titleOf = ({ title }: Link): string => title ?? texts.untitled;
  const hidden = Math.max(0, links.length - first - LAST);
  const shown = hidden === 0 ? links : [...links.slice(0, first), ...links.slice(first + hidden)];
  const keys = shown.map(keyOf);
  const names = distinct(shown.map(titleOf));
  const placeOf = (at: number): number => (at < first ? at : at + hidden);
  const undo = (one: Removed<Link>): void => {
    setRemoved(null);
    const isBack = links.some((link) => keyOf(link) === keyOf(one.entry));
    if (!isBack) set(isOne ? [one.entry] : withEntry(links, one));
  };
  const note = removed !== null && !(isOne && links.length > 0) && (
    <RemovedNote key={keyOf(removed.entry)} title={titleOf(removed.entry)} undo={() => undo(removed)} />
  );
  return (
    <>
      <SortableList keys={keys} move={(from, to) => set(moved(links, placeOf(from), placeOf(to)))}>
        {shown.map((link, index) => {
          const at = placeOf(index);
          const name = names[index] ?? '';
          return (
            <Fragment key={keyOf(link)}>
              {removed?.at === at && note}
              <SortableEntry id={keyOf(link)} title={name} isFixed={readOnly || isOne || links.length < 2}>
                {(handle) => (
                  <LinkRow
                    {...{ handle, content, link, readOnly }}
                    title={name}
                    remove={() => {
                      setRemoved({ entry: link, at });
                      set(links.filter((one) => one !== link));
                    }}
                  />
                )}
              </SortableEntry>
              {hidden > 0 && index === first - 1 && (
                <Button size="xs" variant="subtle" onClick={() => setFirst(first + MORE)}>
                  {texts.moreEntries(hidden)}
                </Button>
              )}
            </Fragment>
          );
        })}
        {removed !== null && removed.at >= links.length && note}
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
