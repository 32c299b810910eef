/** Documents that use a file, and the question before files are deleted. */
import { Anchor, List, Loader, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link as RouteLink } from 'wouter';
import type { Json, Link } from '../form/values.ts';
import { textOfValue } from '../form/values.ts';
import { Dialog, DialogButtons } from '../parts/dialog.tsx';
import { say } from '../parts/messages.tsx';
import { useSending } from '../parts/sending.tsx';
import { useModel } from '../screens/app.tsx';
import { useTexts } from '../texts/texts.ts';
import { deleteFile, usesOf } from './files.ts';

function useUses(files: readonly Json[]): readonly Link[] | null {
  const model = useModel();
  const ids = files.map((file) => file['documentId']);
  const { data } = useQuery({
    queryKey: ['files', 'uses', ids],
    queryFn: async () => {
      const all: Link[] = [];
      for (const file of files) all.push(...(await usesOf(file, model)));
      return [...new Map(all.map((link) => [`${link.type} ${link.documentId}`, link])).values()];
    },
    enabled: files.length > 0,
  });
  return data ?? null;
}

function UseList({ uses }: { readonly uses: readonly Link[] }) {
  const texts = useTexts();
  const model = useModel();
  return (
    <List size="sm">
      {uses.map(({ documentId, type, title }) => {
        const target = model.type(type);
        const place = target?.kind === 'singleType' ? type : `${type}/${documentId}`;
        const name = target?.kind === 'singleType' ? target.label : (title ?? texts.untitled);
        return (
          <List.Item key={`${type} ${documentId}`}>
            {target?.route === null ? (
              name
            ) : (
              <Anchor component={RouteLink} href={`/content/${place}`} size="sm" underline="always">
                {name}
              </Anchor>
            )}
            {target?.kind === 'collectionType' && ` · ${target.label}`}
          </List.Item>
        );
      })}
    </List>
  );
}

export function Uses({ file }: { readonly file: Json }) {
  const texts = useTexts();
  const uses = useUses([file]);
  return (
    <Stack gap={4} role="group" aria-label={texts.media.uses}>
      <Text size="sm" fw={600}>
        {texts.media.uses}
      </Text>
      {uses === null && <Loader size="xs" aria-label={texts.loading} />}
      {uses?.length === 0 && <Text size="sm">{texts.media.noUses}</Text>}
      {uses !== null && uses.length > 0 && <UseList uses={uses} />}
    </Stack>
  );
}

interface DeleteProps {
  readonly files: readonly Json[];
  readonly close: (isDone: boolean) => void;
}

export function DeleteDialog({ files, close }: DeleteProps) {
  const texts = useTexts();
  const { media } = texts;
  const client = useQueryClient();
  const uses = useUses(files);
  const { send, alert, isSending } = useSending();
  const remove = async (): Promise<void> => {
    const isDone = await send(async () => {
      for (const file of files) await deleteFile(file);
    });
    await client.invalidateQueries({ queryKey: ['files'] });
    if (!isDone) return;
    say(media.deleted(files.length));
    close(true);
  };
  return (
    <Dialog title={media.deleteTitle(files.length)} close={() => close(false)}>
      {alert}
      <Text size="sm">{files.map((file) => textOfValue(file['name'])).join(', ')}</Text>
      {uses === null && <Loader size="xs" aria-label={texts.loading} />}
      {uses !== null && <Text size="sm">{uses.length === 0 ? media.deleteUnused : media.deleteHint}</Text>}
      {uses !== null && uses.length > 0 && <UseList uses={uses} />}
      <DialogButtons
        close={() => close(false)}
        label={texts.delete}
        act={() => void remove()}
        isSending={isSending}
        disabled={uses === null}
        isDangerous
      />
    </Dialog>
  );
}
