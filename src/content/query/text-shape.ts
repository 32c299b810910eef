/**
 * Query template: the text of a query without the values of its filters. One plan serves all queries with the
 * same template.
 */
import type { Filter, Query } from './query.js';

/** Template and values, which together restore the query string. */
export interface TextShape {
  readonly text: string;
  /** Values in the order of the text. */
  readonly values: readonly string[];
}

/** Origin of a value: the query, or the condition of a grant, where a whole list can be one value. */
type ValueOrigin = 'query' | 'grant' | 'granted list';

/** Placeholder for a filter value that the plan does not depend on. */
export class OpenOperand {
  /**
   * `place` is the index among the values of its origin; `convert` turns the value into an operand of its
   * attribute.
   */
  constructor(
    readonly place: number,
    readonly convert: ((value: unknown) => unknown) | null = null,
    readonly origin: ValueOrigin = 'query',
  ) {}

  /** Returns the placeholder with a conversion of single values. */
  with(convert: (single: unknown) => unknown): OpenOperand {
    const each = (value: unknown): unknown => (Array.isArray(value) ? value.map(convert) : convert(value));
    return new OpenOperand(this.place, this.origin === 'granted list' ? each : convert, this.origin);
  }
}

/**
 * Key of `filters` in a plain spelling, with its value. An empty value is excluded, since it may mean null.
 */
const VALUES = /(?<=^|&)(filters(?:(?:\[|%5[Bb])(?:[\w$.-]|%24)*(?:\]|%5[Dd]))+=)([^&]+)/g;

/** Replaces every value, also a literal `?`, so that no query string equals another one's template. */
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

/** Decodes a value; null for invalid encodings, which qs handles in its own way. */
export function valueIn(encoded: string): string | null {
  if (!/[%+]/.test(encoded)) return encoded;
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

/** Prefixes of placeholders in a planned text. They are random, so a client cannot guess them. */
const TOKENS: ReadonlyMap<ValueOrigin, string> = new Map(
  (['query', 'grant', 'granted list'] as const).map((origin) => [origin, `:${origin}:${Math.random()}:`]),
);

/** Returns the text that stands for a value until {@link withOpenOperands} or {@link openFilter}. */
export const tokenOf = (origin: ValueOrigin, place: number): string => `${TOKENS.get(origin) ?? ''}${place}`;

/** Returns a template's text with values that {@link withOpenOperands} recognises. */
export function openText({ text }: TextShape): string {
  let place = 0;
  return text.replace(VALUES, (_all, key: string) => `${key}${tokenOf('query', place++)}`);
}

/** Returns the placeholder that a token stands for; other operands as they are. */
export const placeholderOf = (operand: unknown): unknown => {
  if (Array.isArray(operand)) return operand.map(placeholderOf);
  if (typeof operand !== 'string' || !operand.startsWith(':')) return operand;
  for (const [origin, token] of TOKENS)
    if (operand.startsWith(token)) return new OpenOperand(Number(operand.slice(token.length)), null, origin);
  return operand;
};

/** Returns a filter with placeholders instead of tokens. */
export function openFilter(filter: Filter): Filter {
  switch (filter.kind) {
    case 'group':
      return { ...filter, parts: filter.parts.map(openFilter) };
    case 'operator':
      return { ...filter, operand: placeholderOf(filter.operand) };
    default:
      return { ...filter, of: openFilter(filter.of) };
  }
}

/** Returns the query of a text from {@link openText}, with placeholders. */
export const withOpenOperands = (query: Query): Query => ({
  ...query,
  filters: query.filters === null ? null : openFilter(query.filters),
});
