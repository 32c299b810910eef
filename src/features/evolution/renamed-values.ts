/** Values of enumerations, stages among them, that a migration replaces or removes. */
import type { Attribute } from '../../content/model/model.js';
import { isScalar } from '../../content/model/scalar-of.js';
import { isObject } from '../../kernel/json.js';
import type { Pair } from './pairs.js';

/** New names by former name; null for a removed part. */
export type NewNames = Readonly<Record<string, string | null>>;

/** Returns the values of an enumeration, and those that replace others. */
function valuesOf(attribute: Attribute | null): {
  readonly names: readonly string[];
  readonly renamed: readonly (readonly [string, string])[];
} {
  if (attribute === null || !isScalar(attribute)) return { names: [], renamed: [] };
  const { enum: names = [], convert } = attribute.def;
  const renamed = Object.entries(isObject(convert) ? convert : {});
  return { names, renamed: renamed.flatMap(([from, to]) => (typeof to === 'string' ? [[from, to]] : [])) };
}

/** Returns the renamed and removed values of an enumeration by former name; null for removed ones. */
export function newValues({ before, after }: Pair<Attribute>): NewNames {
  const [old, next] = [valuesOf(before), valuesOf(after)];
  const pairs = [...next.renamed, ...old.renamed.map(([from, to]) => [to, from] as const)];
  return Object.fromEntries(
    old.names
      .filter((name) => !next.names.includes(name))
      .map((name) => [
        name,
        pairs.find(([from, to]) => from === name && next.names.includes(to))?.[1] ?? null,
      ]),
  );
}

/**
 * Returns the new values by former value, without those that become one with another: a comparison with them
 * would match more. Null if no value is replaced.
 */
export function distinctValues(pair: Pair<Attribute>): Readonly<Record<string, string>> | null {
  const renamed = Object.entries(newValues(pair)).flatMap(([from, to]) =>
    to === null ? [] : [[from, to] as const],
  );
  const { names } = valuesOf(pair.before);
  const distinct = renamed.filter(
    ([, to]) => !names.includes(to) && renamed.filter(([, other]) => other === to).length === 1,
  );
  return renamed.length === 0 ? null : Object.fromEntries(distinct);
}
