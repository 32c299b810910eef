/** Markdown of pasted HTML. */
import { isMarkdown } from '../paste/markdown-signs.ts';
import { readPasted } from '../paste/read-pasted.ts';
import { isBare, toMarkdown } from './to-markdown.ts';

/** Returns the address of a picture of this server; null for others, which the site should not show. */
function pictureOf(address: string): string | null {
  if (!URL.canParse(address, location.href)) return null;
  const { origin, pathname, search } = new URL(address, location.href);
  return origin === location.origin ? pathname + search : null;
}

interface Pasted {
  readonly text: string;
  /** Whether it is a part of a paragraph. */
  readonly isInline: boolean;
}

/** Returns the Markdown of HTML. Lines without any mark may be Markdown themselves, as a text has it. */
export function fromHtml(html: string, text: string): Pasted {
  const entries = readPasted(html);
  if (isBare(entries) && isMarkdown(text)) return { text, isInline: true };
  const [first] = entries;
  const isInline =
    entries.length === 1 && first !== undefined && 'runs' in first && first.name === 'paragraph';
  return { text: toMarkdown(entries, pictureOf), isInline };
}
