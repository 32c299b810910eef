/** Named views of a list: search, filters, sorting and language. The browser keeps them. */
import { ActionIcon, Button, Group, Menu, Stack, TextInput } from '@mantine/core';
import { IconBookmark, IconPencil, IconX } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { session } from '../api/session.ts';
import type { Type } from '../model/model.ts';
import { Dialog, DialogButtons } from '../parts/dialog.tsx';
import { readKept, writeKept } from '../parts/kept-list.ts';
import { isolated } from '../texts/isolated.ts';
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

const readViews = (key: string): readonly View[] => readKept<View>(key) ?? [];

export function SavedViews({ type, query, open }: Props) {
  const { palette: texts } = useTexts();
  const key = `content-desk views ${session.user?.documentId ?? ''} ${type.name}`;
  const [views, setViews] = useState(() => readViews(key));
  const [isOpen, setOpen] = useState(false);
  /** View that gets a name. A new one has none yet. */
  const [named, setNamed] = useState<View | null>(null);
  /** Removes a view. Another tab may have changed the others. */
  const without = (name: string): readonly View[] => readViews(key).filter((view) => view.name !== name);
  const keep = (next: readonly View[]): void => {
    writeKept(key, next);
    setViews(next);
  };
  /** Stores a view under a name, in the place of an earlier view of this name. */
  const store = (view: View, name: string): void => {
    const others = readViews(key).filter((one) => one.name !== name || one.name === view.name);
    const renamed = others.map((one) => (one.name === view.name ? { ...one, name } : one));
    keep(view.name === '' ? [...others, { name, query }] : renamed);
    setNamed(null);
  };
  return (
    <>
      <Menu
        position="bottom-start"
        opened={isOpen}
        onChange={setOpen}
        onOpen={() => setViews(readViews(key))}
      >
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
                aria-label={texts.renameView(view.name)}
                onClick={() => {
                  setNamed(view);
                  setOpen(false);
                }}
              >
                <IconPencil size={14} />
              </ActionIcon>
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
          <Menu.Item onClick={() => setNamed({ name: '', query })}>{texts.saveView}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {named !== null && (
        <NameDialog
          stored={named.name}
          taken={views.map(({ name }) => name).filter((name) => name !== named.name)}
          save={(name) => store(named, name)}
          close={() => setNamed(null)}
        />
      )}
    </>
  );
}

interface NameProps {
  /** Name that the view has; empty for a new one. */
  readonly stored: string;
  /** Names of the other views that are stored. */
  readonly taken: readonly string[];
  readonly save: (name: string) => void;
  readonly close: () => void;
}

function NameDialog({ stored, taken, save, close }: NameProps) {
  const texts = useTexts();
  const [name, setName] = useState(stored);
  const isTaken = taken.includes(name.trim());
  const title = stored === '' ? texts.palette.saveView : texts.palette.renameView(isolated(stored));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() !== '') save(name.trim());
  };
  return (
    <Dialog title={title} close={close}>
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
