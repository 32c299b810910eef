/** Keys of the editor, and what it makes of signs such as `# ` and `**`. */
import { baseKeymap, chainCommands, exitCode, toggleMark } from 'prosemirror-commands';
import { history, redo, undo } from 'prosemirror-history';
import { InputRule, inputRules, textblockTypeInputRule, undoInputRule } from 'prosemirror-inputrules';
import { keymap } from 'prosemirror-keymap';
import type { MarkType } from 'prosemirror-model';
import { type Command, type Plugin, TextSelection } from 'prosemirror-state';
import {
  type Format,
  indent,
  leaveEmptyItem,
  lineBreak,
  newLineInCode,
  outdent,
  outdentInner,
  plainAtStart,
  setKind,
  toggleList,
} from './commands.ts';
import { linkable } from '../paste/address.ts';
import { LEVELS, schema } from './schema.ts';

const { nodes, marks } = schema;

/** Controls around the text that keys lead to. */
export interface Around {
  readonly openLink: () => void;
  readonly focusTools: () => void;
}

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

/** Rule for a text between signs: the first group of the pattern precedes it, the second one is the text. */
const markRule = (pattern: RegExp, type: MarkType): InputRule =>
  new InputRule(
    pattern,
    (...[state, match, start, end]) => {
      const [, before = '', text = ''] = match;
      const { tr, doc } = state;
      const from = start + before.length;
      const [opening] = (match[0] ?? '').slice(before.length).split(text, 1);
      const textFrom = from + (opening?.length ?? 0);
      if (doc.textBetween(textFrom, textFrom + text.length) !== text) return null;
      tr.delete(textFrom + text.length, end).delete(from, textFrom);
      return tr.addMark(from, from + text.length, type.create()).removeStoredMark(type);
    },
    { inCodeMark: false },
  );

/** `[text](address)` */
const linkRule = new InputRule(
  /\[([^[\]]+)\]\(([^()\s]+)\)$/,
  (...[state, [whole = '', text = '', address = ''], start, end]) => {
    const url = linkable(address);
    if (url === null || end - start !== whole.length - 1) return null;
    const { tr } = state;
    tr.delete(start + 1 + text.length, end).delete(start, start + 1);
    return tr.addMark(start, start + text.length, marks.link.create({ url })).removeStoredMark(marks.link);
  },
  { inCodeMark: false },
);

const codeAttrs = (language: string): { readonly language: string | null } => ({
  language: language === '' ? null : language,
});

/** Begins a code block at the end of a line such as ```` ```ts ````. */
const codeOnEnter: Command = ({ selection, tr }, dispatch) => {
  const { $from, empty } = selection;
  const [, language] = /^```(\w*)$/.exec($from.parent.textContent) ?? [];
  if (!empty || language === undefined || $from.parent.type !== nodes.paragraph) return false;
  tr.delete($from.start(), $from.end());
  dispatch?.(tr.setBlockType($from.start(), $from.start(), nodes.code, codeAttrs(language)));
  return true;
};

const RULES = [
  textblockTypeInputRule(/^(#{1,6})\s$/, nodes.heading, ([, signs = '#']) => ({ level: signs.length })),
  textblockTypeInputRule(/^>\s$/, nodes.quote),
  textblockTypeInputRule(/^```(\w*)\s$/, nodes.code, ([, language = '']) => codeAttrs(language)),
  listRule(/^[-*+]\s$/, 'unordered'),
  listRule(/^1[.)]\s$/, 'ordered'),
  markRule(/(^|[^*])\*\*([^*\s](?:[^*]*[^*\s])?)\*\*$/, marks.bold),
  markRule(/(^|[^_\w])__([^_\s](?:[^_]*[^_\s])?)__$/, marks.bold),
  markRule(/(^|[^*])\*([^*\s](?:[^*]*[^*\s])?)\*$/, marks.italic),
  markRule(/(^|[^_\w])_([^_\s](?:[^_]*[^_\s])?)_$/, marks.italic),
  markRule(/(^|[^~])~~([^~\s](?:[^~]*[^~\s])?)~~$/, marks.strikethrough),
  markRule(/(^|[^`])`([^`]+)`$/, marks.inline_code),
  linkRule,
];

const always =
  (work: () => void): Command =>
  () => {
    work();
    return true;
  };

const toHeadings = Object.fromEntries(
  LEVELS.map((level) => [`Mod-Alt-${level}`, setKind(nodes.heading, { level })]),
);

const keys = ({ openLink, focusTools }: Around): Record<string, Command> => ({
  'Mod-z': undo,
  'Mod-y': redo,
  'Shift-Mod-z': redo,
  'Mod-b': toggleMark(marks.bold),
  'Mod-i': toggleMark(marks.italic),
  'Mod-u': toggleMark(marks.underline),
  'Mod-Shift-x': toggleMark(marks.strikethrough),
  'Mod-e': toggleMark(marks.inline_code),
  'Mod-k': always(openLink),
  'Alt-F10': always(focusTools),
  'Mod-Alt-0': setKind(nodes.paragraph),
  ...toHeadings,
  'Mod-Shift-7': toggleList('ordered'),
  'Mod-Shift-8': toggleList('unordered'),
  'Mod-Shift-9': setKind(nodes.quote),
  Enter: chainCommands(newLineInCode, codeOnEnter, leaveEmptyItem),
  'Shift-Enter': lineBreak,
  'Mod-Enter': exitCode,
  Backspace: chainCommands(undoInputRule, plainAtStart),
  // Without an item to move, the tabulator leaves the editor as in every other field.
  Tab: indent,
  'Shift-Tab': outdentInner,
  'Mod-]': indent,
  'Mod-[': outdent,
});

export const plugins = (around: Around): Plugin[] => [
  history(),
  inputRules({ rules: RULES }),
  keymap(keys(around)),
  keymap(baseKeymap),
];
