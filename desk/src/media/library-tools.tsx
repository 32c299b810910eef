/** Search, filters and folders of the library. */
import {
  ActionIcon,
  Anchor,
  Breadcrumbs,
  Button,
  Group,
  Loader,
  Select,
  Switch,
  TextInput,
} from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconFolder, IconSearch, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { directionOfSearch, useTexts } from '../texts/texts.ts';
import { AGES, folderPaths, foldersIn, KINDS, type LibraryState, readFolders, ROOT, SORTS } from './files.ts';

interface Props {
  readonly state: LibraryState;
  readonly go: (change: Partial<LibraryState>) => void;
  /** Whether the kind is settled by the attribute. */
  readonly hasKind: boolean;
}

export function useFolders(): readonly string[] {
  const { data } = useQuery({ queryKey: ['files', 'folders'], queryFn: readFolders });
  return folderPaths(data ?? []);
}

export function LibraryTools({ state, go, hasKind }: Props) {
  const texts = useTexts();
  const { media } = texts;
  const optionsOf = <T extends string>(values: readonly T[], labels: Readonly<Record<T, string>>) =>
    values.map((value) => ({ value, label: labels[value] }));
  return (
    <>
      <Group gap="sm" align="flex-end" className="desk-filters">
        <Search {...{ state, go }} />
        {!hasKind && (
          <Select
            label={media.kind}
            placeholder={media.any}
            clearable
            data={optionsOf(KINDS, media.kinds)}
            value={state.kind}
            onChange={(kind) => go({ kind: KINDS.find((one) => one === kind) ?? null })}
          />
        )}
        <Select
          label={media.age}
          placeholder={media.any}
          clearable
          data={optionsOf(AGES, media.ages)}
          value={state.age}
          onChange={(age) => go({ age: AGES.find((one) => one === age) ?? null })}
        />
        <Select
          label={media.sort}
          data={optionsOf(SORTS, media.sorts)}
          value={state.sort}
          allowDeselect={false}
          onChange={(sort) => go({ sort: SORTS.find((one) => one === sort) ?? 'newest' })}
        />
        <Switch
          pb={8}
          label={media.undescribed}
          checked={state.undescribed}
          onChange={(event) => go({ undescribed: event.currentTarget.checked })}
        />
      </Group>
      <Folders {...{ state, go }} />
    </>
  );
}

function Search({ state, go }: Omit<Props, 'hasKind'>) {
  const texts = useTexts();
  const [search, setSearch] = useState(state.search);
  const [isTyping, setTyping] = useState(false);
  useEffect(() => setSearch(state.search), [state.search]);
  const later = useDebouncedCallback((text: string) => {
    setTyping(false);
    go({ search: text.trim() });
  }, 250);
  const type = (text: string): void => {
    setSearch(text);
    setTyping(true);
    later(text);
  };
  return (
    <TextInput
      data-autofocus
      role="searchbox"
      aria-label={texts.searchIn(texts.library)}
      placeholder={texts.search}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        <>
          {isTyping && <Loader size="xs" />}
          {!isTyping && search !== '' && (
            <ActionIcon variant="subtle" aria-label={texts.clearSearch} onClick={() => go({ search: '' })}>
              <IconX size={14} />
            </ActionIcon>
          )}
        </>
      }
      value={search}
      dir={directionOfSearch(search)}
      onChange={(event) => type(event.currentTarget.value)}
    />
  );
}

/** Names of the folders on the way to a folder, each with its path. */
const stepsTo = (folder: string): readonly (readonly [name: string, path: string])[] => {
  const names = folder.split('/').filter((name) => name !== '');
  return names.map((name, at) => [name, `/${names.slice(0, at + 1).join('/')}`]);
};

function Folders({ state, go }: Omit<Props, 'hasKind'>) {
  const { media } = useTexts();
  const paths = useFolders();
  const { folder } = state;
  if (paths.length === 0 && folder === null) return null;
  const inside = foldersIn(paths, folder ?? ROOT);
  const step = (label: string, target: string | null) => (
    <Anchor
      key={target ?? ''}
      component="button"
      type="button"
      size="sm"
      aria-current={target === folder ? 'true' : undefined}
      onClick={() => go({ folder: target })}
    >
      {label}
    </Anchor>
  );
  return (
    <Group gap="xs" role="group" aria-label={media.folders}>
      <Breadcrumbs>
        {step(media.allFiles, null)}
        {folder === ROOT && step(media.root, ROOT)}
        {stepsTo(folder ?? '').map(([name, path]) => step(name, path))}
      </Breadcrumbs>
      {folder !== ROOT &&
        inside.map((path) => (
          <Button
            key={path}
            size="compact-sm"
            variant="default"
            leftSection={<IconFolder size={14} />}
            onClick={() => go({ folder: path })}
          >
            {path.slice(path.lastIndexOf('/') + 1)}
          </Button>
        ))}
      {folder === null && (
        <Button size="compact-sm" variant="default" onClick={() => go({ folder: ROOT })}>
          {media.root}
        </Button>
      )}
    </Group>
  );
}
