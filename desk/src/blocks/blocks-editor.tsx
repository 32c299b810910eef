/** Editor of `blocks`: headings, lists, quotes, code, links and pictures. */
import { Alert, Text } from '@mantine/core';
import { useRef, useState, useSyncExternalStore } from 'react';
import { type Look, type Uploading, useTextView } from '../fields/text-parts.tsx';
import { useTexts } from '../texts/texts.ts';
import { foreignKinds } from './foreign.ts';
import { BlocksView } from './blocks-view.ts';
import { Toolbar } from './toolbar.tsx';

interface Props extends Look, Pick<Uploading, 'upload' | 'late'> {
  readonly value: unknown;
  readonly change: (value: unknown) => void;
}

export default function BlocksEditor({ value, change, upload, late, ...look }: Props) {
  const { label, readOnly } = look;
  const [isLinking, setLinking] = useState(false);
  const latest = useRef({ change, upload });
  latest.current = { change, upload };
  const open = (place: HTMLElement): BlocksView =>
    new BlocksView(place, {
      value,
      look,
      change: (next) => latest.current.change(next),
      late,
      upload: async (file) => (await latest.current.upload(file))?.file ?? null,
      openLink: () => setLinking(true),
      focusTools: () =>
        place.parentElement?.querySelector<HTMLElement>('[role=toolbar] [tabindex="0"]')?.focus(),
    });
  const [place, view] = useTextView({ value, look, open });
  return (
    <div className="desk-blocks">
      {!readOnly && view !== null && <Toolbar {...{ view, label, isLinking, setLinking }} />}
      {!readOnly && <Foreign value={value} />}
      <div ref={place} />
      {view !== null && <Words view={view} />}
    </div>
  );
}

/** Says before the first change that it cannot be saved, and what helps. */
function Foreign({ value }: Pick<Props, 'value'>) {
  const texts = useTexts();
  const kinds = foreignKinds(value);
  if (kinds.length === 0) return null;
  return (
    <Alert color="orange" m={8} role="status">
      {texts.blocks.foreign(kinds.join(', '))}
    </Alert>
  );
}

function Words({ view }: { readonly view: BlocksView }) {
  const texts = useTexts();
  const { words } = useSyncExternalStore(view.subscribe, view.current);
  return (
    <Text size="xs" c="dimmed" ta="end" px={8} py={2}>
      {texts.blocks.words(words)}
    </Text>
  );
}
