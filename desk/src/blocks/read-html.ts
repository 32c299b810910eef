/**
 * Reads pasted HTML of Word, Google Docs, Notion and web pages. Only texts, kinds of blocks, marks and links
 * are taken over: no element, attribute, script or style of the source.
 */
import type { Mark, Node } from 'prosemirror-model';
import { attributeOf, type HtmlNode, marksIn, shownMarks, styleOf } from './html-marks.ts';
import { schema } from './schema.ts';
import { wordItemOf } from './word-lists.ts';

const { nodes } = schema;

const TEXT = 3;
const ELEMENT = 1;

const split = (names: string): ReadonlySet<string> => new Set(names.split(' '));
/** Elements whose content is no text of the page. */
const SKIPPED = split(
  'SCRIPT STYLE HEAD META LINK TITLE TEMPLATE NOFRAMES NOSCRIPT IFRAME FRAME OBJECT EMBED SVG MATH XML AUDIO VIDEO CANVAS SELECT TEXTAREA DATALIST',
);
const BLOCKS = split(
  'ADDRESS ARTICLE ASIDE BODY CAPTION CENTER DD DETAILS DIALOG DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM HEADER HGROUP HR HTML LEGEND MAIN NAV P SECTION SUMMARY TABLE TBODY TFOOT THEAD',
);
const KINDS: Readonly<Record<string, string>> = {
  BLOCKQUOTE: 'quote',
  PRE: 'code',
  LI: 'list_item',
  TR: 'paragraph',
};

interface Context {
  readonly marks: readonly Mark[];
  /** Whether spaces and line breaks count. */
  readonly isExact: boolean;
}

/** List that is being read. `entries` of an inner list are in the last list around it. */
interface OpenList {
  readonly format: string;
  readonly entries: (Node | OpenList)[];
}

interface Kind {
  readonly name: string;
  readonly attrs: object;
}

const PARAGRAPH: Kind = { name: 'paragraph', attrs: {} };
const ITEM: Kind = { name: 'list_item', attrs: {} };

/** Collects blocks. Texts of one block that are apart in the source are separated by line breaks. */
class Builder {
  readonly blocks: (Node | OpenList)[] = [];
  private readonly lists: OpenList[] = [];
  private kind = PARAGRAPH;
  private texts: Node[] = [];
  private isApart = false;
  /** Whether the inside of the present element stays one block. */
  private isClosed = false;

  /** Collects the inside of an element as one block. Blocks of another kind inside it do not count. */
  within(kind: Kind, work: () => void): void {
    if (this.isClosed) {
      this.part();
      work();
      this.part();
      return;
    }
    this.flush();
    this.kind = kind;
    this.isClosed = true;
    work();
    this.flush();
    this.kind = PARAGRAPH;
    this.isClosed = false;
  }

  /** Collects a list. It ends the block that it is in: the format has lists beside items, not inside them. */
  list(format: string, work: () => void): void {
    const { kind, isClosed } = this;
    this.flush();
    this.isClosed = false;
    const list = { format, entries: [] };
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
  wordItem({ level, format }: { level: number; format: string }, work: () => void): void {
    this.flush();
    let entries = this.blocks;
    for (let depth = 1; depth <= level; depth += 1) {
      const last = entries.at(-1);
      const isOpen = last !== undefined && 'entries' in last && (depth < level || last.format === format);
      const open = isOpen ? last : { format, entries: [] };
      if (!isOpen) entries.push(open);
      entries = open.entries;
    }
    this.lists.push({ format, entries });
    this.within(ITEM, work);
    this.lists.pop();
  }

  /** Ends a part of a block: in a closed one, a line. */
  part(): void {
    if (!this.isClosed) this.flush();
    else if (this.texts.length > 0 && !this.hasCell) this.isApart = true;
  }

  /** Whether the last text is the end of a cell. */
  private get hasCell(): boolean {
    return this.texts.at(-1)?.text?.endsWith('\t') === true;
  }

  /** Collects a cell of a row. The format has no tables, so that cells become texts of a paragraph. */
  cell(work: () => void): void {
    work();
    this.isApart = false;
    this.text('\t', { marks: [], isExact: true });
  }

  text(text: string, { marks, isExact }: Context): void {
    const isStart = this.texts.length === 0 || this.isApart;
    const before = this.texts.at(-1)?.text ?? '';
    let content = isExact ? text.replace(/\r\n?/g, '\n') : text.replace(/[ \t\r\n\f]+/g, ' ');
    if (!isExact && (isStart || /[ \t\n]$/.test(before))) content = content.replace(/^ /, '');
    if (content === '') return;
    const set = this.kind.name === 'code' ? [] : shownMarks(marks, this.kind.name === 'heading');
    if (this.isApart) this.texts.push(schema.text('\n'));
    this.isApart = false;
    this.texts.push(schema.text(content, set));
  }

  private flush(): void {
    const texts = trimmed(this.texts, this.kind.name === 'code');
    this.texts = [];
    this.isApart = false;
    if (texts.length === 0) return;
    const list = this.lists.at(-1);
    const kind = this.kind.name === ITEM.name ? PARAGRAPH : this.kind;
    const { name, attrs } = list === undefined ? kind : ITEM;
    const node = schema.nodes[name]?.create(attrs, texts);
    if (node !== undefined) (list?.entries ?? this.blocks).push(node);
  }
}

/** Texts without the spaces and line breaks around them. */
function trimmed(texts: readonly Node[], isCode: boolean): Node[] {
  const [start, end] = isCode ? [/^\n+/, /\s+$/] : [/^\s+/, /\s+$/];
  const left = [...texts];
  const cut = (at: number, pattern: RegExp): boolean => {
    const node = left.at(at);
    const text = (node?.text ?? '').replace(pattern, '');
    if (node === undefined || text === node.text) return false;
    left.splice(at, 1, ...(text === '' ? [] : [schema.text(text, node.marks)]));
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
  const inner = insideOf(node, context);
  const work = (): void => {
    for (const child of Array.from(node.childNodes)) read(child, inner, builder);
  };
  const wordItem = name === 'P' || name === 'DIV' ? wordItemOf(node) : null;
  if (wordItem !== null) builder.wordItem(wordItem, work);
  else if (name === 'UL' || name === 'OL') builder.list(name === 'OL' ? 'ordered' : 'unordered', work);
  else readBlock(node, work, builder);
}

function readBlock(node: HtmlNode, work: () => void, builder: Builder): void {
  const kind = kindOf(node);
  if (kind !== null) return builder.within(kind, work);
  if (node.nodeName === 'TD' || node.nodeName === 'TH') return builder.cell(work);
  const isBlock = BLOCKS.has(node.nodeName);
  if (isBlock) builder.part();
  work();
  if (isBlock) builder.part();
}

function kindOf(node: HtmlNode): Kind | null {
  const { nodeName } = node;
  const classes = attributeOf(node, 'class');
  const level = /^H([1-6])$/.exec(nodeName)?.[1] ?? (/\bMsoTitle\b/.test(classes) ? '1' : undefined);
  if (level !== undefined) return { name: 'heading', attrs: { level: Number(level) } };
  if (/\bMso(?:Intense)?Quote\b/.test(classes)) return { name: 'quote', attrs: {} };
  const name = KINDS[nodeName];
  if (name === undefined) return null;
  return { name, attrs: name === 'code' ? { language: languageIn(node) } : {} };
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

const finished = (entry: Node | OpenList, level: number): Node | null => {
  if (!('entries' in entry)) return entry;
  const entries = entry.entries.flatMap((one) => finished(one, level + 1) ?? []);
  const indentLevel = level === 0 ? null : level;
  return entries.length === 0 ? null : nodes.list.create({ format: entry.format, indentLevel }, entries);
};

/** Returns the blocks of pasted HTML. */
export function readHtml(root: HtmlNode): readonly Node[] {
  const builder = new Builder();
  builder.part();
  for (const child of Array.from(root.childNodes)) read(child, { marks: [], isExact: false }, builder);
  builder.part();
  return builder.blocks.flatMap((block) => finished(block, 0) ?? []);
}
