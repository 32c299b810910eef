/** Media library as a dialog: search, upload, and choose one or several files in order. */
import { Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { session } from '../api/session.ts';
import { LinkRows } from '../fields/link-rows.tsx';
import type { Json, Link } from '../form/values.ts';
import { FileDialog } from '../media/file-dialog.tsx';
import { type LibraryState, readLibrary, WHOLE_LIBRARY, withFile, writeLibrary } from '../media/files.ts';
import { Library } from '../media/library.tsx';
import { LibraryTools } from '../media/library-tools.tsx';
import { DropArea, UploadList, useUploads } from '../media/upload-list.tsx';
import { acceptOf } from '../model/media-kinds.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Thumbnail } from '../parts/thumbnail.tsx';
import { useTexts } from '../texts/texts.ts';
import { useModel } from './app.tsx';

interface Props {
  readonly isOne: boolean;
  /** Kinds of files that the attribute accepts; none for all. */
  readonly allowed: readonly string[];
  /** Name under which the browser remembers the last folder and filters; none for a fresh library. */
  readonly memory?: string;
  readonly close: (chosen: readonly Link[]) => void;
}

/** State of the library as the editor left it the last time. A search is not remembered. */
function useMemory(memory: string | undefined) {
  const key = `content-desk library ${session.user?.documentId ?? ''} ${memory ?? ''}`;
  const [state, setState] = useState<LibraryState>(() => {
    const kept = memory === undefined ? null : localStorage.getItem(key);
    return kept === null ? WHOLE_LIBRARY : readLibrary(new URLSearchParams(kept));
  });
  const go = (change: Partial<LibraryState>): void => {
    const next = { ...state, ...change };
    if (memory !== undefined) localStorage.setItem(key, writeLibrary({ ...next, search: '' }).toString());
    setState(next);
  };
  return [state, go] as const;
}

export default function FilePicker({ isOne, allowed, memory, close }: Props) {
  const texts = useTexts();
  const model = useModel();
  const client = useQueryClient();
  const [state, go] = useMemory(memory);
  const [chosen, setChosen] = useState<readonly Link[]>([]);
  const [opened, setOpened] = useState<Json | null>(null);
  const mayUpload = 'create' in (model.type('file')?.verbs ?? {});
  const isSame = (link: Link) => (one: Link) => one.documentId === link.documentId;
  const toggle = (link: Link): void => {
    if (isOne) return close([link]);
    const rest = chosen.filter((one) => !isSame(link)(one));
    setChosen(rest.length < chosen.length ? rest : [...chosen, link]);
  };
  const uploads = useUploads({
    model,
    allowed,
    folder: state.folder,
    stored: (link) => {
      void client.invalidateQueries({ queryKey: ['files'] });
      setChosen((before) => [...(isOne ? [] : before), link]);
    },
  });
  return (
    <Dialog title={texts.library} close={() => close([])} size="80rem">
      <DropArea uploads={uploads} isEnabled={mayUpload && opened === null}>
        <Stack>
          <LibraryTools state={state} go={go} allowed={allowed} />
          {mayUpload && (
            <Group gap="xs">
              <FileButton
                multiple={!isOne}
                accept={acceptOf(allowed)}
                onChange={(files: File | File[] | null) => uploads.add([files ?? []].flat())}
              >
                {(props) => (
                  <Button {...props} size="xs" variant="default" leftSection={<IconUpload size={14} />}>
                    {texts.upload}
                  </Button>
                )}
              </FileButton>
              <Text size="xs" c="dimmed">
                {texts.media.dropHere}
              </Text>
            </Group>
          )}
          <UploadList uploads={uploads} />
          <Library {...{ state, allowed, chosen, toggle, isPicker: true, open: setOpened }} />
        </Stack>
      </DropArea>
      {chosen.length > 0 && (
        <Stack gap={6} role="group" aria-label={texts.media.chosen}>
          <Text size="sm" fw={600}>
            {texts.media.chosen}
          </Text>
          <LinkRows
            path={null}
            {...{ links: chosen, set: setChosen, isOne, readOnly: false }}
            content={({ title, file }) => (
              <>
                <Thumbnail file={file ?? {}} />
                <Text size="sm" flex={1} miw={0} truncate>
                  {title}
                </Text>
              </>
            )}
          />
        </Stack>
      )}
      {(!isOne || chosen.length > 0) && (
        <Group justify="flex-end" className="desk-picker-foot">
          <Button variant="default" onClick={() => close([])}>
            {texts.cancel}
          </Button>
          <Button disabled={chosen.length === 0} onClick={() => close(chosen)}>
            {texts.choose}
          </Button>
        </Group>
      )}
      {opened !== null && (
        <FileDialog
          file={opened}
          close={(changed) => {
            // The editor may have opened another file.
            setOpened((now) => (now === opened ? null : now));
            setChosen((before) => withFile(before, opened, changed));
          }}
        />
      )}
    </Dialog>
  );
}
