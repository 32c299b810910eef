/** Field of media: chosen files in their order, a library to choose from, and upload. */
import { Alert, Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { IconPhoto, IconUpload } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { messageOf } from '../api/errors.ts';
import type { Link } from '../form/values.ts';
import { mediaPrefixes } from '../model/media-kinds.ts';
import { isToOne } from '../model/model.ts';
import { Thumbnail } from '../parts/thumbnail.tsx';
import { upload } from '../editor/uploads.ts';
import { useTexts } from '../texts/texts.ts';
import { FieldHead } from './field-head.tsx';
import { type FieldProps, useForm, useValue } from './form-context.ts';
import { LinkRows } from './link-rows.tsx';

const FilePicker = lazy(() => import('../screens/file-picker.tsx'));

/** Media types as an input of the browser names them; none for every file. */
const acceptOf = (allowed: readonly string[] = []): string | undefined =>
  mediaPrefixes(allowed)
    .map((prefix) => `${prefix}*`)
    .join(',') || undefined;

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
        setFailure(texts.uploadFailed(file.name, messageOf(error)));
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
      <FieldHead attribute={attribute} problem={problem} />
      {failure !== null && (
        <Alert color="red" withCloseButton closeButtonLabel={texts.close} onClose={() => setFailure(null)}>
          {failure}
        </Alert>
      )}
      <LinkRows
        {...{ links, set, isOne, readOnly }}
        content={({ title, file }) => (
          <>
            <Thumbnail file={file ?? {}} />
            <Text size="sm" flex={1} miw={0} truncate>
              {title}
            </Text>
          </>
        )}
      />
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
