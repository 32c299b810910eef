/** Columns of a list, which each editor chooses. */
import { Button, Checkbox, Popover, Stack } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import { useState } from 'react';
import { session } from '../api/session.ts';
import { type Column, columnsOf } from '../model/list-query.ts';
import type { Type } from '../model/model.ts';
import { writeKept, readKept } from '../parts/kept-list.ts';
import { useTexts } from '../texts/texts.ts';
import { columnLabel } from './document-table.tsx';

/** Names of the chosen columns, kept per editor and type. */
export function useColumns(
  type: Type,
): readonly [readonly Column[], readonly Column[], (name: string) => void] {
  const key = `content-desk columns ${session.user?.documentId ?? ''} ${type.name}`;
  const kept = (): readonly string[] => readKept<string>(key) ?? type.list;
  const [names, setNames] = useState(kept);
  const all = columnsOf(type);
  const chosen = names.flatMap((name) => all.find((one) => one.name === name) ?? []);
  const toggle = (name: string): void => {
    // Another tab may have chosen other columns.
    const others = kept().filter((one) => one !== name);
    const next = names.includes(name) ? others : [...others, name];
    writeKept(key, next);
    setNames(next);
  };
  return [chosen, all, toggle];
}

export function ColumnMenu({
  all,
  chosen,
  toggle,
}: {
  all: readonly Column[];
  chosen: readonly Column[];
  toggle: (name: string) => void;
}) {
  const texts = useTexts();
  return (
    <Popover trapFocus returnFocus position="bottom-start">
      <Popover.Target>
        <Button variant="default" leftSection={<IconColumns3 size={16} />} visibleFrom="sm">
          {texts.columns}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs" mah={360} style={{ overflowY: 'auto' }}>
          {all.map((column) => (
            <Checkbox
              key={column.name}
              label={columnLabel(column, texts)}
              checked={chosen.includes(column)}
              onChange={() => toggle(column.name)}
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
