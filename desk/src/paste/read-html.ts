/**
 * Reads pasted HTML of Word, Google Docs, Notion and web pages. Only texts, kinds of blocks, marks, links and
 * the addresses of pictures are taken over: no element, attribute, script or style of the source.
 */
import {
  attributeOf,
  type HtmlNode,
  type Marks,
  marksIn,
  NO_MARKS,
  shownMarks,
  styleOf,
} from './html-marks.ts';
import { type WordItem, wordItemOf } from './word-lists.ts';

/** Text of a block. The format of `blocks` knows neither cells nor pictures of other pages. */
export interface Run extends Marks {
  readonly text: string;
  /** Present on the text that ends a cell of a table, with the columns and rows that the cell covers. */
  readonly cell?: { readonly columns: number; readonly rows: number };
  /** Address of a picture whose alternative text this is. */
  readonly picture?: string;
}

/** A table. Its rows are lines if its cells have more than texts in them. */
export interface Table {
  hasBlocks: boolean;
}

interface Kind {
  readonly name: 'paragraph' | 'heading' | 'quote' | 'code' | 'item' | 'row';
  readonly level?: number;
  readonly language?: string | null;
  readonly table?: Table | null;
}

export interface Block extends Kind {
  readonly runs: readonly Run[];
}

/** A list. `entries` of an inner list are in the last list around it. */
export interface List {
  readonly format: 'ordered' | 'unordered';
  readonly entries: (Block | List)[];
}

const TEXT = 3;
const ELEMENT = 1;

const split = (names: string): ReadonlySet<string> => new Set(names.split(' '));
/** Elements whose content is not text of the page. */
const SKIPPED = split(
  'SCRIPT STYLE HEAD META LINK TITLE TEMPLATE NOFRAMES NOSCRIPT IFRAME FRAME OBJECT EMBED SVG MATH XML AUDIO VIDEO CANVAS SELECT TEXTAREA DATALIST',
);
const BLOCKS = split(
  'ADDRESS ARTICLE ASIDE BODY CAPTION CENTER DD DETAILS DIALOG DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM HEADER HGROUP HR HTML LEGEND MAIN NAV P SECTION SUMMARY TABLE TBODY TFOOT THEAD',
);
const KINDS: Readonly<Record<string, Kind['name']>> = {
  BLOCKQUOTE: 'quote',
  PRE: 'code',
  LI: 'item',
  TR: 'row',
};

interface Context {
  readonly marks: Marks;
  /** Whether spaces and line breaks count. */
  readonly isExact: boolean;
}

const PARAGRAPH: Kind = { name: 'paragraph' };
const ITEM: Kind = { name: 'item' };

/** Collects blocks. Texts of one block that are apart in the source are separated by line breaks. */
class Builder {
  readonly blocks: (Block | List)[] = [];
  private readonly lists: List[] = [];
  private kind = PARAGRAPH;
  private table: Table | null = null;
  private runs: Run[] = [];
  private isApart = false;
  /** Whether the inside of the present element stays one block. */
  private isClosed = false;

  /** Collects the inside of an element as one block. Blocks of another kind inside it do not count. */
  within(kind: Kind, work: () => void): void {
    if (this.isClosed) {
      this.divides();
      this.part();
      work();
      this.part();
      return;
    }
    this.flush();
    this.kind = kind.name === 'row' ? { ...kind, table: this.table } : kind;
    this.isClosed = true;
    work();
    this.flush();
    this.kind = PARAGRAPH;
    this.isClosed = false;
  }

  /** Collects a list. It ends the block that it is in: the format has lists beside items, not inside them. */
  list(format: List['format'], work: () => void): void {
    const { kind, isClosed } = this;
    this.divides();
    this.flush();
    this.isClosed = false;
    const list: List = { format, entries: [] };
    (this.lists.at(-1)?.entries ?? this.blocks).push(list);
    this.lists.push(list);
    this.kind = PARAGRAPH;
    work();
    this.flush();
    this.lists.pop();
    this.kind = kind;
    this.isClosed = isClosed;
  }

  /** Adds an item of Word, which has the level of its list instead of a list around it. */
  wordItem({ level, format }: WordItem, work: () => void): void {
    this.flush();
    let entries = this.blocks;
    for (let depth = 1; depth <= level; depth += 1) {
      const last = entries.at(-1);
      const isOpen = last !== undefined && 'entries' in last && (depth < level || last.format === format);
      const open: List = isOpen ? last : { format, entries: [] };
      if (!isOpen) entries.push(open);
      entries = open.entries;
    }
    this.lists.push({ format, entries });
    this.within(ITEM, work);
    this.lists.pop();
  }

  /** Collects the rows of a table. */
  rowsOf(work: () => void): void {
    const around = this.table;
    this.table = { hasBlocks: false };
    work();
    this.table = around;
  }

  /** Notes that a cell has a block in it that is not text of its row. */
  private divides(): void {
    if (this.kind.table) this.kind.table.hasBlocks = true;
  }

  /** Ends a part of a block: in a closed one, a line. */
  part(): void {
    if (!this.isClosed) this.flush();
    else if (this.runs.length > 0 && !this.hasCell) this.isApart = true;
  }

  /** Whether the last text is the end of a cell. */
  private get hasCell(): boolean {
    return this.runs.at(-1)?.cell !== undefined;
  }

  /** Collects a cell of a row. */
  cell(cell: Run['cell'] & object, work: () => void): void {
    work();
    this.isApart = false;
    this.runs.push({ text: '\t', ...NO_MARKS, cell });
  }

  text(text: string, { marks, isExact }: Context): void {
    const isStart = this.runs.length === 0 || this.isApart;
    const before = this.runs.at(-1)?.text ?? '';
    let content = isExact ? text.replace(/\r\n?/g, '\n') : text.replace(/[ \t\r\n\f]+/g, ' ');
    if (!isExact && (isStart || /[ \t\n]$/.test(before))) content = content.replace(/^ /, '');
    if (content !== '') this.add({ text: content, ...marks });
  }

  picture(text: string, picture: string, marks: Marks): void {
    this.add({ text, ...marks, picture });
  }

  private add(run: Run): void {
    const set = this.kind.name === 'code' ? NO_MARKS : shownMarks(run, this.kind.name === 'heading');
    if (this.isApart) this.runs.push({ text: '\n', ...NO_MARKS });
    this.isApart = false;
    this.runs.push({ ...run, ...set });
  }

  private flush(): void {
    const runs = this.kind.name === 'row' ? this.runs : trimmed(this.runs, this.kind.name === 'code');
    this.runs = [];
    this.isApart = false;
    if (runs.every(({ text, picture }) => text.trim() === '' && picture === undefined)) return;
    const list = this.lists.at(-1);
    const kind = this.kind.name === 'item' ? PARAGRAPH : this.kind;
    (list?.entries ?? this.blocks).push({ ...(list === undefined ? kind : ITEM), runs });
  }
}

/** Runs without the spaces and line breaks around them. */
export function trimmed(runs: readonly Run[], isCode = false): Run[] {
  const [start, end] = isCode ? [/^\n+/, /\s+$/] : [/^\s+/, /\s+$/];
  const left = [...runs];
  const cut = (at: number, pattern: RegExp): boolean => {
    const run = left.at(at);
    const text = (run?.text ?? '').replace(pattern, '');
    if (run === undefined || run.picture !== undefined || text === run.text) return false;
    left.splice(at, 1, ...(text === '' ? [] : [{ ...run, text }]));
    return text === '';
  };
  while (cut(0, start)) continue;
  while (cut(-1, end)) continue;
  return left;
}

function read(node: HtmlNode, context: Context, builder: Builder): void {
  if (node.nodeType === TEXT) builder.text(node.nodeValue ?? '', context);
  if (node.nodeType !== ELEMENT || SKIPPED.has(node.nodeName.toUpperCase())) return;
  const { nodeName: name } = node;
  if (name === 'BR') return builder.text('\n', { ...context, isExact: true });
  if (isHidden(node)) return;
  if (name === 'IMG')
    return builder.picture(attributeOf(node, 'alt').trim(), attributeOf(node, 'src'), context.marks);
  const inner = insideOf(node, context);
  const work = (): void => {
    for (const child of Array.from(node.childNodes)) read(child, inner, builder);
  };
  const wordItem = name === 'P' || name === 'DIV' ? wordItemOf(node) : null;
  if (wordItem !== null) builder.wordItem(wordItem, work);
  else if (name === 'TABLE') builder.rowsOf(() => readBlock(node, work, builder));
  else if (name === 'UL' || name === 'OL') builder.list(name === 'OL' ? 'ordered' : 'unordered', work);
  else readBlock(node, work, builder);
}

function readBlock(node: HtmlNode, work: () => void, builder: Builder): void {
  const kind = kindOf(node);
  if (kind !== null) return builder.within(kind, work);
  if (node.nodeName === 'TD' || node.nodeName === 'TH') {
    const covered = (side: string): number => Math.min(20, Number(attributeOf(node, `${side}span`)) || 1);
    return builder.cell({ columns: covered('col'), rows: covered('row') }, work);
  }
  const isBlock = BLOCKS.has(node.nodeName);
  if (isBlock) builder.part();
  work();
  if (isBlock) builder.part();
}

function kindOf(node: HtmlNode): Kind | null {
  const { nodeName } = node;
  const classes = attributeOf(node, 'class');
  const level = /^H([1-6])$/.exec(nodeName)?.[1] ?? (/\bMsoTitle\b/.test(classes) ? '1' : undefined);
  if (level !== undefined) return { name: 'heading', level: Number(level) };
  if (/\bMso(?:Intense)?Quote\b/.test(classes)) return { name: 'quote' };
  const name = KINDS[nodeName];
  if (name === undefined) return null;
  return name === 'code' ? { name, language: languageIn(node) } : { name };
}

const LANGUAGE = /(?:^|\s)lang(?:uage)?-([\w+#-]+)/;

/** Language of a code block, as highlighters name it on the element or its first child. */
function languageIn(node: HtmlNode): string | null {
  const elements = [node, ...Array.from(node.childNodes).filter(({ nodeType }) => nodeType === ELEMENT)];
  const found = elements.map((one) => LANGUAGE.exec(attributeOf(one, 'class'))?.[1]);
  return found.find((one) => one !== undefined) ?? null;
}

/** Whether an element is not shown, or is the sign before an item of Word, which is a text there. */
function isHidden(node: HtmlNode): boolean {
  const style = styleOf(node);
  return style['display'] === 'none' || style['mso-list'] === 'ignore';
}

function insideOf(node: HtmlNode, context: Context): Context {
  const space = styleOf(node)['white-space'];
  const isExact =
    node.nodeName === 'PRE' || (space === undefined ? context.isExact : /^(?:pre|break)/.test(space));
  return { ...context, marks: marksIn(node, context.marks), isExact };
}

/** Returns the blocks of pasted HTML. */
export function readHtml(root: HtmlNode): readonly (Block | List)[] {
  const builder = new Builder();
  const context = { marks: NO_MARKS, isExact: false };
  builder.part();
  for (const child of Array.from(root.childNodes)) read(child, context, builder);
  builder.part();
  return builder.blocks;
}
