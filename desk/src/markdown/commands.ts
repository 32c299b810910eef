/** Commands of the editor for Markdown: signs around a selection, and at the start of its lines. */
import { type ChangeSpec, EditorSelection, type EditorState, type StateCommand } from '@codemirror/state';

/** Puts a sign around each selection, or removes it. */
export const toggleAround =
  (sign: string): StateCommand =>
  ({ state, dispatch }) => {
    const size = sign.length;
    const change = state.changeByRange(({ from, to }) => {
      const text = state.sliceDoc(from, to);
      const isInside = text.length >= 2 * size && text.startsWith(sign) && text.endsWith(sign);
      if (isInside)
        return {
          changes: { from, to, insert: text.slice(size, -size) },
          range: EditorSelection.range(from, to - 2 * size),
        };
      // A second key at the end of a marked text leaves it.
      const isEnd = from === to && state.sliceDoc(to, to + size) === sign;
      if (isEnd && state.sliceDoc(from - size, from) !== sign)
        return { range: EditorSelection.cursor(to + size) };
      const isAround = state.sliceDoc(from - size, from) === sign && state.sliceDoc(to, to + size) === sign;
      if (isAround)
        return {
          changes: [
            { from: from - size, to: from },
            { from: to, to: to + size },
          ],
          range: EditorSelection.range(from - size, to - size),
        };
      return {
        changes: [
          { from, insert: sign },
          { from: to, insert: sign },
        ],
        range: EditorSelection.range(from + size, to + size),
      };
    });
    dispatch(state.update(change, { scrollIntoView: true, userEvent: 'input' }));
    return true;
  };

const linesOf = ({ doc, selection: { main } }: EditorState) => {
  const [first, last] = [doc.lineAt(main.from).number, doc.lineAt(main.to).number];
  return Array.from({ length: last - first + 1 }, (_none, at) => doc.line(first + at));
};

/** Signs at the start of a line that another one replaces. */
const SIGN = /^\s{0,3}(?:#{1,6}\s+|>\s?|[-*+]\s+|\d+[.)]\s+)?/;

/** Begins each selected line with a sign, or removes it from all. */
export const toggleLines =
  (signOf: (at: number) => string): StateCommand =>
  ({ state, dispatch }) => {
    const lines = linesOf(state);
    const isOn = lines.every(({ text }, at) => text.startsWith(signOf(at)));
    const changes = lines.map(({ from, text }, at): ChangeSpec => {
      const length = SIGN.exec(text)?.[0].length ?? 0;
      return { from, to: from + length, insert: isOn ? '' : signOf(at) };
    });
    dispatch(state.update({ changes, scrollIntoView: true, userEvent: 'input' }));
    return true;
  };

/** Puts the selected lines into a code block. */
export const codeBlock: StateCommand = ({ state, dispatch }) => {
  const [first] = linesOf(state);
  const last = linesOf(state).at(-1);
  if (first === undefined || last === undefined) return false;
  const changes = [
    { from: first.from, insert: '```\n' },
    { from: last.to, insert: '\n```' },
  ];
  dispatch(state.update({ changes, scrollIntoView: true, userEvent: 'input' }));
  return true;
};

/** Makes a link of the selection, and selects the place of its address. */
export const link =
  (address = 'https://'): StateCommand =>
  ({ state, dispatch }) => {
    const { from, to } = state.selection.main;
    const text = state.sliceDoc(from, to);
    const start = from + text.length + 3;
    dispatch(
      state.update({
        changes: { from, to, insert: `[${text}](${address})` },
        selection: EditorSelection.single(start, start + address.length),
        scrollIntoView: true,
        userEvent: 'input',
      }),
    );
    return true;
  };

const ITEM = /^(\s*)(?:([-*+])|(\d+)([.)])|(>))(\s+)(\[[ xX]\]\s+)?/;

/** Begins the next item of a list or line of a quote. An empty item ends the list. */
export const continueItem: StateCommand = ({ state, dispatch }) => {
  const { from, empty } = state.selection.main;
  const line = state.doc.lineAt(from);
  const found = ITEM.exec(line.text);
  if (!empty || found === null || from < line.from + found[0].length) return false;
  const [sign, space = '', bullet, number, dot = '', quote, gap = ' ', task] = found;
  const isEmpty = line.text.length === sign.length;
  const next = number === undefined ? (bullet ?? quote ?? '') : `${Number(number) + 1}${dot}`;
  const insert = `\n${space}${next}${gap}${task === undefined ? '' : '[ ] '}`;
  const change = isEmpty ? { from: line.from, to: line.to } : { from, insert };
  const anchor = isEmpty ? line.from : from + insert.length;
  dispatch(
    state.update({ changes: change, selection: { anchor }, scrollIntoView: true, userEvent: 'input' }),
  );
  return true;
};
