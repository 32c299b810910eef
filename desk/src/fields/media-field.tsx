/** Field of media: chosen files in their order, a library to choose from, and upload. */
import { ActionIcon, Alert, Button, FileButton, Group, Input, Paper, Stack, Text } from '@mantine/core';
import { IconPhoto, IconTrash, IconUpload } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { type Link } from '../form/values.ts';
import { isToOne } from '../model/model.ts';
import { moved, SortableEntry, SortableList } from '../parts/sortable-list.tsx';
import { Thumbnail } from '../parts/thumbnail.tsx';
import { upload } from '../editor/uploads.ts';
import { useTexts } from '../texts/texts.ts';
import { type FieldProps, useForm, useValue } from './form-context.ts';

const FilePicker = lazy(() => import('../screens/file-picker.tsx'));

/** Kinds of files as an input of the browser names them. */
const ACCEPTED: Readonly<Record<string, string>> = {
  images: 'image/*',
  videos: 'video/*',
  audios: 'audio/*',
};

function acceptOf(allowed: readonly string[] | undefined): string | undefined {
  const kinds = (allowed ?? []).map((kind) => ACCEPTED[kind]);
  return kinds.length === 0 || kinds.includes(undefined) ? undefined : kinds.join(',');
}

export function MediaField({ attribute, path, readOnly }: FieldProps) {
  const texts = useTexts();
  const { model, store } = useForm();
  const [value, set, problem] = useValue<readonly Link[] | undefined>(path);
  const [isPicking, setPicking] = useState(false);
  const [isUploading, setUploading] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const links = value ?? [];
  const isOne = isToOne(attribute);
  const mayUpload = 'create' in (model.type('file')?.verbs ?? {});
  const mayPick = 'find' in (model.type('file')?.verbs ?? {});
  const add = (added: readonly Link[]): void => {
    const now = (store.get(path) ?? []) as readonly Link[];
    const fresh = added.filter(({ documentId }) => !now.some((one) => one.documentId === documentId));
    if (added.length > 0) set(isOne ? added.slice(-1) : [...now, ...fresh]);
  };
  const send = async (files: readonly File[]): Promise<void> => {
    setUploading(true);
    setFailure(null);
    for (const file of files)
      try {
        add([await upload(file, model)]);
      } catch (error) {
        setFailure(texts.uploadFailed(file.name, error instanceof Error ? error.message : String(error)));
      }
    setUploading(false);
  };
  return (
    <Stack
      gap={6}
      role="group"
      aria-label={attribute.label}
      data-path={path}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        if (!readOnly && mayUpload) void send([...event.dataTransfer.files]);
      }}
    >
      <div>
        <Input.Label component="div" required={attribute.required}>
          {attribute.label}
        </Input.Label>
        {attribute.description !== undefined && (
          <Input.Description>{attribute.description}</Input.Description>
        )}
      </div>
      {problem !== null && <Alert color="red">{problem}</Alert>}
      {failure !== null && (
        <Alert color="red" withCloseButton closeButtonLabel={texts.close} onClose={() => setFailure(null)}>
          {failure}
        </Alert>
      )}
      <ChosenFiles {...{ links, set, isFixed: readOnly || isOne, readOnly }} />
      {!readOnly && (
        <Group gap="xs">
          {mayPick && (
            <Button variant="default" leftSection={<IconPhoto size={16} />} onClick={() => setPicking(true)}>
              {texts.chooseFile}
            </Button>
          )}
          {mayUpload && (
            <FileButton
              multiple={!isOne}
              accept={acceptOf(attribute.allowedTypes)}
              onChange={(files: File | File[] | null) => void send([files ?? []].flat())}
            >
              {(props) => (
                <Button
                  {...props}
                  variant="default"
                  leftSection={<IconUpload size={16} />}
                  loading={isUploading}
                >
                  {texts.upload}
                </Button>
              )}
            </FileButton>
          )}
        </Group>
      )}
      {isPicking && (
        <Suspense fallback={null}>
          <FilePicker
            isOne={isOne}
            allowed={attribute.allowedTypes ?? []}
            close={(chosen) => {
              setPicking(false);
              add(chosen);
            }}
          />
        </Suspense>
      )}
    </Stack>
  );
}

interface ChosenProps {
  readonly links: readonly Link[];
  readonly set: (links: readonly Link[]) => void;
  readonly isFixed: boolean;
  readonly readOnly: boolean;
}

function ChosenFiles({ links, set, isFixed, readOnly }: ChosenProps) {
  const texts = useTexts();
  return (
    <SortableList
      keys={links.map(({ documentId }) => documentId)}
      move={(from, to) => set(moved(links, from, to))}
    >
      {links.map((link) => (
        <SortableEntry
          key={link.documentId}
          id={link.documentId}
          title={link.title ?? ''}
          isFixed={isFixed || links.length < 2}
        >
          {(handle) => (
            <Paper withBorder px="xs" py={4}>
              <Group gap="xs" wrap="nowrap">
                {handle}
                <Thumbnail file={link.file ?? {}} />
                <Text size="sm" flex={1} miw={0} truncate>
                  {link.title}
                </Text>
                {!readOnly && (
                  <ActionIcon
                    variant="subtle"
                    color="red"
                    aria-label={texts.removeItem(link.title ?? '')}
                    onClick={() => set(links.filter((one) => one !== link))}
                  >
                    <IconTrash size={16} />
                  </ActionIcon>
                )}
              </Group>
            </Paper>
          )}
        </SortableEntry>
      ))}
    </SortableList>
  );
}
