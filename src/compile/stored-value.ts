import type { Attribute } from '../schema/model.js';
import { param, type Sql, sql } from '../sql.js';

/** A value as the column of its attribute takes it; a relation's is the target's document id. */
export function stored(attribute: Attribute, value: unknown): Sql {
  if (attribute.kind === 'relation') return sql`${param(value)}::text`;
  const json = attribute.kind !== 'scalar' || attribute.type.column === 'jsonb';
  if (json) return sql`${param(value === null ? null : JSON.stringify(value))}::jsonb`;
  return sql`${param(value)}${attribute.type.cast}`;
}
