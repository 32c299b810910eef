/** Markdown of what a paste reads: blocks, lists and tables. */
import { type Block, type List, type Run, type Table, trimmed } from '../paste/read-html.ts';
import { inlineMarkdown, type Place, ticksAround } from './inline-markdown.ts';

type Entry = Block | List;
type PictureOf = Place['pictureOf'];

/** Lines of runs: a text may have line breaks in it. */
function linesOf(runs: readonly Run[]): readonly Run[][] {
  const lines: Run[][] = [[]];
  for (const run of runs)
    run.text.split('\n').forEach((text, at) => {
      if (at > 0) lines.push([]);
      lines.at(-1)?.push({ ...run, text });
    });
  return lines;
}

/** Writes lines with breaks between them. */
const textOf = (runs: readonly Run[], place: Place, lineBreak: string): string =>
  linesOf(trimmed(runs))
    .map((line) => inlineMarkdown(line, place))
    .filter((line) => line !== '')
    .join(lineBreak);

/** Writes a block of code, with a fence that its text does not have. */
function codeOf({ runs, language }: Block): string {
  const text = runs.map((run) => (run.picture === undefined ? run.text : '')).join('');
  const fence = ticksAround(text, 3);
  return `${fence}${language ?? ''}\n${text}\n${fence}`;
}

interface Cell {
  readonly runs: readonly Run[];
  readonly columns: number;
  readonly rows: number;
}

function cellsOf({ runs }: Block): readonly Cell[] {
  const cells: Cell[] = [];
  let inner: Run[] = [];
  for (const run of runs) {
    if (run.cell === undefined) inner.push(run);
    else cells.push({ runs: inner, ...run.cell });
    if (run.cell !== undefined) inner = [];
  }
  return cells;
}

/** Texts of cells at their columns. Cells that cover several columns or rows leave the others empty. */
function gridOf(rows: readonly Block[], textIn: (runs: readonly Run[]) => string): readonly string[][] {
  const covered: number[] = [];
  return rows.map((row) => {
    const texts: string[] = [];
    const skip = (): void => {
      for (let left = covered[texts.length] ?? 0; left > 0; left = covered[texts.length] ?? 0) {
        covered[texts.length] = left - 1;
        texts.push('');
      }
    };
    for (const { runs, columns, rows: height } of cellsOf(row)) {
      skip();
      for (let column = 0; column < columns; column += 1) {
        covered[texts.length] = height - 1;
        texts.push(column === 0 ? textIn(runs) : '');
      }
    }
    skip();
    return texts;
  });
}

function tableOf(rows: readonly Block[], pictureOf: PictureOf): string {
  const grid = gridOf(rows, (runs) => textOf(runs, { inCell: true, pictureOf }, ' '));
  const width = Math.max(...grid.map((texts) => texts.length));
  const line = (texts: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_none, at) => texts[at] ?? '').join(' | ')} |`;
  const [head = [], ...others] = grid;
  return [line(head), `|${' --- |'.repeat(width)}`, ...others.map(line)].join('\n');
}

/** Indents the lines after the first one, so that they stay in the item. */
const indented = (text: string, by: number): string => text.replace(/\n(?=.)/g, `\n${' '.repeat(by)}`);

class Writer {
  constructor(private readonly pictureOf: PictureOf) {}

  /** Writes blocks with an empty line between them. */
  blocks(entries: readonly Entry[]): string {
    const made: string[] = [];
    let list = { format: '', isOther: false };
    for (let at = 0; at < entries.length;) {
      const entry = entries[at];
      if (entry === undefined) break;
      const rows = this.rowsAt(entries, at);
      if ('entries' in entry) {
        // A second list of the same kind needs another sign, or it would go on with the first one.
        list = { format: entry.format, isOther: list.format === entry.format && !list.isOther };
        made.push(this.list(entry, list.isOther));
      } else {
        list = { format: '', isOther: false };
        made.push(rows.length > 0 ? tableOf(rows, this.pictureOf) : this.block(entry));
      }
      at += Math.max(1, rows.length);
    }
    return made.filter((text) => text !== '').join('\n\n');
  }

  /** Rows of the table that begins at an entry; none if it is not a table of texts. */
  private rowsAt(entries: readonly Entry[], at: number): readonly Block[] {
    const tableAt = (index: number): Table | null => {
      const entry = entries[index];
      return entry === undefined || 'entries' in entry ? null : (entry.table ?? null);
    };
    const table = tableAt(at);
    if (table === null || table.hasBlocks) return [];
    let end = at;
    while (tableAt(end) === table) end += 1;
    const rows = entries.slice(at, end).flatMap((entry) => ('entries' in entry ? [] : [entry]));
    return rows.some((row) => cellsOf(row).length > 1) ? rows : [];
  }

  private block(block: Block): string {
    const { name, runs, level = 1 } = block;
    if (name === 'code') return codeOf(block);
    const place = { inCell: false, pictureOf: this.pictureOf };
    if (name === 'heading') {
      const text = textOf(runs, place, ' ');
      // Signs at the end of a heading would close it.
      return text === '' ? '' : `${'#'.repeat(level)} ${text.replace(/(?<=^|\s)#+$/, '\\$&')}`;
    }
    const text = textOf(runs, place, '  \n');
    return name === 'quote' && text !== '' ? `> ${text.replaceAll('\n', '\n> ')}` : text;
  }

  private list({ format, entries }: List, isOther: boolean): string {
    let number = 0;
    let width = 2;
    const made: string[] = [];
    for (const entry of entries) {
      if ('entries' in entry) {
        const inner = this.list(entry, false);
        // A list without an item around it is one of its own.
        made.push(made.length === 0 ? inner : indented(`\n${inner}`, width).slice(1));
        continue;
      }
      const text = this.block(entry);
      if (text === '') continue;
      number += 1;
      const bullet = isOther ? '*' : '-';
      const sign = format === 'ordered' ? `${number}${isOther ? ')' : '.'}` : bullet;
      width = sign.length + 1;
      made.push(`${sign} ${indented(text, width)}`);
    }
    return made.join('\n');
  }
}

export const toMarkdown = (entries: readonly Entry[], pictureOf: PictureOf): string =>
  new Writer(pictureOf).blocks(entries);

/** Whether blocks are lines of text only, without anything that Markdown has signs for. */
export const isBare = (entries: readonly Entry[]): boolean =>
  entries.every(
    (entry) =>
      'runs' in entry &&
      entry.name === 'paragraph' &&
      entry.runs.every(
        ({ names, url, picture }) => names.length === 0 && url === null && picture === undefined,
      ),
  );
