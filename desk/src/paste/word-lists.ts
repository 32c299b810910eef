/** Items of lists in HTML of Word: paragraphs whose style names the list and the level. */
import { attributeOf, type HtmlNode, styleOf } from './html-marks.ts';

export interface WordItem {
  /** Depth of the list, from 1. */
  readonly level: number;
  readonly format: 'ordered' | 'unordered';
}

const ELEMENT = 1;

/** Text of the sign before an item, such as `1.`; empty without one. */
function signOf(node: HtmlNode): string {
  for (const child of Array.from(node.childNodes)) {
    if (child.nodeType !== ELEMENT) continue;
    const sign = styleOf(child)['mso-list'] === 'ignore' ? textOf(child) : signOf(child);
    if (sign !== '') return sign.trim();
  }
  return '';
}

const textOf = (node: HtmlNode): string =>
  (node.nodeValue ?? '') + Array.from(node.childNodes).map(textOf).join('');

/** Reads an item; null for other paragraphs. */
export function wordItemOf(node: HtmlNode): WordItem | null {
  const list = styleOf(node)['mso-list'] ?? '';
  const level = /level(\d)/.exec(list)?.[1];
  if (level === undefined && !/\bMsoListParagraph/.test(attributeOf(node, 'class'))) return null;
  const sign = signOf(node);
  if (level === undefined && sign === '') return null;
  const isNumber = /^\(?(?:\d+|[a-z]{1,4}|[A-Z]{1,4})[.)]/.test(sign);
  return { level: Math.max(1, Number(level ?? 1)), format: isNumber ? 'ordered' : 'unordered' };
}
