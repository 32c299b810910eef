/** Values without what archives leave out, also inside components. */
import { holdsSecrets, isSecret } from '../model/archive.js';
import type { Attribute, EmbeddedAttribute, Model } from '../model/model.js';
import { constant, join, quote, type Sql, sql } from '../../kernel/sql.js';
import { listOf } from './json-list.js';

const item = (depth: number): Sql => sql`e${constant(depth)}`;

/** Attributes of a model that are secret, and attributes whose components contain secrets. */
function secretParts({ attributes }: Model): {
  readonly names: readonly Attribute[];
  readonly holders: readonly EmbeddedAttribute[];
} {
  const all = [...attributes.values()];
  return {
    names: all.filter(isSecret),
    holders: all.filter((one): one is EmbeddedAttribute => 'components' in one && holdsSecrets(one)),
  };
}

type Path = readonly Model[];

/** Removes the secrets from an object. Throws for a recursive component with a password. */
function cleanObject(value: Sql, path: Path): Sql {
  const [model] = path.slice(-1) as [Model];
  if (path.indexOf(model) < path.length - 1)
    throw new Error(
      `"${model.uid}" contains a password and may contain itself: archives do not support this`,
    );
  const { names, holders } = secretParts(model);
  const without = names.reduce((rest, { name }) => sql`${rest} - ${quote(name, 'string')}`, value);
  return holders.reduce((rest, holder) => {
    const name = quote(holder.name, 'string');
    const inner = cleanList(holder, sql`${value}->${name}`, path);
    return sql`${rest} || case when ${value} ? ${name} then jsonb_build_object(${name}, ${inner}) else '{}' end`;
  }, without);
}

/** Removes the secrets from the value of an attribute. A single instance stays an object. */
export function cleanList({ named, components }: EmbeddedAttribute, inner: Sql, path: Path): Sql {
  const one = item(path.length);
  const value = sql`${one}.v`;
  const cleaned = components.map(
    (component) => [component, sql`(${cleanObject(value, [...path, component])})`] as const,
  );
  const [first] = cleaned.map(([, clean]) => clean);
  const branches = cleaned.map(([{ uid }, clean]) => sql`when ${quote(uid, 'string')} then ${clean}`);
  const clean = named
    ? sql`case ${value}->>'__component' ${join(branches, ' ')} else ${value} end`
    : (first ?? value);
  const object = sql`case jsonb_typeof(${value}) when 'object' then ${clean} else ${value} end`;
  const list = sql`(select jsonb_agg(${object} order by ${one}.n)
    from jsonb_array_elements(${listOf(inner)}) with ordinality ${one}(v, n))`;
  return sql`case jsonb_typeof(${inner})
    when 'array' then coalesce(${list}, '[]') when 'object' then ${list}->0 else ${inner} end`;
}

/** Removes the secrets from the values of a document. */
export const cleanValues = (model: Model, values: Sql): Sql => sql`(${cleanObject(values, [model])})`;
