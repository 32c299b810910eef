/** Editor of `blocks`: headings, lists, quotes, code, links and pictures. */
import { Text } from '@mantine/core';
import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useUpload } from '../fields/use-upload.tsx';
import { useTexts } from '../texts/texts.ts';
import { BlocksView, type Look } from './blocks-view.ts';
import './blocks.css';

// Texts that are only read need no tools.
const Toolbar = lazy(() => import('./toolbar.tsx'));

interface Props extends Look {
  readonly value: unknown;
  readonly change: (value: unknown) => void;
}

export default function BlocksEditor({ value, change, ...look }: Props) {
  const { label, readOnly, dir, describedBy, placeholder } = look;
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<BlocksView | null>(null);
  const [isLinking, setLinking] = useState(false);
  const { upload, notice } = useUpload();
  // The view is made once for a place in the form, and calls the functions of the last rendering.
  const latest = useRef({ change, upload });
  latest.current = { change, upload };
  useEffect(() => {
    if (place.current === null) return;
    const { current } = place;
    const opened = new BlocksView(current, {
      value,
      look,
      change: (next) => latest.current.change(next),
      upload: async (file) => (await latest.current.upload(file))?.file ?? null,
      openLink: () => setLinking(true),
      focusTools: () =>
        current.parentElement?.querySelector<HTMLElement>('[role=toolbar] [tabindex="0"]')?.focus(),
    });
    setView(opened);
    return () => opened.destroy();
  }, []);
  useEffect(() => view?.set(value), [view, value]);
  useEffect(
    () => view?.restyle({ label, readOnly, dir, describedBy, placeholder }),
    [view, label, readOnly, dir, describedBy, placeholder],
  );
  return (
    <div className="desk-blocks">
      {!readOnly && (
        <Suspense fallback={<div className="desk-tools" />}>
          {view !== null && <Toolbar {...{ view, label, isLinking, setLinking }} />}
        </Suspense>
      )}
      {notice}
      <div ref={place} />
      {view !== null && <Words view={view} />}
    </div>
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
