/** Sentences about what a restoration has left out. */
import type { Type } from '../../model/model.ts';

interface Sentences {
  /** About names that the type does not have. */
  readonly gone: (names: string) => string;
  /** About attributes of the type. */
  readonly kept: (names: string) => string;
}

/** Returns the sentences about left out names; empty for none. */
export function leftOutText(type: Type, left: readonly string[], { gone, kept }: Sentences): string {
  const labels = type.attributes.flatMap(({ name, label }) => (left.includes(name) ? [label] : []));
  const others = left.filter((name) => type.attributes.every((one) => one.name !== name));
  return [
    ...(others.length === 0 ? [] : [gone(others.join(', '))]),
    ...(labels.length === 0 ? [] : [kept(labels.join(', '))]),
  ].join('. ');
}
