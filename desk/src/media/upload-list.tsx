/** Files on their way to the library, and those that were refused. */
import { ActionIcon, Box, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { IconRefresh, IconX } from '@tabler/icons-react';
import { type ReactNode, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { type Upload, Uploads } from '../editor/uploads.ts';
import type { Link } from '../form/values.ts';
import type { Model } from '../model/model.ts';
import { sayFailure } from '../parts/messages.tsx';
import { readClipboard } from '../paste/clipboard.ts';
import { reasonText } from '../texts/reasons.ts';
import { useTexts } from '../texts/texts.ts';

interface Options {
  readonly model: Model;
  readonly folder: string | null;
  readonly stored: (link: Link) => void;
  /** Form that the files are for; none for the library. */
  readonly scope?: object;
  /** Kinds of files that the attribute accepts; none for all. */
  readonly allowed?: readonly string[];
}

/** Uploads of a screen or field. `stored` gets each file when it is in the library. */
export function useUploads({ model, folder, stored, scope, allowed = [] }: Options): Uploads {
  const texts = useTexts();
  const present = useRef({ folder, stored, isShown: true });
  useEffect(() => {
    present.current.isShown = true;
    return () => void (present.current.isShown = false);
  }, []);
  Object.assign(present.current, { folder, stored });
  return useMemo(
    () =>
      new Uploads({
        model,
        allowed,
        folder: () => present.current.folder,
        stored: (link) => present.current.stored(link),
        // The list is gone, such as with a closed entry of components.
        failed: (name, reason) =>
          present.current.isShown || sayFailure(texts.uploadFailed(name, reasonText(reason, texts))),
        ...(scope === undefined ? {} : { scope }),
      }),
    [model],
  );
}

export function UploadList({ uploads }: { readonly uploads: Uploads }) {
  const texts = useTexts();
  const { uploads: list } = useSyncExternalStore(uploads.subscribe, uploads.current);
  if (list.length === 0) return null;
  return (
    <Stack gap={6} role="group" aria-label={texts.media.uploads}>
      {list.map((one) => (
        <OneUpload key={one.key} one={one} uploads={uploads} />
      ))}
    </Stack>
  );
}

function OneUpload({ one, uploads }: { readonly one: Upload; readonly uploads: Uploads }) {
  const texts = useTexts();
  const { key, name, share, failure, mayRetry } = one;
  return (
    <Paper withBorder px="xs" py={6}>
      <Group gap="xs" wrap="nowrap">
        <Stack gap={4} flex={1} miw={0}>
          <Text size="sm" truncate={failure === null} role={failure === null ? undefined : 'alert'}>
            {failure === null ? name : texts.uploadFailed(name, reasonText(failure, texts))}
          </Text>
          {failure === null && <Progress value={share * 100} aria-label={texts.media.uploading(name)} />}
        </Stack>
        {failure !== null && mayRetry && (
          <ActionIcon
            variant="subtle"
            aria-label={texts.media.retryUpload(name)}
            onClick={() => uploads.retry(key)}
          >
            <IconRefresh size={16} />
          </ActionIcon>
        )}
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={texts.media.dropUpload(name)}
          onClick={() => uploads.drop(key)}
        >
          <IconX size={16} />
        </ActionIcon>
      </Group>
    </Paper>
  );
}

interface DropProps {
  readonly uploads: Uploads;
  readonly isEnabled: boolean;
  readonly children: ReactNode;
}

const hasFiles = ({ types }: DataTransfer): boolean => types.includes('Files');

/** Whether a paste is a text for a field. Spreadsheets add a picture of their cells. */
const isText = (data: DataTransfer | null, target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('input, textarea') && readClipboard(data, 'plain') !== '';

/** Area that uploads what is dropped on it, and files that are pasted while it is on the page. */
export function DropArea({ uploads, isEnabled, children }: DropProps) {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (!isEnabled) return undefined;
    const paste = ({ clipboardData, target }: ClipboardEvent): void => {
      const files = [...(clipboardData?.files ?? [])];
      if (files.length > 0 && !isText(clipboardData, target)) uploads.add(files);
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, [uploads, isEnabled]);
  return (
    <Box
      className={isOver ? 'desk-drop desk-drop-over' : 'desk-drop'}
      onDragOver={(event) => {
        if (!isEnabled || !hasFiles(event.dataTransfer)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        if (!isEnabled || !hasFiles(event.dataTransfer)) return;
        event.preventDefault();
        uploads.add([...event.dataTransfer.files]);
      }}
    >
      {children}
    </Box>
  );
}
