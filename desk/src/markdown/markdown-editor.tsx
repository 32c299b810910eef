/** Editor of `richtext`: Markdown with tools, pictures and a preview. */
import { lazy, Suspense, useRef, useState } from 'react';
import { Loader } from '@mantine/core';
import { type Look, useTextView } from '../fields/use-text-view.ts';
import { useUpload } from '../fields/use-upload.tsx';
import { useTexts } from '../texts/texts.ts';
import { MarkdownView } from './markdown-view.ts';
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
  const { label, readOnly, dir } = look;
  const [isShown, setShown] = useState(false);
  const { upload, notice } = useUpload();
  const latest = useRef({ change, upload });
  latest.current = { change, upload };
  const open = (place: HTMLElement): MarkdownView =>
    new MarkdownView(place, {
      value,
      look,
      change: (next) => latest.current.change(next),
      upload: async (file) => {
        const link = await latest.current.upload(file);
        return link === null ? null : pictureText(link);
      },
      focusTools: () =>
        place.closest('.desk-markdown')?.querySelector<HTMLElement>('[role=toolbar] [tabindex="0"]')?.focus(),
    });
  const [place, view] = useTextView({ value, look, open });
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
