/** Marks that elements and styles of pasted HTML mean. */
import { HELD_STYLE } from '../parts/inert-html.ts';
import { linkable } from './address.ts';

/** The part of the DOM that a paste reads, which a parser outside of browsers has, too. */
export interface HtmlNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly childNodes: ArrayLike<HtmlNode>;
  getAttribute?: (name: string) => string | null;
}

export type MarkName = 'bold' | 'italic' | 'underline' | 'strikethrough' | 'code';

/** Marks of a text. */
export interface Marks {
  readonly names: readonly MarkName[];
  /** Address of the link that the text is in. */
  readonly url: string | null;
}

export const NO_MARKS: Marks = { names: [], url: null };

export const attributeOf = (node: HtmlNode, name: string): string => node.getAttribute?.(name) ?? '';

const TAGS: Readonly<Record<string, MarkName>> = {
  B: 'bold',
  STRONG: 'bold',
  I: 'italic',
  EM: 'italic',
  CITE: 'italic',
  DFN: 'italic',
  U: 'underline',
  INS: 'underline',
  S: 'strikethrough',
  STRIKE: 'strikethrough',
  DEL: 'strikethrough',
  CODE: 'code',
  KBD: 'code',
  SAMP: 'code',
  TT: 'code',
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
  readonly name: MarkName;
  readonly isOn: boolean;
}

function weight(value: string): Switch[] {
  const number = Number.parseInt(value, 10);
  if (/^bold/.test(value) || number >= 600) return [{ name: 'bold', isOn: true }];
  return /^(?:normal|lighter)/.test(value) || number < 600 ? [{ name: 'bold', isOn: false }] : [];
}

function slant(value: string): Switch[] {
  if (/^(?:italic|oblique)/.test(value)) return [{ name: 'italic', isOn: true }];
  return value === 'normal' ? [{ name: 'italic', isOn: false }] : [];
}

const lines = (value: string): Switch[] => [
  ...(value.includes('underline') ? [{ name: 'underline', isOn: true } as const] : []),
  ...(value.includes('line-through') ? [{ name: 'strikethrough', isOn: true } as const] : []),
];

const STYLES: Readonly<Record<string, (value: string) => Switch[]>> = {
  'font-weight': weight,
  'font-style': slant,
  'text-decoration': lines,
  'text-decoration-line': lines,
};

/** Returns the marks of the text in an element. */
export function marksIn(node: HtmlNode, around: Marks): Marks {
  const names = new Set(around.names);
  const own = TAGS[node.nodeName];
  if (own !== undefined) names.add(own);
  for (const [property, value] of Object.entries(styleOf(node)))
    for (const { name, isOn } of STYLES[property]?.(value) ?? [])
      if (isOn) names.add(name);
      else names.delete(name);
  const url = node.nodeName === 'A' ? linkable(attributeOf(node, 'href')) : null;
  // The part of another page is not part of this one.
  return { names: [...names], url: url === null || url.startsWith('#') ? around.url : url };
}

/** Marks as a text has them: links are underlined anyway, and the texts of headings are bold. */
export const shownMarks = ({ names, url }: Marks, isHeading: boolean): Marks => ({
  names: names.filter((name) => !(url !== null && name === 'underline') && !(isHeading && name === 'bold')),
  url,
});
