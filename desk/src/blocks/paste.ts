/** Readers of clipboards that are not the editor's own. */
import { Fragment, Slice } from 'prosemirror-model';
import { readPasted } from '../paste/read-pasted.ts';
import { nodesOf } from './paste-nodes.ts';

/** Returns the blocks of HTML. Its first and last text join the text around the cursor. */
export function sliceOf(html: string): Slice {
  return Slice.maxOpen(Fragment.from(nodesOf(readPasted(html))));
}

export async function readMarkdown(text: string): Promise<Slice> {
  const { marked } = await import('marked');
  return sliceOf(await marked.parse(text));
}
