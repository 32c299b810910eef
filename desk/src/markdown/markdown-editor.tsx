/** Editor of `richtext`: Markdown with tools, pictures and a preview. */
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Loader } from '@mantine/core';
import { useUpload } from '../fields/use-upload.tsx';
import { useTexts } from '../texts/texts.ts';
import { type Look, MarkdownView } from './markdown-view.ts';
import { pictureText } from './picture.ts';
import { Toolbar } from './toolbar.tsx';
import './markdown.css';

const Preview = lazy(() => import('./preview.tsx'));

interface Props extends Look {
  readonly value: string;
  readonly change: (value: string) => void;
}

export default function MarkdownEditor({ value, change, ...look }: Props) {
  const texts = useTexts();
  const { label, readOnly, dir, describedBy, placeholder } = look;
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<MarkdownView | null>(null);
  const [isShown, setShown] = useState(false);
  const { upload, notice } = useUpload();
  // The view is made once for a place in the form, and calls the functions of the last rendering.
  const latest = useRef({ change, upload });
  latest.current = { change, upload };
  useEffect(() => {
    if (place.current === null) return;
    const { current } = place;
    const opened = new MarkdownView(current, {
      value,
      look,
      change: (next) => latest.current.change(next),
      upload: async (file) => {
        const link = await latest.current.upload(file);
        return link === null ? null : pictureText(link);
      },
      focusTools: () =>
        current
          .closest('.desk-markdown')
          ?.querySelector<HTMLElement>('[role=toolbar] [tabindex="0"]')
          ?.focus(),
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
    <div className="desk-markdown">
      {view !== null && <Toolbar {...{ view, label, readOnly, isShown, setShown }} />}
      {notice}
      <div className={isShown ? 'desk-markdown-both' : undefined}>
        <div ref={place} className="desk-markdown-text" />
        {isShown && (
          <Suspense fallback={<Loader size="sm" m={8} aria-label={texts.loading} />}>
            <Preview text={value} label={texts.markdown.previewOf(label)} dir={dir} />
          </Suspense>
        )}
      </div>
    </div>
  );
}
