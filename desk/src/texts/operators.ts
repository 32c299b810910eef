import type { Texts } from './en.ts';

/** Name of a filter's operator, as editors read it. */
export function operatorText(texts: Texts, operator: string): string {
  return (texts.operators as Readonly<Record<string, string>>)[operator] ?? operator;
}
