/** Direction of each line by its own text. */
import type { Extension } from '@codemirror/state';
import { Decoration, EditorView } from '@codemirror/view';

const ownDirection = Decoration.line({ attributes: { dir: 'auto' } });

/** Only the lines on the screen have an element. */
export const lineDirection: Extension = EditorView.decorations.of(({ state, visibleRanges }) =>
  Decoration.set(
    visibleRanges.flatMap(({ from, to }) => {
      const [first, last] = [state.doc.lineAt(from).number, state.doc.lineAt(to).number];
      return Array.from({ length: last - first + 1 }, (_, at) =>
        ownDirection.range(state.doc.line(first + at).from),
      );
    }),
  ),
);
