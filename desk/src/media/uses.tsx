/** Documents that use a file, and the question before files are deleted. */
import { Loader, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type Uses as Found, usesOf as usesInContent } from '../editor/document-uses.ts';
import type { Json, Link } from '../form/values.ts';
import { eachOnce, textOfValue } from '../form/values.ts';
import type { Model } from '../model/model.ts';
import { Dialog, DialogButtons } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { say } from '../parts/messages.tsx';
import { useSending } from '../parts/sending.tsx';
import { UseList } from '../parts/use-list.tsx';
import { useModel } from '../screens/app.tsx';
import { useTexts } from '../texts/texts.ts';
import { deleteFile, usesOf } from './files.ts';

/** Files that one search of the texts is for: its address contains their names. */
const MAX_FILES = 10;

/** Documents with files in their rich texts, whose addresses contain the names of the stored files. */
async function usesInTexts(files: readonly Json[], model: Model): Promise<Found> {
  const names = files.map((file) => textOfValue(file['hash'])).filter((name) => name !== '');
  if (names.length === 0) return { links: [], hasMore: false, partly: [] };
  return usesInContent({ type: null, documentId: '', texts: names }, model);
}

function useUses(files: readonly Json[]) {
  const model = useModel();
  const ids = files.map((file) => file['documentId']);
  return useQuery({
    queryKey: ['files', 'uses', ids],
    queryFn: async () => {
      const all: Link[] = [];
      let isWhole = true;
      for (const file of files) all.push(...(await usesOf(file, model)));
      for (let at = 0; at < files.length; at += MAX_FILES) {
        const { links, hasMore, partly } = await usesInTexts(files.slice(at, at + MAX_FILES), model);
        all.push(...links);
        isWhole &&= !hasMore && partly.length === 0;
      }
      return { links: eachOnce(all), isWhole };
    },
    enabled: files.length > 0,
  });
}

function UsesState({ query: { data, error, refetch } }: { readonly query: ReturnType<typeof useUses> }) {
  const texts = useTexts();
  const model = useModel();
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loader size="xs" aria-label={texts.loading} />;
  return (
    <>
      {data.links.length > 0 && <UseList uses={data.links} model={model} />}
      {!data.isWhole && <Text size="sm">{texts.media.usesPartly}</Text>}
    </>
  );
}

export function Uses({ file }: { readonly file: Json }) {
  const texts = useTexts();
  const query = useUses([file]);
  return (
    <Stack gap={4} role="group" aria-label={texts.media.uses}>
      <Text size="sm" fw={600}>
        {texts.media.uses}
      </Text>
      {query.data?.isWhole === true && query.data.links.length === 0 && (
        <Text size="sm">{texts.media.noUses}</Text>
      )}
      <UsesState query={query} />
    </Stack>
  );
}

interface DeleteProps {
  readonly files: readonly Json[];
  readonly close: () => void;
  readonly done: () => void;
}

export function DeleteDialog({ files, close, done }: DeleteProps) {
  const texts = useTexts();
  const { media } = texts;
  const client = useQueryClient();
  const query = useUses(files);
  const uses = query.data;
  const unlinked = uses?.isWhole === true ? media.deleteUnused : media.deleteUnknown;
  const { send, alert, isSending, isShown } = useSending();
  const remove = async (): Promise<void> => {
    const isDone = await send(async () => {
      for (const file of files) await deleteFile(file);
    });
    await client.invalidateQueries({ queryKey: ['files'] });
    if (!isDone) return;
    say(media.deleted(files.length));
    done();
    if (isShown.current) close();
  };
  return (
    <Dialog title={media.deleteTitle(files.length)} close={close}>
      {alert}
      <Text size="sm">{files.map((file) => textOfValue(file['name'])).join(', ')}</Text>
      {uses !== undefined && <Text size="sm">{uses.links.length === 0 ? unlinked : media.deleteHint}</Text>}
      <UsesState query={query} />
      <DialogButtons
        close={close}
        label={texts.delete}
        act={() => void remove()}
        isSending={isSending}
        disabled={uses === undefined}
        isDangerous
      />
    </Dialog>
  );
}
