/** Commands of the dialog for links, which are loaded with it. */
import type { Mark } from 'prosemirror-model';
import type { Command, EditorState } from 'prosemirror-state';
import { linkable } from '../paste/address.ts';
import { linkAt } from './links.ts';
import { type Rest, schema } from './schema.ts';

const { marks } = schema;

/** Reads what an editor types: an address without its protocol is one of the web, with an `@` one of mail. */
export function addressOf(typed: string): string | null {
  const text = typed.trim();
  if (/^[^\s@/:]+@[^\s@/:]+\.[^\s@/:]+$/.test(text)) return `mailto:${text}`;
  if (/^[^\s/:@]+\.[^\s/:@]{2,}(?:[/?#]\S*)?$/.test(text)) return linkable(`https://${text}`);
  return linkable(text);
}

interface Extent {
  readonly from: number;
  readonly to: number;
}

/** Selection, or the text of the link around the cursor. */
function extent({ selection }: EditorState, mark: Mark): Extent {
  const { $from, from, to, empty } = selection;
  if (!empty) return { from, to };
  let run: Extent | null = null;
  let found: Extent = { from, to };
  $from.parent.forEach((node, offset) => {
    const at = $from.start() + offset;
    run = mark.isInSet(node.marks) ? { from: run?.from ?? at, to: at + node.nodeSize } : null;
    if (run !== null && run.from <= from && run.to >= from) found = run;
  });
  return found;
}

export interface Target {
  readonly url: string;
  /** Members of the link beside its address. */
  readonly rest?: Rest | null;
  /** Text for a link without a selection. */
  readonly text?: string;
}

/** Links the selection, or changes the link at the cursor, or inserts a text with a link. */
export const setLink =
  ({ url, rest = null, text = url }: Target): Command =>
  (state, dispatch) => {
    const { selection, tr } = state;
    if (selection.empty && !selection.$from.parent.isTextblock) return false;
    const before = linkAt(state);
    const mark = marks.link.create({ url, rest });
    if (before === null && selection.empty)
      tr.insert(selection.from, schema.text(text, [...selection.$from.marks(), mark]));
    else {
      const { from, to } = before === null ? selection : extent(state, before);
      tr.removeMark(from, to, marks.link).addMark(from, to, mark);
    }
    dispatch?.(tr.removeStoredMark(marks.link).scrollIntoView());
    return true;
  };

export const unlink: Command = (state, dispatch) => {
  const mark = linkAt(state);
  if (mark === null) return false;
  const { from, to } = extent(state, mark);
  dispatch?.(state.tr.removeMark(from, to, marks.link));
  return true;
};
