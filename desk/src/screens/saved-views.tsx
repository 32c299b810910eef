/** Named views of a list: search, filters, sorting and language. The browser keeps them. */
import { ActionIcon, Button, Group, Menu, Stack, TextInput } from '@mantine/core';
import { IconBookmark, IconX } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { session } from '../api/session.ts';
import type { Type } from '../model/model.ts';
import { Dialog, DialogButtons } from '../parts/dialog.tsx';
import { useTexts } from '../texts/texts.ts';

interface View {
  readonly name: string;
  /** Query of the address of the list. */
  readonly query: string;
}

interface Props {
  readonly type: Type;
  /** Query of the list as it is. */
  readonly query: string;
  readonly open: (query: string) => void;
}

function readViews(key: string): readonly View[] {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '[]') as readonly View[];
  } catch {
    return [];
  }
}

export function SavedViews({ type, query, open }: Props) {
  const { palette: texts } = useTexts();
  const key = `content-desk views ${session.user?.documentId ?? ''} ${type.name}`;
  const [views, setViews] = useState(() => readViews(key));
  const [isNaming, setNaming] = useState(false);
  /** Removes a view. Another tab may have changed the others. */
  const without = (name: string): readonly View[] => readViews(key).filter((view) => view.name !== name);
  const keep = (next: readonly View[]): void => {
    localStorage.setItem(key, JSON.stringify(next));
    setViews(next);
  };
  const save = (name: string): void => {
    keep([...without(name), { name, query }]);
    setNaming(false);
  };
  return (
    <>
      <Menu position="bottom-start" onOpen={() => setViews(readViews(key))}>
        <Menu.Target>
          <Button variant="default" leftSection={<IconBookmark size={16} />}>
            {texts.views}
          </Button>
        </Menu.Target>
        <Menu.Dropdown maw="calc(100vw - 16px)">
          {views.map((view) => (
            <Group key={view.name} gap={4} wrap="nowrap">
              <Menu.Item
                flex={1}
                miw={0}
                style={{ overflowWrap: 'anywhere' }}
                fw={view.query === query ? 700 : undefined}
                onClick={() => open(view.query)}
              >
                {view.name}
              </Menu.Item>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={texts.removeView(view.name)}
                onClick={() => keep(without(view.name))}
              >
                <IconX size={14} />
              </ActionIcon>
            </Group>
          ))}
          {views.length > 0 && <Menu.Divider />}
          <Menu.Item onClick={() => setNaming(true)}>{texts.saveView}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isNaming && (
        <NameDialog taken={views.map(({ name }) => name)} save={save} close={() => setNaming(false)} />
      )}
    </>
  );
}

interface NameProps {
  /** Names of the views that are stored. */
  readonly taken: readonly string[];
  readonly save: (name: string) => void;
  readonly close: () => void;
}

function NameDialog({ taken, save, close }: NameProps) {
  const texts = useTexts();
  const [name, setName] = useState('');
  const isTaken = taken.includes(name.trim());
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() !== '') save(name.trim());
  };
  return (
    <Dialog title={texts.palette.saveView} close={close}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={texts.palette.viewName}
            description={isTaken ? texts.palette.viewTaken : undefined}
            required
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <DialogButtons close={close} label={isTaken ? texts.palette.replaceView : texts.save} />
        </Stack>
      </form>
    </Dialog>
  );
}
