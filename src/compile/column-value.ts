import type { Column } from '../schema/model.js';
import { param, type Sql, sql } from '../sql.js';

/** A value as a column takes it; a relation's is the target's document id. */
export function columnValue({ type, cast }: Column, value: unknown): Sql {
  const given = type === 'jsonb' && value !== null ? JSON.stringify(value) : value;
  return sql`${param(given)}${cast}`;
}
