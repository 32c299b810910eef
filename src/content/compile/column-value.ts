import type { Column } from '../model/model.js';
import { param, type Sql, sql } from '../../kernel/sql.js';

/** Parameter for a column. For a relation it is the document id of the target. */
export const storedText = ({ type }: Column, value: unknown): unknown =>
  type === 'jsonb' && value !== null ? JSON.stringify(value) : value;

export const columnValue = (column: Column, value: unknown): Sql =>
  sql`${param(storedText(column, value))}${column.cast}`;
