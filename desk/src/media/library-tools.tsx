/** Search, filters and folders of the library. */
import { Anchor, Breadcrumbs, Button, Group, Select, Switch } from '@mantine/core';
import { IconFolder } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { isKind, KINDS } from '../model/media-kinds.ts';
import { SearchField } from '../parts/search-field.tsx';
import { useTexts } from '../texts/texts.ts';
import { AGES, folderPaths, foldersIn, type LibraryState, readFolders, ROOT, SORTS } from './files.ts';

interface Props {
  readonly state: LibraryState;
  readonly go: (change: Partial<LibraryState>) => void;
  /** Kinds of files that may be chosen; none for all. */
  readonly allowed: readonly string[];
}

export function useFolders(): readonly string[] {
  const { data } = useQuery({ queryKey: ['files', 'folders'], queryFn: readFolders });
  return folderPaths(data ?? []);
}

export function LibraryTools({ state, go, allowed }: Props) {
  const texts = useTexts();
  const { media } = texts;
  const optionsOf = <T extends string>(values: readonly T[], labels: Readonly<Record<T, string>>) =>
    values.map((value) => ({ value, label: labels[value] }));
  const kinds = KINDS.filter((kind) => allowed.length === 0 || allowed.includes(kind));
  return (
    <>
      <Group gap="sm" align="flex-end" className="desk-filters">
        <SearchField
          data-autofocus
          label={texts.searchIn(texts.library)}
          search={state.search}
          go={(search) => go({ search })}
        />
        {kinds.length > 1 && (
          <Select
            label={media.kind}
            placeholder={media.any}
            clearable
            data={optionsOf(kinds, media.kinds)}
            value={state.kind}
            onChange={(kind) => go({ kind: isKind(kind) ? kind : null })}
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

/** Names of the folders on the way to a folder, each with its path. */
const stepsTo = (folder: string): readonly (readonly [name: string, path: string])[] => {
  const names = folder.split('/').filter((name) => name !== '');
  return names.map((name, at) => [name, `/${names.slice(0, at + 1).join('/')}`]);
};

function Folders({ state, go }: Omit<Props, 'allowed'>) {
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
