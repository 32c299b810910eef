/** Editor of one Markdown text, outside the tree of components. */
import {
  history,
  historyKeymap,
  redo,
  redoDepth,
  standardKeymap,
  undo,
  undoDepth,
} from '@codemirror/commands';
import {
  Annotation,
  Compartment,
  EditorState,
  type Extension,
  type StateCommand,
  Transaction,
} from '@codemirror/state';
import { EditorView, keymap, placeholder, type ViewUpdate } from '@codemirror/view';
import { Observed } from '../editor/observed.ts';
import type { Look, Uploading } from '../fields/text-parts.tsx';
import { onlyPictures, picturesOf, readClipboard } from '../paste/clipboard.ts';
import { settings } from '../settings.ts';
import { pasteHtml } from './clipboard.ts';
import { continueItem, insertAt, link, toggleAround, toggleLines } from './commands.ts';
import { markdown } from './language.ts';
import { lineDirection } from './line-direction.ts';

interface Options extends Pick<Uploading, 'late'> {
  readonly value: string;
  readonly look: Look;
  readonly change: (value: string) => void;
  /** Stores a picture, and resolves with its Markdown; with null if the server has refused it. */
  readonly upload: (file: File) => Promise<string | null>;
  readonly focusTools: () => void;
}

interface Tools {
  readonly canUndo: boolean;
  readonly canRedo: boolean;
}

/** Mark of transactions that show a value of the form. */
const foreign = Annotation.define<boolean>();

const lookOf = (look: Look): Extension => [
  EditorState.readOnly.of(look.readOnly),
  EditorView.editable.of(!look.readOnly),
  EditorView.contentAttributes.of({
    'aria-label': look.label,
    spellcheck: 'true',
    ...(look.readOnly ? { 'aria-readonly': 'true', tabindex: '0' } : {}),
    ...(look.describedBy === undefined ? {} : { 'aria-describedby': look.describedBy }),
  }),
  EditorView.editorAttributes.of({ dir: look.dir }),
  look.dir === 'rtl' ? [] : lineDirection,
  look.placeholder === undefined ? [] : placeholder(look.placeholder),
];

const isWebAddress = (text: string): boolean => /^https?:\/\/\S+$/.test(text) && URL.canParse(text);

export class MarkdownView extends Observed<Tools> {
  private readonly view: EditorView;
  private readonly look = new Compartment();
  private isDestroyed = false;
  /** Whether the last key asks for the text of the clipboard as it is. */
  private isPlain = false;
  /** Places where pictures are inserted after their upload. */
  private readonly places = new Map<object, number>();

  constructor(
    parent: HTMLElement,
    private readonly options: Options,
  ) {
    super({ canUndo: false, canRedo: false });
    const state = EditorState.create({
      doc: options.value,
      extensions: [
        // Other ends of lines stay as they are.
        EditorState.lineSeparator.of('\n'),
        EditorView.cspNonce.of(settings.nonce),
        history(),
        EditorView.lineWrapping,
        EditorView.perLineTextDirection.of(true),
        keymap.of([...this.keys(), ...historyKeymap, ...standardKeymap]),
        markdown,
        this.look.of(lookOf(options.look)),
        EditorView.updateListener.of((update) => this.updated(update)),
        EditorView.domEventHandlers({
          keydown: ({ key, shiftKey }) => {
            this.isPlain = shiftKey && key.toLowerCase() === 'v';
          },
          paste: (event) => this.pasted(event),
          // A text of the editor is dragged as it is written: its HTML has the colours of the signs.
          dragstart: ({ dataTransfer }) => dataTransfer?.clearData('text/html'),
          drop: (event) => this.dropped(event),
        }),
      ],
    });
    this.view = new EditorView({ state, parent });
  }

  private keys() {
    const run = (key: string, command: StateCommand) => ({ key, run: command, preventDefault: true });
    return [
      run('Mod-b', toggleAround('**')),
      run('Mod-i', toggleAround('*')),
      run('Mod-Shift-x', toggleAround('~~')),
      run('Mod-e', toggleAround('`')),
      run('Mod-k', link()),
      run(
        'Mod-Shift-7',
        toggleLines((at) => `${at + 1}. `),
      ),
      run(
        'Mod-Shift-8',
        toggleLines(() => '- '),
      ),
      run(
        'Mod-Shift-9',
        toggleLines(() => '> '),
      ),
      ...[1, 2, 3, 4, 5, 6].map((level) =>
        run(
          `Mod-Alt-${level}`,
          toggleLines(() => `${'#'.repeat(level)} `),
        ),
      ),
      { key: 'Enter', run: continueItem },
      {
        key: 'Alt-F10',
        run: () => {
          this.options.focusTools();
          return true;
        },
      },
    ];
  }

  private updated({ docChanged, changes, state, transactions }: ViewUpdate): void {
    if (docChanged) {
      for (const [key, at] of this.places) this.places.set(key, changes.mapPos(at, 1));
      if (!transactions.some((one) => one.annotation(foreign) === true))
        this.options.change(state.sliceDoc());
    }
    this.show({ canUndo: undoDepth(state) > 0, canRedo: redoDepth(state) > 0 });
  }

  private pasted({ clipboardData: data }: ClipboardEvent): boolean {
    if (this.view.state.readOnly) return false;
    const text = readClipboard(data, 'plain');
    const pictures = onlyPictures(data);
    if (pictures.length > 0) {
      void this.insertImages(pictures);
      return true;
    }
    if (!this.view.state.selection.main.empty && isWebAddress(text)) {
      this.run(link(text));
      return true;
    }
    return !this.isPlain && pasteHtml(this.view, data);
  }

  private dropped(event: DragEvent): boolean {
    const { dataTransfer: data, clientX: x, clientY: y } = event;
    const { view } = this;
    if (view.state.readOnly) return false;
    const at = view.posAtCoords({ x, y }) ?? undefined;
    const pictures = picturesOf(data);
    if (at !== undefined) view.dispatch({ selection: { anchor: at } });
    if (pictures.length > 0) void this.insertImages(pictures);
    else if (!pasteHtml(view, data)) return false;
    event.preventDefault();
    return true;
  }

  /** Shows a value of the form. The editor's own steps can still be undone. */
  set(value: string): void {
    const shown = this.view.state.sliceDoc();
    if (value === shown) return;
    this.view.dispatch({
      changes: difference(shown, value),
      annotations: [foreign.of(true), Transaction.addToHistory.of(false)],
    });
  }

  restyle(look: Look): void {
    this.view.dispatch({ effects: this.look.reconfigure(lookOf(look)) });
  }

  run(command: StateCommand): void {
    command(this.view);
    this.view.focus();
  }

  undo(): void {
    this.run(undo);
  }

  redo(): void {
    this.run(redo);
  }

  focus(): void {
    this.view.focus();
  }

  insert(text: string): void {
    const at = this.view.state.selection.main.to;
    this.view.dispatch({ changes: { from: at, insert: text }, selection: { anchor: at + text.length } });
  }

  /** Inserts pictures at the cursor in their order, each as soon as it is stored. */
  async insertImages(files: readonly File[]): Promise<void> {
    const [key, at] = [{}, this.view.state.selection.main.to];
    this.places.set(key, at);
    for (const file of files) {
      const text = await this.options.upload(file);
      if (text === null) continue;
      if (this.isDestroyed) this.options.late((value) => [value, text].filter(Boolean).join('\n\n'));
      else insertAt(text, this.places.get(key) ?? at)(this.view);
    }
    this.places.delete(key);
  }

  destroy(): void {
    this.isDestroyed = true;
    this.view.destroy();
  }
}

/** Smallest change of one text that makes the other one. */
function difference(from: string, to: string) {
  const most = Math.min(from.length, to.length);
  let start = 0;
  while (start < most && from[start] === to[start]) start += 1;
  let end = 0;
  while (end < most - start && from.at(-1 - end) === to.at(-1 - end)) end += 1;
  return { from: start, to: from.length - end, insert: to.slice(start, to.length - end) };
}
