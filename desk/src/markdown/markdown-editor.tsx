/** Editor of `richtext`: Markdown with tools, pictures and a preview. */
import { lazy, Suspense, useRef, useState } from 'react';
import { Loader } from '@mantine/core';
import { type Look, type Uploading, useTextView } from '../fields/text-parts.tsx';
import { useTexts } from '../texts/texts.ts';
import { MarkdownView } from './markdown-view.ts';
import { pictureText } from './picture.ts';
import { Toolbar } from './toolbar.tsx';

const Preview = lazy(() => import('./preview.tsx'));

interface Props extends Look, Pick<Uploading, 'upload' | 'late'> {
  readonly value: string;
  readonly change: (value: string) => void;
}

export default function MarkdownEditor({ value, change, upload, late, ...look }: Props) {
  const texts = useTexts();
  const { label, readOnly, dir } = look;
  const [isShown, setShown] = useState(false);
  const latest = useRef({ change, upload });
  latest.current = { change, upload };
  const open = (place: HTMLElement): MarkdownView =>
    new MarkdownView(place, {
      value,
      look,
      change: (next) => latest.current.change(next),
      late,
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
