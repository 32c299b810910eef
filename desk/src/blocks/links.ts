/** Marks of links. */
import type { Mark } from 'prosemirror-model';
import type { EditorState } from 'prosemirror-state';
import { schema } from './schema.ts';

const { marks } = schema;

/** Link at the cursor or in the selection. */
export function linkAt({ selection, doc }: EditorState): Mark | null {
  const { $from, from, to, empty } = selection;
  let found = marks.link.isInSet($from.marks()) ?? null;
  if (!empty)
    doc.nodesBetween(from, to, ({ marks: set }) => {
      found ??= marks.link.isInSet(set) ?? null;
    });
  return found;
}
