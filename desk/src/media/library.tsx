/** Files of the library with search, filters and folders. The screen and the picker show it. */
import {
  ActionIcon,
  Button,
  Center,
  Checkbox,
  Loader,
  SimpleGrid,
  Text,
  UnstyledButton,
} from '@mantine/core';
import { IconInfoCircle, IconPhotoExclamation } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Json, type Link, linkOf, textOfValue } from '../form/values.ts';
import { distinct } from '../parts/distinct.ts';
import { pictureOf, Thumbnail } from '../parts/thumbnail.tsx';
import { useModel } from '../screens/app.tsx';
import { failureText } from '../texts/reasons.ts';
import { useFormats, useTexts } from '../texts/texts.ts';
import { type LibraryState, libraryQuery, readPage, WHOLE_LIBRARY, writeLibrary } from './files.ts';

export interface LibraryProps {
  readonly state: LibraryState;
  /** Kinds of files that may be chosen; none for all. */
  readonly allowed: readonly string[];
  readonly chosen: readonly Link[];
  readonly toggle: (link: Link) => void;
  readonly open: (file: Json) => void;
  /** Whether a press on a file chooses it; else it opens its details. */
  readonly isPicker: boolean;
}

export function Library({ state, allowed, chosen, toggle, open, isPicker }: LibraryProps) {
  const texts = useTexts();
  const model = useModel();
  // The time of a filter by age stays: each minute would be another list, from its first page.
  const query = useMemo(() => libraryQuery(state, allowed), [writeLibrary(state).toString(), allowed.join()]);
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['files', 'list', query],
    placeholderData: keepPreviousData,
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) => readPage(query, pageParam, signal),
    getNextPageParam: ({ meta: { pagination } }) =>
      pagination.page < pagination.pageCount ? pagination.page + 1 : undefined,
  });
  const files = (data?.pages ?? []).flatMap((page) => page.data);
  const links = files.map((file) => linkOf(file, 'file', model));
  const names = distinct(links.map(({ title }) => title ?? texts.untitled));
  const total = data?.pages[0]?.meta.pagination.total ?? 0;
  const isNarrowed = Object.entries(WHOLE_LIBRARY).some(
    ([name, value]) => name !== 'sort' && state[name as keyof LibraryState] !== value,
  );
  if (error !== null)
    return (
      <Text role="alert">
        {failureText(error, texts)}{' '}
        <Button size="compact-sm" onClick={() => void refetch()}>
          {texts.retry}
        </Button>
      </Text>
    );
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {files.length > 0 && texts.media.count(total)}
        {files.length === 0 &&
          !isFetching &&
          (isNarrowed ? texts.noResults : `${texts.noFiles} ${texts.noFilesHint}`)}
      </Text>
      {data === undefined && isFetching && (
        <Center p="xl">
          <Loader aria-label={texts.loading} />
        </Center>
      )}
      <SimpleGrid cols={{ base: 2, sm: 3, md: isPicker ? 4 : 5, xl: isPicker ? 4 : 7 }} spacing="sm">
        {links.map((link, row) => {
          const at = chosen.findIndex(({ documentId }) => documentId === link.documentId);
          const [file = {}, name = ''] = [files[row], names[row]];
          return <Tile key={link.documentId} {...{ link, file, name, at, isPicker, toggle, open }} />;
        })}
      </SimpleGrid>
      {hasNextPage && (
        <Button variant="default" loading={isFetching} onClick={() => void fetchNextPage()}>
          {texts.moreResults}
        </Button>
      )}
    </>
  );
}

/** Whether a picture lacks the text that describes it. */
export const isUndescribed = (file: Json): boolean =>
  textOfValue(file['mime']).startsWith('image/') && textOfValue(file['alternativeText']).trim() === '';

/** Format of a file, with the size of a picture in pixels, else in bytes. */
function formatOf({ ext, width, height, size }: Json, number: (value: number) => string): string {
  const format = textOfValue(ext).replace('.', '').toUpperCase();
  const extent =
    typeof width === 'number' ? `${number(width)} × ${number(Number(height))}` : `${number(Number(size))} kB`;
  return [format, extent].filter(Boolean).join(' · ');
}

type TileProps = Pick<LibraryProps, 'isPicker' | 'toggle' | 'open'> & {
  readonly link: Link;
  readonly file: Json;
  /** Title that no other tile has. */
  readonly name: string;
  /** Place among the chosen files; -1 for none. */
  readonly at: number;
};

function Tile({ link, file, name, at, isPicker, toggle, open }: TileProps) {
  const texts = useTexts();
  const picture = pictureOf(file);
  const title = link.title ?? texts.untitled;
  const { number } = useFormats();
  return (
    <div className={at >= 0 ? 'desk-tile desk-picked' : 'desk-tile'}>
      <UnstyledButton
        w="100%"
        aria-label={name === title ? undefined : name}
        onClick={() => (isPicker ? toggle(link) : open(file))}
        {...(isPicker ? { 'aria-pressed': at >= 0 } : {})}
      >
        <span className="desk-tile-picture">
          {picture === null ? <Thumbnail file={file} /> : <img src={picture} alt="" loading="lazy" />}
        </span>
        <Text size="xs" truncate component="span" display="block">
          {at >= 0 && isPicker ? `${at + 1}. ` : ''}
          <bdi>{title}</bdi>
        </Text>
      </UnstyledButton>
      <Text size="xs" c="dimmed" truncate>
        {formatOf(file, number)}
      </Text>
      <span className="desk-tile-corner">
        {isUndescribed(file) && (
          <IconPhotoExclamation size={18} role="img" aria-label={texts.media.undescribedMark} />
        )}
        {isPicker ? (
          <ActionIcon
            variant="default"
            size="sm"
            aria-label={texts.media.details(name)}
            onClick={() => open(file)}
          >
            <IconInfoCircle size={16} />
          </ActionIcon>
        ) : (
          <Checkbox
            size="sm"
            aria-label={texts.media.select(name)}
            checked={at >= 0}
            onChange={() => toggle(link)}
          />
        )}
      </span>
    </div>
  );
}
