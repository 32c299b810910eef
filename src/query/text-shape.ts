/**
 * The shape of a query string: its text without the values that its filters name, so that one plan serves all
 * texts that differ in nothing else.
 */
import type { Filter, Query } from './query.js';

/** A text in two parts; it is made of both again in one way only. */
export interface TextShape {
  readonly text: string;
  /** As the text has them, in its order. */
  readonly values: readonly string[];
}

/** Stands for a value of a filter that is not known yet: nothing can be decided by it. */
export class OpenOperand {
  /** `place` is that of the value in the text; `convert` makes it an operand, once it is known of what. */
  constructor(
    readonly place: number,
    readonly convert: ((value: string) => unknown) | null = null,
  ) {}
}

/** A key of `filters` that is spelt plainly, and its value: an empty one may mean more than others. */
const VALUES = /(?<=^|&)(filters(?:(?:\[|%5[Bb])(?:[\w$.-]|%24)*(?:\]|%5[Dd]))+=)([^&]+)/g;

/** Whatever has values has this in their place, so that no text is the shape of another one. */
const OPEN = '?';

export function shapeOf(text: string): TextShape {
  if (!text.includes('filters')) return { text, values: [] };
  const values: string[] = [];
  const closed = text.replace(VALUES, (_all, key: string, value: string) => {
    values.push(value);
    return `${key}${OPEN}`;
  });
  return { text: closed, values };
}

/** A value as the query has it; null where its encoding is broken, of which qs makes what it can. */
export function valueIn(encoded: string): string | null {
  if (!/[%+]/.test(encoded)) return encoded;
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

/** What a value is while a shape is planned, before its place: nobody can guess it. */
const TOKEN = `:open:${Math.random()}:`;

/** A text of a shape, with values that {@link withOpenOperands} knows again. */
export function openText({ text }: TextShape): string {
  let place = 0;
  return text.replace(VALUES, (_all, key: string) => `${key}${TOKEN}${place++}`);
}

const opened = (operand: unknown): unknown => {
  if (Array.isArray(operand)) return operand.map(opened);
  return typeof operand === 'string' && operand.startsWith(TOKEN)
    ? new OpenOperand(Number(operand.slice(TOKEN.length)))
    : operand;
};

function openFilter(filter: Filter): Filter {
  switch (filter.kind) {
    case 'group':
      return { ...filter, parts: filter.parts.map(openFilter) };
    case 'operator':
      return { ...filter, operand: opened(filter.operand) };
    default:
      return { ...filter, of: openFilter(filter.of) };
  }
}

/** The query of a text that {@link openText} has made. */
export const withOpenOperands = (query: Query): Query => ({
  ...query,
  filters: query.filters === null ? null : openFilter(query.filters),
});
