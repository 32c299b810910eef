/** Editor of one value of `blocks`, outside the tree of components: a key renders no component. */
import { redoDepth, undoDepth } from 'prosemirror-history';
import type { Mark, Node } from 'prosemirror-model';
import { type Command, EditorState, NodeSelection, Selection, type Transaction } from 'prosemirror-state';
import { EditorView, type NodeView } from 'prosemirror-view';
import { Observed } from '../editor/observed.ts';
import type { Look, Uploading } from '../fields/text-parts.tsx';
import { same } from '../form/values.ts';
import { clipboard, type PasteOptions } from './clipboard.ts';
import { insertImage } from './commands.ts';
import { adopt, fromDocument, toDocument } from './convert.ts';
import { type Around, plugins } from './keys.ts';
import { linkAt } from './links.ts';
import { MARKS, markName, schema } from './schema.ts';
import { wordsOf } from './words.ts';

const { nodes } = schema;

/** State of the tools. Members are compared by identity. */
export interface Tools {
  /** Name of the block at the cursor, such as `heading 2`. */
  readonly kind: string;
  /** Format of the innermost list at the cursor. */
  readonly format: unknown;
  /** Names of the marks that are on, between spaces. */
  readonly marks: string;
  readonly link: Mark | null;
  /** Selected picture. */
  readonly image: Node | null;
  readonly language: unknown;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly words: number;
}

interface Options extends Around, PasteOptions, Pick<Uploading, 'late'> {
  readonly value: unknown;
  readonly look: Look;
  readonly change: (value: unknown) => void;
}

/** Milliseconds after the last key when the words are counted. */
const COUNT = 400;
/** Mark of transactions that show a value of the form. */
const FOREIGN = 'foreign';

const isOn = ({ selection, storedMarks, doc }: EditorState, name: string): boolean => {
  const type = schema.marks[name];
  if (type === undefined) return false;
  if (!selection.empty) return doc.rangeHasMark(selection.from, selection.to, type);
  return type.isInSet(storedMarks ?? selection.$from.marks()) !== undefined;
};

function toolsOf(state: EditorState): Omit<Tools, 'words'> {
  const { selection } = state;
  const { $from } = selection;
  const { parent } = $from;
  const on = MARKS.filter((name) => isOn(state, markName(name)));
  const chosen = selection instanceof NodeSelection ? selection.node : null;
  const list = parent.type === nodes.list_item ? $from.node(-1) : null;
  return {
    kind: parent.type === nodes.heading ? `heading ${String(parent.attrs['level'])}` : parent.type.name,
    format: list?.attrs['format'] ?? null,
    marks: ` ${on.join(' ')} `,
    link: linkAt(state),
    image: chosen?.type === nodes.image ? chosen : null,
    language: parent.type === nodes.code ? (parent.attrs['language'] as unknown) : null,
    canUndo: undoDepth(state) > 0,
    canRedo: redoDepth(state) > 0,
  };
}

const attributesOf = ({ label, readOnly, dir, describedBy, placeholder }: Look, { doc }: EditorState) => {
  const isEmpty = doc.childCount === 1 && doc.firstChild?.type === nodes.paragraph && doc.content.size === 2;
  return {
    role: 'textbox',
    'aria-multiline': 'true',
    'aria-label': label,
    ...(readOnly ? { 'aria-readonly': 'true', tabindex: '0' } : {}),
    ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
    ...(dir === undefined ? {} : { dir }),
    ...(isEmpty && placeholder !== undefined
      ? { class: 'desk-blocks-empty', 'data-placeholder': placeholder }
      : {}),
  };
};

export class BlocksView extends Observed<Tools> {
  private readonly view: EditorView;
  private look: Look;
  /** Value that the form has as far as this editor knows. */
  private shown: unknown;
  /** Value that came from the form, and its document. */
  private base: { readonly value: unknown; readonly doc: Node };
  private counting: ReturnType<typeof setTimeout> | undefined;
  /** Places where pictures are inserted after their upload. */
  private readonly places = new Map<object, number>();

  constructor(
    place: HTMLElement,
    private readonly options: Options,
  ) {
    const doc = toDocument(options.value);
    // A block that is selected first would be replaced by the first key.
    const selection = Selection.findFrom(doc.resolve(0), 1, true) ?? Selection.atStart(doc);
    const state = EditorState.create({ doc, selection, plugins: plugins(options) });
    super({ ...toolsOf(state), words: 0 });
    this.shown = options.value;
    this.base = { value: options.value, doc };
    this.look = options.look;
    this.view = new EditorView(place, {
      state,
      editable: () => !this.look.readOnly,
      attributes: (current) => attributesOf(this.look, current),
      dispatchTransaction: (transaction) => this.dispatch(transaction),
      handleClick: (_view, _pos, event) => openLink(event),
      handleTextInput: (...[view, , , typed]) => typeBelow(view, typed),
      nodeViews: { list: listView },
      ...clipboard(() => this),
    });
    this.countSoon();
  }

  get state(): EditorState {
    return this.view.state;
  }

  private dispatch(transaction: Transaction): void {
    const state = this.view.state.apply(transaction);
    this.view.updateState(state);
    if (transaction.docChanged) {
      for (const [key, at] of this.places) this.places.set(key, transaction.mapping.map(at));
      if (transaction.getMeta(FOREIGN) !== true) this.emit(state.doc);
      this.countSoon();
    }
    this.show(toolsOf(state));
  }

  private emit(doc: Node): void {
    this.shown = doc.eq(this.base.doc) ? this.base.value : fromDocument(doc);
    this.options.change(this.shown);
  }

  private countSoon(): void {
    clearTimeout(this.counting);
    this.counting = setTimeout(() => this.show({ words: wordsOf(this.view.state.doc) }), COUNT);
  }

  /** Shows a value of the form. The editor's own steps can still be undone. */
  set(value: unknown): void {
    if (value === this.shown) return;
    const { doc } = this.view.state;
    const isSame = same(value, this.shown);
    if (isSame) adopt(doc, value);
    this.base = { value, doc: isSame ? doc : toDocument(value) };
    this.shown = value;
    if (isSame) return;
    const tr = replacement(this.view.state, this.base.doc);
    if (tr !== null) this.view.dispatch(tr.setMeta('addToHistory', false).setMeta(FOREIGN, true));
  }

  restyle(look: Look): void {
    this.look = look;
    this.view.setProps({});
  }

  run(command: Command): void {
    command(this.view.state, this.view.dispatch, this.view);
    this.view.focus();
  }

  focus(): void {
    this.view.focus();
  }

  /** Inserts pictures at a place, each as soon as it is stored. */
  async insertImages(files: readonly File[], at = this.view.state.selection.from): Promise<void> {
    const key = {};
    this.places.set(key, at);
    for (const file of files) {
      const image = await this.options.upload(file);
      if (image !== null && this.view.isDestroyed) this.options.late(withImage(image));
      else if (image !== null)
        this.view.dispatch(insertImage(this.view.state.tr, image, this.places.get(key)));
    }
    this.places.delete(key);
  }

  destroy(): void {
    clearTimeout(this.counting);
    this.view.destroy();
  }
}

/** Adds a picture at the end of a value. */
const withImage = (image: unknown) => (value: unknown) => [
  ...(Array.isArray(value) ? (value as unknown[]) : []),
  { type: 'image', image, children: [{ type: 'text', text: '' }] },
];

/** Smallest change that makes another document of the one of the editor; null for none. */
function replacement({ doc, tr }: EditorState, next: Node): Transaction | null {
  const start = doc.content.findDiffStart(next.content);
  const end = doc.content.findDiffEnd(next.content);
  if (start === null || end === null) return null;
  const overlap = Math.max(0, start - Math.min(end.a, end.b));
  tr.replace(start, end.a + overlap, next.slice(start, end.b + overlap));
  return tr.doc.eq(next) ? tr : tr.replaceWith(0, tr.doc.content.size, next.content);
}

/** Opens the link under a click with Ctrl or Cmd. */
function openLink(event: MouseEvent): boolean {
  const isWanted = event.ctrlKey || event.metaKey;
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
  if (!isWanted || !(link instanceof HTMLAnchorElement)) return false;
  window.open(link.href, '_blank', 'noopener');
  return true;
}

/** Types below a selected block, which a key would otherwise replace. */
function typeBelow({ state, dispatch }: EditorView, text: string): boolean {
  const { selection, tr } = state;
  if (!(selection instanceof NodeSelection) || !selection.node.isBlock) return false;
  const at = selection.to;
  tr.insert(at, nodes.paragraph.create(null, schema.text(text)));
  dispatch(tr.setSelection(Selection.near(tr.doc.resolve(at + 1 + text.length))).scrollIntoView());
  return true;
}

/** List in an item of its own if it is in another list: HTML has nothing but items there. */
function listView(node: Node, view: EditorView, position: () => number | undefined): NodeView {
  const contentDOM = document.createElement(node.attrs['format'] === 'ordered' ? 'ol' : 'ul');
  const at = position();
  const isInner = at !== undefined && view.state.doc.resolve(at).parent.type === nodes.list;
  if (!isInner) return { dom: contentDOM, contentDOM };
  const dom = document.createElement('li');
  dom.className = 'desk-inner-list';
  dom.append(contentDOM);
  return { dom, contentDOM };
}
