/** Details of one file: its description, focal point and folder, where it is used, and its bytes. */
import { Anchor, Button, FileButton, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconCrop, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { type Json, type Link, linkOf, textOfValue } from '../form/values.ts';
import { Dialog } from '../parts/dialog.tsx';
import { say } from '../parts/messages.tsx';
import { Opening } from '../parts/opening.tsx';
import { useSending } from '../parts/sending.tsx';
import { Thumbnail } from '../parts/thumbnail.tsx';
import { Unsaved } from '../parts/unsaved.tsx';
import { useModel } from '../screens/app.tsx';
import { isolated } from '../texts/isolated.ts';
import { useFormats, useTexts } from '../texts/texts.ts';
import { type Description, DescriptionFields, useDescription } from './description.tsx';
import {
  changeFile,
  type FileChange,
  readFile,
  replaceFile,
  type TaggedFile,
  UNREAD,
  writeSeen,
} from './files.ts';
import { FocalPoint } from './focal-point.tsx';
import { DeleteDialog, Uses } from './uses.tsx';

const CropDialog = lazy(() => import('./crop-dialog.tsx'));

interface Props {
  /** File as a list contains it. */
  readonly file: Json;
  /** Folder that the library shows; null for all. */
  readonly folder?: string | null;
  /** `changed`: the file as it is now; null if it was deleted. */
  readonly close: (changed: Link | null) => void;
}

export function FileDialog({ file, folder = null, close }: Props) {
  const model = useModel();
  const verbs = model.type('file')?.verbs ?? {};
  const documentId = String(file['documentId']);
  const mayRead = 'findOne' in verbs;
  const { data = { body: file, etag: mayRead ? UNREAD : null } } = useQuery({
    queryKey: ['files', 'one', documentId],
    queryFn: () => readFile(documentId),
    enabled: mayRead,
  });
  return (
    <Dialog
      title={isolated(textOfValue(data.body['name']))}
      close={() => close(linkOf(data.body, 'file', model))}
      size="xl"
    >
      <Details tagged={data} folder={folder} close={close} />
    </Dialog>
  );
}

/** Members of the description that differ from the file. */
function changesOf(
  file: Json,
  { name, alternativeText, caption, focalPoint, folder }: Description,
): FileChange {
  const text = (key: string, value: string) =>
    value === textOfValue(file[key]) ? {} : { [key]: value === '' ? null : value };
  const isSamePoint = JSON.stringify(focalPoint) === JSON.stringify(file['focalPoint'] ?? null);
  return {
    ...(name === textOfValue(file['name']) ? {} : { name }),
    ...text('alternativeText', alternativeText),
    ...text('caption', caption),
    ...(isSamePoint ? {} : { focalPoint }),
    ...(folder.trim() === '' ? {} : { folder: folder.trim() }),
  };
}

const hasPoint = (file: Json): boolean => (file['focalPoint'] ?? null) !== null;

/** Gives a file other bytes. The point of the former picture would cut the motif of the new one off. */
const replaceByOther = (tagged: TaggedFile, bytes: File): Promise<Json> =>
  writeSeen({ seen: tagged, names: ['url'] }, (file) =>
    replaceFile(file, bytes, hasPoint(file.body) ? { focalPoint: null } : {}),
  );

function useFileWork() {
  const client = useQueryClient();
  const { send, ...sending } = useSending();
  const work = async (task: () => Promise<unknown>, message: string): Promise<boolean> => {
    const isDone = await send(task);
    const reading = client.invalidateQueries({ queryKey: ['files'] });
    // Without a network, the files are read when it is back.
    if (!isDone) return false;
    await reading;
    say(message);
    return true;
  };
  return { ...sending, work };
}

type DetailsProps = Omit<Props, 'file'> & { readonly tagged: TaggedFile };

function Details({ tagged, tagged: { body: file }, folder = null, close }: DetailsProps) {
  const texts = useTexts();
  const { media } = texts;
  const model = useModel();
  const verbs = model.type('file')?.verbs ?? {};
  const mayUpdate = 'update' in verbs;
  const { description, set, seen } = useDescription(tagged);
  const { work, alert, isSending } = useFileWork();
  const [asked, setAsked] = useState<'crop' | 'delete' | null>(null);
  const changes = changesOf(file, description);
  const isChanged = Object.keys(changes).length > 0;
  const isPicture = textOfValue(file['mime']).startsWith('image/');
  const save = async (): Promise<void> => {
    let stored = file;
    const isDone = await work(async () => {
      stored = await writeSeen({ ...seen, names: Object.keys(changes) }, (one) => changeFile(one, changes));
    }, media.stored);
    if (isDone) close(linkOf(stored, 'file', model));
  };
  const replace = async (bytes: File | null): Promise<void> => {
    const message = hasPoint(file) ? media.replacedPoint : media.replaced;
    if (bytes === null || !(await work(() => replaceByOther(tagged, bytes), message))) return;
    set({ focalPoint: null });
  };
  return (
    <Stack>
      <Unsaved isChanged={mayUpdate && isChanged} />
      {asked !== 'crop' && alert}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Stack>
          {isPicture ? (
            <FocalPoint
              address={textOfValue(file['url'])}
              alternative={textOfValue(file['alternativeText'])}
              point={description.focalPoint}
              set={mayUpdate ? (focalPoint) => set({ focalPoint }) : null}
            />
          ) : (
            <Thumbnail file={file} />
          )}
          <Facts file={file} />
        </Stack>
        <Stack>
          <DescriptionFields {...{ description, set, isPicture, readOnly: !mayUpdate }} />
          {'findOne' in verbs && <Uses file={file} />}
        </Stack>
      </SimpleGrid>
      <Group justify="space-between">
        <Group gap="xs">
          {isPicture && (mayUpdate || 'create' in verbs) && (
            <Button variant="default" leftSection={<IconCrop size={16} />} onClick={() => setAsked('crop')}>
              {media.crop}
            </Button>
          )}
          {mayUpdate && (
            <FileButton onChange={(bytes) => void replace(bytes)} accept={textOfValue(file['mime'])}>
              {(props) => (
                <Button
                  {...props}
                  variant="default"
                  leftSection={<IconRefresh size={16} />}
                  loading={isSending}
                >
                  {media.replace}
                </Button>
              )}
            </FileButton>
          )}
          {'delete' in verbs && (
            <Button
              variant="default"
              c="red"
              leftSection={<IconTrash size={16} />}
              onClick={() => setAsked('delete')}
            >
              {texts.delete}
            </Button>
          )}
        </Group>
        {mayUpdate && (
          <Button disabled={!isChanged} loading={isSending} onClick={() => void save()}>
            {texts.save}
          </Button>
        )}
      </Group>
      {asked === 'delete' && (
        <DeleteDialog files={[file]} close={() => setAsked(null)} done={() => close(null)} />
      )}
      {asked === 'crop' && (
        <Opening>
          <CropDialog
            file={{ ...file, focalPoint: description.focalPoint }}
            close={() => setAsked(null)}
            {...{ folder, replaced: set, work, alert }}
          />
        </Opening>
      )}
    </Stack>
  );
}

function Facts({ file }: { readonly file: Json }) {
  const { media } = useTexts();
  const { dateTime, number } = useFormats();
  const { width, height, size, url, createdAt } = file;
  const facts: readonly (readonly [string, string])[] = [
    [
      media.size,
      `${number(Number(size))} kB${typeof width === 'number' ? ` · ${media.dimensions(number(width), number(Number(height)))}` : ''}`,
    ],
    [media.uploadedAt, dateTime(new Date(textOfValue(createdAt)))],
  ];
  return (
    <Stack gap={2}>
      {facts.map(([label, value]) => (
        <Text key={label} size="sm">
          {label}: {value}
        </Text>
      ))}
      <Anchor size="sm" py={2} href={textOfValue(url)} target="_blank" rel="noreferrer">
        {media.address}
      </Anchor>
    </Stack>
  );
}
