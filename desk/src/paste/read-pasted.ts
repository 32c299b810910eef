import { inert } from '../parts/inert-html.ts';
import { type Block, type List, readHtml } from './read-html.ts';

/** Returns the blocks of pasted HTML. The browser loads and runs nothing of it. */
export const readPasted = (html: string): readonly (Block | List)[] =>
  readHtml(new DOMParser().parseFromString(inert(html), 'text/html').body);
