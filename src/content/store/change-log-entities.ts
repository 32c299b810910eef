/** Entities of the change log's tables, and the triggers of all other tables that write it. */
import { compileTrigger } from '../compile/compile-triggers.js';
import {
  CHANGE_COLUMNS,
  type ChangeLogColumn,
  type NotedTable,
  TOTAL_COLUMNS,
  TRIGGERS,
} from '../model/change-log-tables.js';

type Property = Readonly<Record<string, unknown>>;

/** Returns triggers for MikroORM, which does not compare their statements. */
export const triggerEntries = (noted: NotedTable): Property[] =>
  (['insert', 'update', 'delete'] as const).map((event) => ({
    name: TRIGGERS[event],
    timing: 'after',
    events: [event],
    forEach: 'statement',
    expression: compileTrigger(noted, event),
  }));

/** PostgreSQL types that are strings in JavaScript. */
const TEXTS: ReadonlySet<string> = new Set(['xid8', 'pg_snapshot']);

const properties = (columns: readonly ChangeLogColumn[]): [string, Property][] =>
  columns.map(({ property, name, type, key, nullable }) => [
    property,
    {
      type: TEXTS.has(type) ? 'string' : type,
      columnType: type,
      fieldName: name,
      ...(key ? { primary: true, autoincrement: false } : {}),
      ...(nullable ? { nullable } : {}),
    },
  ]);

export const CHANGE_PARTS = { properties: properties(CHANGE_COLUMNS), indexes: [], uniques: [] };

export const TOTAL_PARTS = { properties: properties(TOTAL_COLUMNS), indexes: [], uniques: [] };
