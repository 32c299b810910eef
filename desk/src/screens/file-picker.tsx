/** Media library as a dialog: search, and choose one or several files in order. */
import {
  Button,
  Group,
  Loader,
  Modal,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../api/http.ts';
import { type Json, type Link, linkOf } from '../form/values.ts';
import { mediaPrefixes } from '../model/media-kinds.ts';
import { pictureOf, Thumbnail } from '../parts/thumbnail.tsx';
import { settings } from '../settings.ts';
import { useTexts } from '../texts/texts.ts';
import { useModel } from './app.tsx';

interface Props {
  readonly isOne: boolean;
  /** Kinds of files that the attribute accepts; none for all. */
  readonly allowed: readonly string[];
  readonly close: (chosen: readonly Link[]) => void;
}

const PAGE_SIZE = 24;

function kindFilter(allowed: readonly string[]): object {
  const prefixes = mediaPrefixes(allowed);
  if (prefixes.length === 0) return {};
  return { filters: { $or: prefixes.map((prefix) => ({ mime: { $startsWith: prefix } })) } };
}

export default function FilePicker({ isOne, allowed, close }: Props) {
  const texts = useTexts();
  const model = useModel();
  const [search, setSearch] = useState('');
  const [asked] = useDebouncedValue(search.trim(), 200);
  const [chosen, setChosen] = useState<readonly Link[]>([]);
  const { data, isFetching, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['files', allowed, asked],
    placeholderData: keepPreviousData,
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        ...kindFilter(allowed),
        ...(asked === '' ? {} : { _q: asked }),
        sort: 'createdAt:desc',
        start: pageParam,
        limit: PAGE_SIZE,
      };
      return (await request<readonly Json[]>(`${settings.api}/upload/files`, { query, signal })).body;
    },
    getNextPageParam: (last, all) => (last.length < PAGE_SIZE ? undefined : all.length * PAGE_SIZE),
  });
  const files = (data?.pages ?? []).flat().map((file) => linkOf(file, 'file', model));
  const toggle = (link: Link): void => {
    if (isOne) return close([link]);
    const isChosen = chosen.some(({ documentId }) => documentId === link.documentId);
    setChosen(
      isChosen ? chosen.filter(({ documentId }) => documentId !== link.documentId) : [...chosen, link],
    );
  };
  return (
    <Modal
      opened
      onClose={() => close([])}
      size="xl"
      title={texts.library}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      <Stack>
        <TextInput
          data-autofocus
          role="searchbox"
          aria-label={texts.searchIn(texts.library)}
          placeholder={texts.search}
          value={search}
          rightSection={isFetching ? <Loader size="xs" aria-label={texts.loading} /> : null}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        {files.length === 0 && !isFetching && <Text>{asked === '' ? texts.noFiles : texts.noResults}</Text>}
        <SimpleGrid cols={{ base: 2, sm: 4 }}>
          {files.map((link) => (
            <FileTile
              key={link.documentId}
              link={link}
              at={chosen.findIndex(({ documentId }) => documentId === link.documentId)}
              toggle={() => toggle(link)}
            />
          ))}
        </SimpleGrid>
        {hasNextPage && (
          <Button variant="default" onClick={() => void fetchNextPage()}>
            {texts.moreResults}
          </Button>
        )}
        {!isOne && (
          <Group justify="flex-end">
            <Button variant="default" onClick={() => close([])}>
              {texts.cancel}
            </Button>
            <Button disabled={chosen.length === 0} onClick={() => close(chosen)}>
              {texts.choose}
            </Button>
          </Group>
        )}
      </Stack>
    </Modal>
  );
}

function FileTile({
  link,
  at,
  toggle,
}: {
  readonly link: Link;
  readonly at: number;
  readonly toggle: () => void;
}) {
  const picture = pictureOf(link.file ?? {});
  return (
    <UnstyledButton
      onClick={toggle}
      aria-pressed={at >= 0}
      className={at >= 0 ? 'desk-tile desk-picked' : 'desk-tile'}
    >
      {picture === null ? <Thumbnail file={link.file ?? {}} /> : <img src={picture} alt="" loading="lazy" />}
      <Text size="xs" truncate>
        {at >= 0 ? `${at + 1}. ` : ''}
        {link.title}
      </Text>
    </UnstyledButton>
  );
}
