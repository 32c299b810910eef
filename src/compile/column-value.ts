import type { Column } from '../schema/model.js';
import { param, type Sql, sql } from '../sql.js';

/** A value as it is sent for a column; a relation's is the target's document id. */
export const storedText = ({ type }: Column, value: unknown): unknown =>
  type === 'jsonb' && value !== null ? JSON.stringify(value) : value;

/** A value as a column takes it. */
export const columnValue = (column: Column, value: unknown): Sql =>
  sql`${param(storedText(column, value))}${column.cast}`;
