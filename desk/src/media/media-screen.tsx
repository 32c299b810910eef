/** Media library as a screen: upload, find, describe, move and delete files. */
import { Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { unlessGone } from '../api/errors.ts';
import type { Json, Link } from '../form/values.ts';
import { Dialog, DialogButtons, markFirstField } from '../parts/dialog.tsx';
import { Frame } from '../parts/frame.tsx';
import { say } from '../parts/messages.tsx';
import { useSending } from '../parts/sending.tsx';
import { useModel } from '../screens/app.tsx';
import { useTexts } from '../texts/texts.ts';
import { FolderField } from './description.tsx';
import { FileDialog } from './file-dialog.tsx';
import { changeFile, type LibraryState, readLibrary, writeLibrary } from './files.ts';
import { Library } from './library.tsx';
import { LibraryTools } from './library-tools.tsx';
import { DropArea, UploadList, useUploads } from './upload-list.tsx';
import { DeleteDialog } from './uses.tsx';

export default function MediaScreen() {
  const texts = useTexts();
  const model = useModel();
  const client = useQueryClient();
  const [address, setAddress] = useSearchParams();
  const state = readLibrary(address);
  const [chosen, setChosen] = useState<readonly Link[]>([]);
  const [opened, setOpened] = useState<Json | null>(null);
  const mayUpload = 'create' in (model.type('file')?.verbs ?? {});
  const uploads = useUploads({
    model,
    folder: state.folder,
    stored: () => void client.invalidateQueries({ queryKey: ['files'] }),
  });
  // Steps in the browser's history change the address, too.
  useEffect(() => setChosen([]), [address.toString()]);
  // The browser returns from a folder to the one before; filters and searches are not steps.
  const go = (change: Partial<LibraryState>): void =>
    setAddress(writeLibrary({ ...state, ...change }), { replace: change.folder === undefined });
  const toggle = (link: Link): void => {
    const rest = chosen.filter(({ documentId }) => documentId !== link.documentId);
    setChosen(rest.length < chosen.length ? rest : [...chosen, link]);
  };
  return (
    <Frame
      title={texts.library}
      isLoading={false}
      error={null}
      retry={() => undefined}
      tools={
        mayUpload && (
          <FileButton multiple onChange={(files) => uploads.add(files)}>
            {(props) => (
              <Button {...props} leftSection={<IconUpload size={16} />}>
                {texts.upload}
              </Button>
            )}
          </FileButton>
        )
      }
    >
      <DropArea uploads={uploads} isEnabled={mayUpload && opened === null}>
        <Stack>
          {mayUpload && (
            <Text size="sm" c="dimmed">
              {texts.media.dropHere}
            </Text>
          )}
          <LibraryTools state={state} go={go} allowed={[]} />
          <UploadList uploads={uploads} />
          <Selection
            chosen={chosen}
            deselect={(links) => setChosen((now) => now.filter((link) => !links.includes(link)))}
          />
          <Library {...{ state, allowed: [], chosen, toggle, isPicker: false, open: setOpened }} />
        </Stack>
      </DropArea>
      {opened !== null && (
        <FileDialog
          file={opened}
          folder={state.folder}
          close={() => setOpened((now) => (now === opened ? null : now))}
        />
      )}
    </Frame>
  );
}

interface SelectionProps {
  readonly chosen: readonly Link[];
  readonly deselect: (links: readonly Link[]) => void;
}

/** Actions on the selected files. */
function Selection({ chosen, deselect }: SelectionProps) {
  const texts = useTexts();
  const verbs = useModel().type('file')?.verbs ?? {};
  const [asked, setAsked] = useState<'move' | 'delete' | null>(null);
  const files = chosen.map(({ file }) => file ?? {});
  if (chosen.length === 0) return null;
  const close = (): void => setAsked(null);
  const done = (): void => deselect(chosen);
  return (
    <Group gap="sm" role="region" aria-label={texts.media.selected(chosen.length)}>
      <Text size="sm">{texts.media.selected(chosen.length)}</Text>
      {'update' in verbs && (
        <Button size="xs" variant="default" onClick={() => setAsked('move')}>
          {texts.media.moveTo}
        </Button>
      )}
      {'delete' in verbs && (
        <Button size="xs" variant="default" c="red" onClick={() => setAsked('delete')}>
          {texts.delete}
        </Button>
      )}
      {asked === 'delete' && <DeleteDialog {...{ files, close, done }} />}
      {asked === 'move' && <MoveDialog {...{ files, close, done }} />}
    </Group>
  );
}

interface MoveProps {
  readonly files: readonly Json[];
  readonly close: () => void;
  readonly done: () => void;
}

function MoveDialog({ files, close, done }: MoveProps) {
  const texts = useTexts();
  const client = useQueryClient();
  const { send, alert, isSending, isShown } = useSending();
  const [folder, setFolder] = useState('');
  const move = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    let count = 0;
    const isDone = await send(async () => {
      for (const file of files)
        count += Number(await unlessGone(changeFile({ body: file, etag: null }, { folder: folder.trim() })));
    });
    await client.invalidateQueries({ queryKey: ['files'] });
    if (!isDone) return;
    say(texts.media.moved(count));
    done();
    if (isShown.current) close();
  };
  return (
    <Dialog title={texts.media.selected(files.length)} close={close}>
      {alert}
      <form onSubmit={(event) => void move(event)} ref={markFirstField}>
        <Stack>
          <FolderField value={folder} set={setFolder} />
          <DialogButtons
            close={close}
            label={texts.media.moveTo}
            isSending={isSending}
            disabled={folder.trim() === ''}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
