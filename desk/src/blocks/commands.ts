/** Commands for lists, whose items contain text directly, and for the kinds of blocks. */
import { setBlockType } from 'prosemirror-commands';
import { Fragment, type Node, type NodeRange, type NodeType } from 'prosemirror-model';
import {
  type Command,
  type EditorState,
  Selection,
  TextSelection,
  type Transaction,
} from 'prosemirror-state';
import { schema } from './schema.ts';

const { nodes } = schema;

export type Format = 'ordered' | 'unordered';

/** Entries of the innermost list with the whole selection; null outside of lists. */
const entriesOf = ({ $from, $to }: Selection): NodeRange | null =>
  $from.blockRange($to, ({ type }) => type === nodes.list);

const childrenOf = (node: Node, from = 0, to = node.childCount): Node[] =>
  Array.from({ length: to - from }, (_none, at) => node.child(from + at));

/** The node with lists that are some levels deeper, as their `indentLevel` says. */
function deepened(node: Node, by: number): Node {
  if (node.type !== nodes.list) return node;
  const level: unknown = node.attrs['indentLevel'];
  const attrs =
    typeof level === 'number' ? { ...node.attrs, indentLevel: Math.max(0, level + by) } : node.attrs;
  return nodes.list.create(
    attrs,
    childrenOf(node).map((child) => deepened(child, by)),
  );
}

/** Selects what was selected, after its text has moved. */
function select(tr: Transaction, { anchor, head }: Selection, by: number): Transaction {
  const { doc } = tr;
  const inside = (pos: number): number => Math.max(0, Math.min(doc.content.size, pos + by));
  const [start, end] = [doc.resolve(inside(anchor)), doc.resolve(inside(head))];
  return tr.setSelection(TextSelection.between(start, end)).scrollIntoView();
}

/** Puts the selected items into a list of their own under the item before them. */
export const indent: Command = ({ selection, tr }, dispatch) => {
  const range = entriesOf(selection);
  if (range === null || range.startIndex === 0) return false;
  const { parent: list, startIndex, endIndex, start, end } = range;
  const before = list.child(startIndex - 1);
  const level = Number(list.attrs['indentLevel'] ?? 0) + 1;
  const entries = childrenOf(list, startIndex, endIndex).map((entry) => deepened(entry, 1));
  const attrs = { format: list.attrs['format'] as unknown, indentLevel: level };
  const isJoined = before.type === nodes.list;
  if (dispatch) {
    tr.replaceWith(start, end, nodes.list.create(attrs, entries));
    if (isJoined) tr.join(start);
    dispatch(select(tr, selection, isJoined ? -1 : 1));
  }
  return true;
};

/** Replaces the entries of a list by nodes around the list. */
function takeOut({ selection, tr }: EditorState, range: NodeRange, made: readonly Node[]): Transaction {
  const { parent: list, startIndex, endIndex, start, depth } = range;
  const part = (from: number, to: number): Node[] =>
    from === to ? [] : [list.copy(Fragment.from(childrenOf(list, from, to)))];
  const [before, after] = [part(0, startIndex), part(endIndex, list.childCount)];
  const from = range.$from.before(depth);
  tr.replaceWith(from, from + list.nodeSize, [...before, ...made, ...after]);
  return select(tr, selection, from + (before[0]?.nodeSize ?? 0) - start);
}

const restOf = ({ attrs }: Node): object => ({ rest: attrs['rest'] as unknown });

/** A text of a list or of the document as another kind of text; other nodes as they are. */
const retyped = (node: Node, type: NodeType, attrs: object = {}): Node =>
  node.isTextblock ? type.create({ ...restOf(node), ...attrs }, node.content) : node;

/** Takes the selected items out of their list: into the list around it, or as paragraphs. */
export const outdent: Command = (state, dispatch) => {
  const range = entriesOf(state.selection);
  if (range === null) return false;
  const entries = childrenOf(range.parent, range.startIndex, range.endIndex).map((one) => deepened(one, -1));
  const isInner = range.depth > 1;
  dispatch?.(takeOut(state, range, isInner ? entries : entries.map((one) => retyped(one, nodes.paragraph))));
  return true;
};

/** Takes items out of inner lists only, so that the key for it does not end a list. */
export const outdentInner: Command = (state, dispatch) =>
  (entriesOf(state.selection)?.depth ?? 0) > 1 && outdent(state, dispatch);

/** Makes a list of the selected blocks. In a list it changes the format, or ends the list of that format. */
export const toggleList =
  (format: Format): Command =>
  (state, dispatch) => {
    const { selection, tr, doc } = state;
    const range = entriesOf(selection);
    if (range !== null) {
      const { attrs } = range.parent;
      if (attrs['format'] === format) return outdent(state, dispatch);
      dispatch?.(tr.setNodeMarkup(range.$from.before(range.depth), null, { ...attrs, format }));
      return true;
    }
    const { $from, $to } = selection;
    const [first, last] = [$from.index(0), Math.max($from.index(0) + 1, $to.indexAfter(0))];
    const blocks = childrenOf(doc, first, last);
    if (blocks.some(({ isTextblock, type }) => !isTextblock && type !== nodes.list)) return false;
    const entries = blocks.flatMap((block) =>
      block.type === nodes.list ? childrenOf(block) : [retyped(block, nodes.list_item)],
    );
    if (dispatch) {
      const from = $from.posAtIndex(first, 0);
      tr.replaceWith(from, $from.posAtIndex(last, 0), nodes.list.create({ format }, entries));
      dispatch(select(tr, selection, 1));
    }
    return true;
  };

/** Makes the selected texts blocks of a kind. Items leave their lists for it. */
export const setKind =
  (type: NodeType, attrs: object = {}): Command =>
  (state, dispatch) => {
    const tr = state.tr;
    let current = state;
    for (let range = entriesOf(current.selection); range !== null; range = entriesOf(current.selection)) {
      const entries = childrenOf(range.parent, range.startIndex, range.endIndex);
      const made = range.depth > 1 ? entries : entries.map((one) => retyped(one, type, attrs));
      const step = takeOut(current, range, made);
      for (const one of step.steps) tr.step(one);
      tr.setSelection(Selection.fromJSON(tr.doc, step.selection.toJSON()));
      current = current.apply(step);
    }
    if (!tr.docChanged) return setBlockType(type, attrs)(state, dispatch);
    dispatch?.(tr.scrollIntoView());
    return true;
  };

export const leaveEmptyItem: Command = (state, dispatch) => {
  const { parent } = state.selection.$from;
  return parent.type === nodes.list_item && parent.content.size === 0 && outdent(state, dispatch);
};

/** At the start of a text: takes an item out of its list, and makes a paragraph of other kinds. */
export const plainAtStart: Command = (state, dispatch) => {
  const { selection } = state;
  if (!(selection instanceof TextSelection) || selection.$cursor?.parentOffset !== 0) return false;
  const { parent } = selection.$cursor;
  if (parent.type === nodes.list_item) return selection.$cursor.index(-1) === 0 && outdent(state, dispatch);
  return parent.type !== nodes.paragraph && setKind(nodes.paragraph)(state, dispatch);
};

/** A new line in the same block. */
export const lineBreak: Command = ({ selection, tr }, dispatch) => {
  if (!selection.$from.parent.isTextblock) return false;
  dispatch?.(tr.insertText('\n').scrollIntoView());
  return true;
};

export const newLineInCode: Command = (state, dispatch) =>
  state.selection.$from.parent.type === nodes.code && lineBreak(state, dispatch);

/** Puts a picture at a place, or else in that of the selection. A cursor in this place moves below it. */
export function insertImage(tr: Transaction, image: unknown, at?: number): Transaction {
  const node = nodes.image.create({ image });
  const isHere = at === undefined || (tr.selection.empty && at === tr.selection.from);
  if (isHere) tr.replaceSelectionWith(node);
  else tr.replaceRangeWith(at, at, node);
  if (tr.doc.lastChild?.type === nodes.image) tr.insert(tr.doc.content.size, nodes.paragraph.create());
  if (isHere) tr.setSelection(TextSelection.near(tr.doc.resolve(tr.selection.to), 1));
  return tr.scrollIntoView();
}
