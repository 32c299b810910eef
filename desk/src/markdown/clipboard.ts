/** Paste of HTML into Markdown. */
import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { isSource, readClipboard } from '../paste/clipboard.ts';

/** Whether the cursor is in code, where texts have no signs. */
function isInCode(state: EditorState): boolean {
  const { from } = state.selection.main;
  for (
    let node: { name: string; parent: typeof node } | null = syntaxTree(state).resolveInner(from, -1);
    node !== null;
    node = node.parent
  )
    if (/Code/.test(node.name)) return true;
  return false;
}

/** Line breaks that are missing between a block and the text before or after it. */
function gapTo(around: string, isBefore: boolean): string {
  const breaks = (isBefore ? /\n*$/ : /^\n*/).exec(around)?.[0].length ?? 0;
  return around === '' ? '' : '\n'.repeat(2 - breaks);
}

/** Replaces the selection. Blocks have empty lines around them. */
function replace(view: EditorView, text: string, isInline: boolean): void {
  const { state } = view;
  const { from, to } = state.selection.main;
  const start = isInline ? '' : gapTo(state.sliceDoc(Math.max(0, from - 2), from), true);
  const end = isInline ? '' : gapTo(state.sliceDoc(to, to + 2), false);
  view.dispatch({
    changes: { from, to, insert: start + text + end },
    selection: { anchor: from + start.length + text.length },
    scrollIntoView: true,
    userEvent: 'input.paste',
  });
}

/** Inserts the Markdown of a clipboard. Returns false if it has none, or the text is to be taken as it is. */
export function pasteHtml(view: EditorView, data: DataTransfer | null): boolean {
  const [html, text] = [readClipboard(data, 'html'), readClipboard(data, 'plain')];
  if (html === '' || isSource(html) || isInCode(view.state)) return false;
  void import('./from-html.ts')
    .then(
      ({ fromHtml }) => fromHtml(html, text),
      // Without the reader, as when the network is away: the text alone.
      () => ({ text, isInline: true }),
    )
    .then(({ text: made, isInline }) => made !== '' && replace(view, made, isInline));
  return true;
}
