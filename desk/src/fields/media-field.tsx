/** Field of media: chosen files in their order, a library to choose from, and upload. */
import { Anchor, Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { IconPhoto, IconPhotoExclamation, IconUpload } from '@tabler/icons-react';
import { lazy, type SyntheticEvent, useState } from 'react';
import type { Json, Link } from '../form/values.ts';
import { withFile } from '../media/files.ts';
import { isUndescribed } from '../media/library.tsx';
import { UploadList, useUploads } from '../media/upload-list.tsx';
import { acceptOf } from '../model/media-kinds.ts';
import { isToOne } from '../model/model.ts';
import { announce, say } from '../parts/messages.tsx';
import { Opening } from '../parts/opening.tsx';
import { Thumbnail } from '../parts/thumbnail.tsx';
import { useTexts } from '../texts/texts.ts';
import { FieldHead } from './field-head.tsx';
import { type FieldProps, useForm, useValue } from './form-context.ts';
import { LinkRows } from './link-rows.tsx';

const FilePicker = lazy(() => import('../screens/file-picker.tsx'));
const FileDialog = lazy(async () => ({ default: (await import('../media/file-dialog.tsx')).FileDialog }));

const isInside = ({ currentTarget, target }: SyntheticEvent): boolean =>
  currentTarget.contains(target as Node);

export function MediaField({ attribute, path, readOnly }: FieldProps) {
  const texts = useTexts();
  const { model, store, type } = useForm();
  const [value, set, problem] = useValue<readonly Link[] | undefined>(path);
  const [isPicking, setPicking] = useState(false);
  const [opened, setOpened] = useState<Json | null>(null);
  const links = value ?? [];
  const isOne = isToOne(attribute);
  const verbs = model.type('file')?.verbs ?? {};
  const linksNow = (): readonly Link[] => (store.get(path) ?? []) as readonly Link[];
  const add = (added: readonly Link[]): void => {
    const now = linksNow();
    const fresh = added.filter(({ documentId }) => !now.some((one) => one.documentId === documentId));
    if (added.length === 0) return;
    set(isOne ? added.slice(-1) : [...now, ...fresh]);
    announce(texts.added(added.map(({ title }) => title ?? texts.untitled).join(', ')));
  };
  const uploads = useUploads({
    model,
    folder: null,
    stored: (link) => add([link]),
    scope: store,
    allowed: attribute.allowedTypes ?? [],
  });
  const send = (files: readonly File[]): void => {
    const sent = isOne ? files.slice(0, 1) : files;
    const [first] = sent;
    if (readOnly || !('create' in verbs) || first === undefined) return;
    if (sent.length < files.length) say(texts.media.onlyOne(first.name));
    uploads.add(sent);
  };
  return (
    <Stack
      gap={6}
      role="group"
      aria-label={attribute.label}
      data-path={path}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        // Events of the dialogs of this field reach it, too.
        if (!isInside(event)) return;
        event.preventDefault();
        send([...event.dataTransfer.files]);
      }}
      onPaste={(event) => isInside(event) && send([...event.clipboardData.files])}
    >
      <FieldHead attribute={attribute} problem={problem} />
      <UploadList uploads={uploads} />
      <LinkRows
        {...{ path, links, set, isOne, readOnly }}
        content={(link, name) => (
          <FileRow {...{ link, name }} open={setOpened} mayDescribe={'update' in verbs} />
        )}
      />
      {!readOnly && (
        <Group gap="xs">
          {'find' in verbs && (
            <Button variant="default" leftSection={<IconPhoto size={16} />} onClick={() => setPicking(true)}>
              {texts.chooseFile}
            </Button>
          )}
          {'create' in verbs && (
            <FileButton
              multiple={!isOne}
              accept={acceptOf(attribute.allowedTypes)}
              onChange={(files: File | File[] | null) => send([files ?? []].flat())}
            >
              {(props) => (
                <Button {...props} variant="default" leftSection={<IconUpload size={16} />}>
                  {texts.upload}
                </Button>
              )}
            </FileButton>
          )}
        </Group>
      )}
      <Opening>
        {isPicking && (
          <FilePicker
            isOne={isOne}
            allowed={attribute.allowedTypes ?? []}
            memory={`${type.name} ${path.replace(/#[^/]*\//g, '')}`}
            close={(chosen) => {
              setPicking(false);
              add(chosen);
            }}
          />
        )}
        {opened !== null && (
          <FileDialog
            file={opened}
            close={(changed) => {
              // The editor may have opened another file.
              setOpened((now) => (now === opened ? null : now));
              // Another upload may have ended since. A field that is only read keeps a deleted file.
              if (changed !== null || !readOnly) set(withFile(linksNow(), opened, changed));
            }}
          />
        )}
      </Opening>
    </Stack>
  );
}

interface RowProps {
  readonly link: Link;
  readonly name: string;
  readonly open: (file: Json) => void;
  /** Whether the editor is asked for a missing alternative text. */
  readonly mayDescribe: boolean;
}

function FileRow({ link: { title, file = {} }, name, open, mayDescribe }: RowProps) {
  const texts = useTexts();
  return (
    <>
      <Thumbnail file={file} />
      <Text size="sm" flex={1} miw={0} truncate component="div">
        <Anchor
          component="button"
          type="button"
          size="sm"
          aria-label={texts.media.details(name)}
          onClick={() => open(file)}
        >
          <bdi>{title ?? texts.untitled}</bdi>
        </Anchor>
      </Text>
      {mayDescribe && isUndescribed(file) && (
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconPhotoExclamation size={14} />}
          aria-label={texts.media.describe(name)}
          onClick={() => open(file)}
        >
          {texts.media.undescribedMark}
        </Button>
      )}
    </>
  );
}
