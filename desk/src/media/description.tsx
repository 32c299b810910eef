/** Fields that describe a file. */
import { Autocomplete, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type Json, textOfValue } from '../form/values.ts';
import { directionOfSearch, useTexts } from '../texts/texts.ts';
import { ROOT, type TaggedFile } from './files.ts';
import type { Point } from './focal-point.tsx';
import { useFolders } from './library-tools.tsx';

export interface Description {
  readonly name: string;
  readonly alternativeText: string;
  readonly caption: string;
  readonly focalPoint: Point | null;
  /** Folder to move the file to; empty if it stays where it is. */
  readonly folder: string;
}

const descriptionOf = (file: Json): Description => ({
  name: textOfValue(file['name']),
  alternativeText: textOfValue(file['alternativeText']),
  caption: textOfValue(file['caption']),
  focalPoint: (file['focalPoint'] ?? null) as Point | null,
  folder: '',
});

interface Draft {
  /** File as it was before its first unsaved change. A file that is read later may hold changes by others. */
  readonly seen: TaggedFile | null;
  readonly changes: Partial<Description>;
}

/** Returns the description with its unsaved changes, which stay when the file is replaced or read again. */
export function useDescription(file: TaggedFile) {
  const [{ seen, changes }, setDraft] = useState<Draft>({ seen: null, changes: {} });
  return {
    description: { ...descriptionOf(file.body), ...changes },
    seen: {
      seen: seen ?? file,
      refused: (now: TaggedFile) => setDraft((before) => ({ ...before, seen: now })),
    },
    set: (change: Partial<Description>) =>
      setDraft((before) => ({ seen: before.seen ?? file, changes: { ...before.changes, ...change } })),
  };
}

interface Props {
  readonly description: Description;
  readonly set: (change: Partial<Description>) => void;
  readonly isPicture: boolean;
  readonly readOnly: boolean;
}

export function DescriptionFields({ description, set, isPicture, readOnly }: Props) {
  const { media } = useTexts();
  return (
    <>
      {isPicture && (
        <Textarea
          label={media.alternative}
          description={media.alternativeHint}
          autosize
          minRows={2}
          data-autofocus
          dir={directionOfSearch(description.alternativeText)}
          readOnly={readOnly}
          value={description.alternativeText}
          onChange={(event) => set({ alternativeText: event.currentTarget.value })}
        />
      )}
      <TextInput
        label={media.caption}
        dir={directionOfSearch(description.caption)}
        readOnly={readOnly}
        value={description.caption}
        onChange={(event) => set({ caption: event.currentTarget.value })}
      />
      <TextInput
        label={media.name}
        dir={directionOfSearch(description.name)}
        readOnly={readOnly}
        value={description.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      {!readOnly && <FolderField value={description.folder} set={(folder) => set({ folder })} />}
    </>
  );
}

/** Input of a folder: a known one, or a new path. */
export function FolderField({
  value,
  set,
}: {
  readonly value: string;
  readonly set: (value: string) => void;
}) {
  const { media } = useTexts();
  return (
    <Autocomplete
      label={media.moveTo}
      description={media.moveHint}
      placeholder={media.keepFolder}
      openOnFocus={false}
      data={[ROOT, ...useFolders()]}
      value={value}
      onChange={set}
    />
  );
}
