/** Readers of clipboards that are not the editor's own. */
import { Fragment, Slice } from 'prosemirror-model';
import { inert } from '../parts/inert-html.ts';
import { readHtml } from '../paste/read-html.ts';
import { nodesOf } from './paste-nodes.ts';

/** Returns the blocks of HTML. Its first and last text join the text around the cursor. */
export function sliceOf(html: string): Slice {
  const { body } = new DOMParser().parseFromString(inert(html), 'text/html');
  return Slice.maxOpen(Fragment.from(nodesOf(readHtml(body))));
}

export async function readMarkdown(text: string): Promise<Slice> {
  const { marked } = await import('marked');
  return sliceOf(await marked.parse(text));
}
