/** Commands for lists, whose items contain text directly, and the keys of the editor. */
import { baseKeymap, chainCommands, lift, setBlockType, toggleMark } from 'prosemirror-commands';
import { redo, undo } from 'prosemirror-history';
import { InputRule, inputRules, textblockTypeInputRule } from 'prosemirror-inputrules';
import { keymap } from 'prosemirror-keymap';
import { Fragment, type Node, type NodeType } from 'prosemirror-model';
import { type Command, type Plugin, TextSelection } from 'prosemirror-state';
import { schema } from './schema.ts';

const { nodes, marks } = schema;

export type Format = 'ordered' | 'unordered';

/** Text blocks as paragraphs, or as items of a list. */
const textBlocks = (node: Node): Node[] => {
  if (node.isTextblock) return [node];
  const found: Node[] = [];
  node.forEach((child) => found.push(...textBlocks(child)));
  return found;
};

/** Makes a list of the selected blocks. Blocks of such a list become paragraphs again. */
export const toggleList =
  (format: Format): Command =>
  ({ selection, tr, doc }, dispatch) => {
    const { $from, $to } = selection;
    const [first, last] = [$from.index(0), $to.indexAfter(0)];
    const from = $from.posAtIndex(first, 0);
    const blocks = Array.from({ length: Math.max(1, last - first) }, (_none, at) => doc.child(first + at));
    if (blocks.some(({ type }) => type === nodes.image || type === nodes.other)) return false;
    const isSuch = blocks.every(({ type, attrs }) => type === nodes.list && attrs['format'] === format);
    const texts = blocks.flatMap(textBlocks);
    const as = (type: NodeType): Node[] => texts.map(({ content }) => type.create(null, content));
    const made = isSuch ? as(nodes.paragraph) : [nodes.list.create({ format }, as(nodes.list_item))];
    const size = blocks.reduce((sum, { nodeSize }) => sum + nodeSize, 0);
    if (dispatch) {
      tr.replaceWith(from, from + size, made);
      const end = from + made.reduce((sum, { nodeSize }) => sum + nodeSize, 0);
      tr.setSelection(TextSelection.near(tr.doc.resolve(end - 1), -1));
      dispatch(tr.scrollIntoView());
    }
    return true;
  };

/** Puts an item into a list of its own under the item before it. */
export const indent: Command = ({ selection, tr }, dispatch) => {
  const { $from } = selection;
  if ($from.parent.type !== nodes.list_item) return false;
  const list = $from.node(-1);
  const at = $from.index(-1);
  if (at === 0) return true;
  const { format, indentLevel } = list.attrs as { format: Format; indentLevel: number | null };
  const start = $from.before();
  const before = list.child(at - 1);
  const inner = nodes.list.create({ format, indentLevel: (indentLevel ?? 0) + 1 }, $from.parent);
  if (dispatch) {
    tr.replaceWith(start, $from.after(), inner);
    if (before.type === nodes.list) tr.join(start);
    const offset = before.type === nodes.list ? -1 : 1;
    tr.setSelection(TextSelection.near(tr.doc.resolve($from.pos + offset)));
    dispatch(tr.scrollIntoView());
  }
  return true;
};

/** Takes an item out of its list: into the list around it, or as a paragraph. */
export const outdent: Command = (state, dispatch) => {
  const { $from } = state.selection;
  if ($from.parent.type !== nodes.list_item) return false;
  if ($from.depth > 2) return lift(state, dispatch);
  const list = $from.node(-1);
  const at = $from.index(-1);
  const items: Node[] = [];
  list.forEach((item) => items.push(item));
  const part = (some: readonly Node[]): Node[] => (some.length === 0 ? [] : [list.copy(Fragment.from(some))]);
  const [before, after] = [part(items.slice(0, at)), part(items.slice(at + 1))];
  const paragraph = nodes.paragraph.create(null, $from.parent.content);
  if (dispatch) {
    const start = $from.before(-1);
    const tr = state.tr.replaceWith(start, $from.after(-1), [...before, paragraph, ...after]);
    const inside = start + (before[0]?.nodeSize ?? 0) + 1 + $from.parentOffset;
    dispatch(tr.setSelection(TextSelection.near(tr.doc.resolve(inside))).scrollIntoView());
  }
  return true;
};

const leaveEmptyItem: Command = (state, dispatch) => {
  const { parent } = state.selection.$from;
  return parent.type === nodes.list_item && parent.content.size === 0 && outdent(state, dispatch);
};

const atStartOfItem: Command = (state, dispatch) => {
  const { $from, empty } = state.selection;
  const isStart = empty && $from.parentOffset === 0 && $from.parent.type === nodes.list_item;
  return isStart && $from.index(-1) === 0 && outdent(state, dispatch);
};

const newLineInCode: Command = ({ selection, tr }, dispatch) => {
  if (selection.$from.parent.type !== nodes.code) return false;
  dispatch?.(tr.insertText('\n').scrollIntoView());
  return true;
};

const listRule = (pattern: RegExp, format: Format): InputRule =>
  new InputRule(pattern, (...[state, , , end]) => {
    const { tr, selection } = state;
    const { $from } = selection;
    if ($from.parent.type !== nodes.paragraph) return null;
    const item = nodes.list_item.create(null, $from.parent.content.cut(end - $from.start()));
    const at = $from.before();
    tr.replaceWith(at, $from.after(), nodes.list.create({ format }, item));
    return tr.setSelection(TextSelection.near(tr.doc.resolve(at + 2)));
  });

export const plugins: readonly Plugin[] = [
  inputRules({
    rules: [
      textblockTypeInputRule(/^(#{1,6})\s$/, nodes.heading, ([, signs = '#']) => ({ level: signs.length })),
      textblockTypeInputRule(/^>\s$/, nodes.quote),
      textblockTypeInputRule(/^```$/, nodes.code),
      listRule(/^[-*]\s$/, 'unordered'),
      listRule(/^1\.\s$/, 'ordered'),
    ],
  }),
  keymap({
    'Mod-z': undo,
    'Mod-y': redo,
    'Shift-Mod-z': redo,
    'Mod-b': toggleMark(marks.bold),
    'Mod-i': toggleMark(marks.italic),
    'Mod-u': toggleMark(marks.underline),
    'Mod-e': toggleMark(marks.inline_code),
    'Mod-Alt-0': setBlockType(nodes.paragraph),
    Enter: chainCommands(newLineInCode, leaveEmptyItem),
    Backspace: atStartOfItem,
    'Mod-]': indent,
    'Mod-[': outdent,
  }),
  keymap(baseKeymap),
];
