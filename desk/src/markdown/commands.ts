/** Commands of the editor for Markdown: signs around a selection, and at the start of its lines. */
import { type ChangeSpec, EditorSelection, type EditorState, type StateCommand } from '@codemirror/state';

/** Whether a text begins with a sign. Two stars are the sign of bold, so that italics need an odd number. */
const begins = (text: string, sign: string): boolean =>
  sign === '*' ? /^\*(?:\*\*)*(?!\*)/.test(text) : text.startsWith(sign);
const ends = (text: string, sign: string): boolean =>
  sign === '*' ? /(?:^|[^*])\*(?:\*\*)*$/.test(text) : text.endsWith(sign);

/** Puts a sign around each selection, or removes it. */
export const toggleAround =
  (sign: string): StateCommand =>
  ({ state, dispatch }) => {
    const size = sign.length;
    const change = state.changeByRange(({ from, to }) => {
      const text = state.sliceDoc(from, to);
      const isInside = text.length >= 2 * size && begins(text, sign) && ends(text, sign);
      if (isInside)
        return {
          changes: { from, to, insert: text.slice(size, -size) },
          range: EditorSelection.range(from, to - 2 * size),
        };
      const isBefore = ends(state.sliceDoc(state.doc.lineAt(from).from, from), sign);
      const isAfter = begins(state.sliceDoc(to, state.doc.lineAt(to).to), sign);
      // A second key at the end of a marked text leaves it.
      if (from === to && isAfter && !isBefore) return { range: EditorSelection.cursor(to + size) };
      if (isBefore && isAfter)
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
    const specs = lines.map(({ from, text }, at): ChangeSpec => {
      const length = SIGN.exec(text)?.[0].length ?? 0;
      return { from, to: from + length, insert: isOn ? '' : signOf(at) };
    });
    const changes = state.changes(specs);
    // A cursor at the start of its line is behind the sign.
    const selection = state.selection.map(changes, 1);
    dispatch(state.update({ changes, selection, scrollIntoView: true, userEvent: 'input' }));
    return true;
  };

/** Puts the selected lines into a code block. */
export const codeBlock: StateCommand = ({ state, dispatch }) => {
  const [first] = linesOf(state);
  const last = linesOf(state).at(-1);
  if (first === undefined || last === undefined) return false;
  const start = { from: first.from, insert: '```\n' };
  const changes = [start, { from: last.to, insert: '\n```' }];
  const selection = state.selection.map(state.changes(start), 1);
  dispatch(state.update({ changes, selection, scrollIntoView: true, userEvent: 'input' }));
  return true;
};

/** Makes a link of the selection. Without an address, it selects the place of one. */
export const link =
  (address?: string): StateCommand =>
  ({ state, dispatch }) => {
    const { from, to } = state.selection.main;
    const text = state.sliceDoc(from, to);
    const insert = `[${text}](${address ?? 'https://'})`;
    const [start, end] = [from + text.length + 3, from + insert.length];
    dispatch(
      state.update({
        changes: { from, to, insert },
        selection: address === undefined ? { anchor: start, head: end - 1 } : { anchor: end },
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

/** Inserts a text at a place. A cursor there goes behind the text; any other selection stays. */
export const insertAt =
  (text: string, at: number): StateCommand =>
  ({ state, dispatch }) => {
    const { empty, head } = state.selection.main;
    const isThere = empty && head === at;
    const selection = isThere ? { anchor: at + text.length } : undefined;
    dispatch(state.update({ changes: { from: at, insert: text }, selection }));
    return true;
  };
