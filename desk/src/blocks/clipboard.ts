/** Paste and drop: HTML of other programs, Markdown, pictures, and copies of the editor itself. */
import { DOMSerializer, Fragment, type Node, Slice } from 'prosemirror-model';
import { TextSelection } from 'prosemirror-state';
import type { EditorProps, EditorView } from 'prosemirror-view';
import { isStorable, linkable } from '../paste/address.ts';
import { onlyPictures, picturesOf, readClipboard } from '../paste/clipboard.ts';
import { isMarkdown } from '../paste/markdown-signs.ts';
import { schema } from './schema.ts';

const { nodes, marks } = schema;

export interface PasteOptions {
  /** Stores a picture. Resolves with null if the server has refused it. */
  readonly upload: (file: File) => Promise<unknown>;
}

interface Target {
  insertImages(files: readonly File[], at?: number): Promise<void>;
}

/** Nodes without links that the API does not accept. Any page may write what looks like a copy. */
function withoutBadLinks(content: Fragment): Fragment {
  const made: Node[] = [];
  content.forEach((node) => {
    const bad = marks.link.isInSet(node.marks);
    const isBad = bad !== undefined && !isStorable(String(bad.attrs['url']));
    const kept = isBad ? node.mark(bad.removeFromSet(node.marks)) : node;
    made.push(kept.isLeaf ? kept : kept.copy(withoutBadLinks(kept.content)));
  });
  return Fragment.from(made);
}

const lines = (text: string): Slice => {
  const blocks = text.split(/(?:\r\n?|\n)+/).filter((line) => line.trim() !== '');
  return Slice.maxOpen(Fragment.from(blocks.map((line) => nodes.paragraph.create(null, schema.text(line)))));
};

type Reading = Pick<typeof import('./paste.ts'), 'readMarkdown' | 'sliceOf'>;

type Read = (reading: Reading) => Slice | Promise<Slice>;

/** Inserts what a reader makes of a clipboard. Readers are loaded with the first paste. */
async function insert(view: EditorView, text: string, read: Read): Promise<void> {
  const slice = await import('./paste.ts').then(read).catch(() => null);
  if (view.isDestroyed) return;
  // Without the readers, as when the network is away: the text alone.
  if (slice === null) {
    view.pasteText(text);
    return;
  }
  // Nothing that the editor can take, such as a picture of another site, replaces nothing.
  if (slice.size === 0) return;
  const tr = view.state.tr.replaceSelection(slice);
  view.dispatch(tr.scrollIntoView().setMeta('paste', true).setMeta('uiEvent', 'paste'));
}

/** Attribute of copies of the editor, which its schema reads. Other editors have the same library. */
const OWN = 'data-desk-copy';

class Serializer extends DOMSerializer {
  override serializeFragment(...given: Parameters<DOMSerializer['serializeFragment']>) {
    const made = super.serializeFragment(...given);
    if (made.firstChild instanceof Element) made.firstChild.setAttribute(OWN, '');
    return made;
  }
}

/** Links the selected text of a block to a pasted address of the web. Returns false for everything else. */
function linkSelection({ state, dispatch }: EditorView, pasted: string): boolean {
  // A selection of everything is none of a block.
  const { $from, $to, from, to, empty } = TextSelection.between(state.selection.$from, state.selection.$to);
  const url = /^http\S+\s*$/i.test(pasted) ? linkable(pasted) : null;
  if (url === null || empty || !$from.sameParent($to)) return false;
  dispatch(state.tr.addMark(from, to, marks.link.create({ url })));
  return true;
}

/** Inserts HTML of another program, or Markdown, or a link. Returns false for everything else. */
function insertForeign(view: EditorView, data: DataTransfer | null, isPlain: boolean): boolean {
  const [html, text] = [readClipboard(data, 'html'), readClipboard(data, 'plain')];
  if (isPlain || view.state.selection.$from.parent.type === nodes.code) return false;
  if (html !== '') {
    if (html.includes(OWN)) return false;
    void insert(view, text, ({ sliceOf }) => sliceOf(html));
    return true;
  }
  if (linkSelection(view, text)) return true;
  if (!isMarkdown(text)) return false;
  void insert(view, text, ({ readMarkdown }) => readMarkdown(text));
  return true;
}

export function clipboard(target: () => Target): EditorProps {
  let isPlain = false;
  return {
    clipboardSerializer: new Serializer(
      DOMSerializer.nodesFromSchema(schema),
      DOMSerializer.marksFromSchema(schema),
    ),
    clipboardTextParser: lines,
    transformPasted: ({ content, openStart, openEnd }) =>
      new Slice(withoutBadLinks(content), openStart, openEnd),
    handleDOMEvents: {
      // Before the library reads it: its parser of HTML would meet the policy of the page.
      paste: (view, event) => {
        if (!view.editable) return false;
        const { clipboardData: data } = event;
        const pictures = onlyPictures(data);
        if (pictures.length > 0) void target().insertImages(pictures);
        else if (!insertForeign(view, data, isPlain)) return false;
        event.preventDefault();
        return true;
      },
      drop: (view, event) => {
        const { dataTransfer: data, clientX: left, clientY: top } = event;
        const at = view.posAtCoords({ left, top })?.pos;
        if (!view.editable || view.dragging !== null || at === undefined) return false;
        const pictures = picturesOf(data);
        if (pictures.length > 0) void target().insertImages(pictures, at);
        else {
          const selection = TextSelection.near(view.state.doc.resolve(at));
          view.dispatch(view.state.tr.setSelection(selection));
          if (!insertForeign(view, data, false)) return false;
        }
        event.preventDefault();
        return true;
      },
    },
    handleKeyDown: (_view, { key, shiftKey }) => {
      isPlain = shiftKey && key.toLowerCase() === 'v';
      return false;
    },
  };
}
