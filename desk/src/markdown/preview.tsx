/** Preview of Markdown. Shows only harmless HTML. */
import { useDebouncedValue } from '@mantine/hooks';
import createPurifier from 'dompurify';
import { marked } from 'marked';
import { useEffect, useRef } from 'react';
import { inert } from '../parts/inert-html.ts';

/** Milliseconds after the last key when the preview follows. */
const PAUSE = 150;

const purifier = createPurifier(window);
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.nodeName !== 'A') return;
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noopener noreferrer');
});

const ATTRIBUTES = [
  'href',
  'src',
  'alt',
  'title',
  'width',
  'height',
  'align',
  'start',
  'colspan',
  'rowspan',
  'dir',
  'lang',
];

/** Elements of a text. The page's own elements, such as forms, cannot be imitated. */
const rendered = (text: string): DocumentFragment =>
  purifier.sanitize(inert(marked.parse(text, { async: false })), {
    RETURN_DOM_FRAGMENT: true,
    FORBID_TAGS: [
      'svg',
      'math',
      'style',
      'form',
      'button',
      'input',
      'select',
      'textarea',
      'option',
      'dialog',
      'audio',
      'video',
    ],
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });

interface Props {
  readonly text: string;
  readonly label: string;
  readonly dir: 'ltr' | 'rtl' | 'auto';
}

export default function Preview({ text, label, dir }: Props) {
  const place = useRef<HTMLElement>(null);
  const [shown] = useDebouncedValue(text, PAUSE);
  useEffect(() => place.current?.replaceChildren(rendered(shown)), [shown]);
  return <section ref={place} className="desk-markdown-preview" aria-label={label} dir={dir} tabIndex={0} />;
}
