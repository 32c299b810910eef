/** Short names for the nodes of a `blocks` attribute, so that the stories read as prose. */
import type { Story } from '../content/story.js';

/** Node of a story's body. */
export type BlockNode = NonNullable<Story['body']>[number];

const text = (value: string): BlockNode => ({ type: 'text', text: value });

export const paragraph = (...parts: readonly (string | BlockNode)[]): BlockNode => ({
  type: 'paragraph',
  children: parts.map((part) => (typeof part === 'string' ? text(part) : part)),
});

export const heading = (value: string): BlockNode => ({ type: 'heading', level: 2, children: [text(value)] });

export const link = (label: string, url: string): BlockNode => ({
  type: 'link',
  url,
  children: [text(label)],
});

export const list = (...items: readonly string[]): BlockNode => ({
  type: 'list',
  format: 'unordered',
  children: items.map((item) => ({ type: 'list-item', children: [text(item)] })),
});
