import type { Texts } from './en.ts';

/** Types whose values are times. */
const TIMES = ['date', 'datetime', 'timestamp', 'time', 'day'];

/** Name of a filter's operator, as editors read it with values of a type. */
export function operatorText(texts: Texts, operator: string, type = ''): string {
  const words: Readonly<Record<string, string>> = texts.operators;
  return (TIMES.includes(type) ? words[`${operator} time`] : undefined) ?? words[operator] ?? operator;
}
