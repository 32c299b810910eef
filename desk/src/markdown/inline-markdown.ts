/** Markdown of a line of text with its marks, links and pictures. */
import type { MarkName } from '../paste/html-marks.ts';
import type { Run } from '../paste/read-html.ts';

/** Signs around marked texts. Markdown has none for underlined texts. */
const SIGNS = { bold: '**', italic: '*', strikethrough: '~~' } as const;

type Signed = keyof typeof SIGNS;

const signed = (names: readonly MarkName[]): readonly Signed[] =>
  (Object.keys(SIGNS) as Signed[]).filter((name) => names.includes(name));

export interface Place {
  /** Whether the line is in a table, where a bar ends the cell. */
  readonly inCell: boolean;
  /** Returns the address of a picture that the text may show; null for those of other sites. */
  readonly pictureOf: (address: string) => string | null;
}

const WORD = /[\p{L}\p{N}]/u;
const ADDRESS = /(?:https?:\/\/|www\.)[^\s<>]+/gi;

const target = (url: string): string =>
  url.replace(
    /[()<>\s\\]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  );

/** Text in which no letter is a sign of Markdown. `before` and `after` are the letters around it. */
function escaped(text: string, before: string, after: string): string {
  const between = (at: number): readonly [string, string] => [text[at - 1] ?? before, text[at + 1] ?? after];
  const isSign = (letter: string, at: number): boolean => {
    const [left, right] = between(at);
    const isFree = /^\s$/.test(left) && /^\s?$/.test(right);
    if (letter === '\\') return right === '' || /[!-/:-@[-`{-~]/.test(right);
    if (letter === '*' || letter === '~') return !isFree;
    if (letter === '_') return !isFree && !(WORD.test(left) && WORD.test(right));
    if (letter === ']') return /[([:]/.test(right);
    if (letter === '<') return /[a-z/!?]/i.test(right);
    return letter === '`';
  };
  return text
    .replace(/[\\`*_~\]<]/g, (letter, at: number) => (isSign(letter, at) ? `\\${letter}` : letter))
    .replace(/&(?=#?\w+;)/g, '\\&');
}

/** Text outside of code. Addresses stay as they are, because renderers make links of them. */
function plainText(text: string, before: string, after: string): string {
  let made = '';
  let last = 0;
  for (const { 0: address, index } of text.matchAll(ADDRESS)) {
    made += escaped(text.slice(last, index), text[last - 1] ?? before, address[0] ?? '') + address;
    last = index + address.length;
  }
  return made + escaped(text.slice(last), text[last - 1] ?? before, after);
}

/** Ticks around code: one more than it has in a row, and at least `least`. */
export const ticksAround = (text: string, least: number): string =>
  '`'.repeat(Math.max(least, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));

function codeText(text: string): string {
  const ticks = ticksAround(text, 1);
  const space = /^`|`$|^ .* $/.test(text) ? ' ' : '';
  return `${ticks}${space}${text}${space}${ticks}`;
}

/** Splits the spaces around a text off, because a sign next to a space marks nothing. */
function parted(run: Run): Run[] {
  const [, start = '', inner = '', end = ''] = /^(\s*)(.*?)(\s*)$/su.exec(run.text) ?? [];
  if (run.picture !== undefined) return [run];
  return [start, inner, end].filter((text) => text !== '').map((text) => ({ ...run, text }));
}

/** Gives spaces the marks that the texts on both sides have. */
function withoutMarkedSpaces(runs: readonly Run[]): Run[] {
  return runs.map((run, at) => {
    if (run.picture !== undefined || run.text.trim() !== '') return run;
    const [previous, next] = [runs[at - 1], runs[at + 1]];
    const names = run.names.filter((name) => previous?.names.includes(name) && next?.names.includes(name));
    const isInLink = previous?.url === run.url && next?.url === run.url;
    return { ...run, names, url: isInLink ? run.url : null };
  });
}

const sameMarks = (one: Run, other: Run): boolean =>
  one.url === other.url &&
  one.picture === other.picture &&
  one.names.length === other.names.length &&
  one.names.every((name) => other.names.includes(name));

function joined(runs: readonly Run[]): Run[] {
  const made: Run[] = [];
  for (const run of runs) {
    const last = made.at(-1);
    if (last?.picture === undefined && last !== undefined && sameMarks(last, run))
      made[made.length - 1] = { ...last, text: last.text + run.text };
    else if (run.text !== '' || run.picture !== undefined) made.push(run);
  }
  return made;
}

const firstOf = (run: Run | undefined): string => (run === undefined ? '' : (run.text[0] ?? '!'));
const lastOf = (run: Run | undefined): string => run?.text.at(-1) ?? '';
const isInert = (run: Run | undefined): boolean =>
  run === undefined || run.url !== null || run.names.includes('code');

/**
 * Takes marks off punctuation at the edge of a marked text that a word follows: no sign marks `bold:` in
 * `**bold:**word`.
 */
function unmarkedEdges(runs: readonly Run[]): Run[] {
  return runs.flatMap((run, at) => {
    const [previous, next] = [runs[at - 1], runs[at + 1]];
    const ends = (other: Run | undefined): readonly Signed[] =>
      signed(run.names).filter((name) => other?.names.includes(name) !== true);
    if (run.picture !== undefined || signed(run.names).length === 0 || isInert(run)) return [run];
    const without = (names: readonly Signed[]) =>
      run.names.filter((name) => !signed([name]).some((one) => names.includes(one)));
    const [, start = '', inner = '', end = ''] =
      /^([^\p{L}\p{N}]*)(.*?)([^\p{L}\p{N}]*)$/su.exec(run.text) ?? [];
    const isLoose = (letter: string, edge: string): boolean => edge !== '' && WORD.test(letter);
    const [loosesStart, loosesEnd] = [
      isLoose(lastOf(previous), start) ? ends(previous) : [],
      isLoose(firstOf(next), end === '' && inner === '' ? start : end) ? ends(next) : [],
    ];
    if (loosesStart.length + loosesEnd.length === 0) return [run];
    if (inner === '') return [{ ...run, names: without([...loosesStart, ...loosesEnd]) }];
    return [
      { ...run, text: start, names: without(loosesStart) },
      { ...run, text: inner },
      { ...run, text: end, names: without(loosesEnd) },
    ].filter(({ text }) => text !== '');
  });
}

type Mark = Signed | 'link';

const has = (run: Run | undefined, mark: Mark): boolean =>
  run !== undefined && (mark === 'link' ? run.url !== null : run.names.includes(mark));

class Line {
  constructor(
    private readonly runs: readonly Run[],
    private readonly place: Place,
  ) {}

  /** Writes the runs from one to another. The mark with the longest range is around the others. */
  write(from: number, to: number, open: readonly Mark[]): string {
    let made = '';
    for (let at = from; at < to;) {
      const [mark, end] = this.longest(at, to, open);
      if (mark === null) made += this.text(at);
      else made += this.marked(mark, this.write(at, end, [...open, mark]), this.runs[at]?.url ?? '');
      at = end;
    }
    return made;
  }

  private longest(at: number, to: number, open: readonly Mark[]): readonly [Mark | null, number] {
    let found: readonly [Mark | null, number] = [null, at + 1];
    for (const mark of ['link', 'bold', 'italic', 'strikethrough'] as const) {
      if (open.includes(mark) || !has(this.runs[at], mark)) continue;
      let end = at + 1;
      while (
        end < to &&
        has(this.runs[end], mark) &&
        (mark !== 'link' || this.runs[end]?.url === this.runs[at]?.url)
      )
        end += 1;
      if (found[0] === null || end > found[1]) found = [mark, end];
    }
    return found;
  }

  private marked(mark: Mark, text: string, url: string): string {
    if (mark !== 'link') return `${SIGNS[mark]}${text}${SIGNS[mark]}`;
    return text === url && /^https?:/.test(url) ? `<${url}>` : `[${text}](${target(url)})`;
  }

  private text(at: number): string {
    const run = this.runs[at];
    if (run === undefined) return '';
    const address = run.picture === undefined ? null : this.place.pictureOf(run.picture);
    const after = this.runs[at + 1];
    const next = after !== undefined && after.url !== null && after.url !== run.url ? '[' : firstOf(after);
    let text =
      run.names.includes('code') && address === null
        ? codeText(run.text)
        : plainText(run.text, lastOf(this.runs[at - 1]), next);
    if (run.url !== null || address !== null) text = text.replace(/(?<!\\)[[\]]/g, '\\$&');
    if (next === '[') text = text.replace(/!$/, '\\!');
    if (this.place.inCell) text = text.replace(/\|/g, '\\|');
    return address === null ? text : `![${text}](${target(address)})`;
  }
}

/** Signs that begin a block at the start of a line. */
const START = /^(?:#{1,6}(?=\s|$)|[-+](?=\s|$)|>|[-=:|][-=:|\s]*$)/;

/** Returns a line of Markdown. The texts have no line breaks. */
export function inlineMarkdown(runs: readonly Run[], place: Place): string {
  const parts = unmarkedEdges(joined(withoutMarkedSpaces(runs.flatMap(parted))));
  const text = new Line(parts, place).write(0, parts.length, []).trim();
  return text.replace(START, '\\$&').replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2');
}
