/** Marks that elements and styles of pasted HTML mean. */
import type { Mark, MarkType } from 'prosemirror-model';
import { HELD_STYLE } from '../parts/inert-html.ts';
import { linkable } from './links.ts';
import { schema } from './schema.ts';

const { marks } = schema;

/** The part of the DOM that a paste reads, which a parser outside of browsers has, too. */
export interface HtmlNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly childNodes: ArrayLike<HtmlNode>;
  getAttribute?: (name: string) => string | null;
}

export const attributeOf = (node: HtmlNode, name: string): string => node.getAttribute?.(name) ?? '';

const TAGS: Readonly<Record<string, MarkType>> = {
  B: marks.bold,
  STRONG: marks.bold,
  I: marks.italic,
  EM: marks.italic,
  CITE: marks.italic,
  DFN: marks.italic,
  U: marks.underline,
  INS: marks.underline,
  S: marks.strikethrough,
  STRIKE: marks.strikethrough,
  DEL: marks.strikethrough,
  CODE: marks.inline_code,
  KBD: marks.inline_code,
  SAMP: marks.inline_code,
  TT: marks.inline_code,
};

/** Declarations of the style of an element. */
export function styleOf(node: HtmlNode): Readonly<Record<string, string>> {
  const entries = (attributeOf(node, HELD_STYLE) || attributeOf(node, 'style'))
    .split(';')
    .map((one) => one.split(/:(.*)/s, 2).map((part) => part.trim().toLowerCase()))
    .map(([name = '', value = '']) => [name, value] as const);
  return Object.fromEntries(entries);
}

interface Switch {
  readonly type: MarkType;
  readonly isOn: boolean;
}

function weight(value: string): Switch[] {
  const number = Number.parseInt(value, 10);
  if (/^bold/.test(value) || number >= 600) return [{ type: marks.bold, isOn: true }];
  return /^(?:normal|lighter)/.test(value) || number < 600 ? [{ type: marks.bold, isOn: false }] : [];
}

function slant(value: string): Switch[] {
  if (/^(?:italic|oblique)/.test(value)) return [{ type: marks.italic, isOn: true }];
  return value === 'normal' ? [{ type: marks.italic, isOn: false }] : [];
}

const lines = (value: string): Switch[] => [
  ...(value.includes('underline') ? [{ type: marks.underline, isOn: true }] : []),
  ...(value.includes('line-through') ? [{ type: marks.strikethrough, isOn: true }] : []),
];

const STYLES: Readonly<Record<string, (value: string) => Switch[]>> = {
  'font-weight': weight,
  'font-style': slant,
  'text-decoration': lines,
  'text-decoration-line': lines,
};

/** Returns the marks of the text in an element. */
export function marksIn(node: HtmlNode, around: readonly Mark[]): readonly Mark[] {
  const type = TAGS[node.nodeName];
  let set = type === undefined ? around : type.create().addToSet(around);
  for (const [name, value] of Object.entries(styleOf(node)))
    for (const change of STYLES[name]?.(value) ?? [])
      set = change.isOn ? change.type.create().addToSet(set) : change.type.removeFromSet(set);
  const url = node.nodeName === 'A' ? linkable(attributeOf(node, 'href')) : null;
  // The part of another page is no part of this one.
  return url === null || url.startsWith('#') ? set : marks.link.create({ url }).addToSet(set);
}

/** Marks as a text has them: links are underlined anyway, and the texts of headings are bold. */
export function shownMarks(set: readonly Mark[], isHeading: boolean): readonly Mark[] {
  const isLink = set.some(({ type }) => type === marks.link);
  return set.filter(
    ({ type }) => !(isLink && type === marks.underline) && !(isHeading && type === marks.bold),
  );
}
