/** The tables of the ledger for MikroORM, and the triggers of all others that write it. */
import { compileTrigger } from '../compile/compile-triggers.js';
import {
  CHANGE_COLUMNS,
  type LedgerColumn,
  type NotedTable,
  TOTAL_COLUMNS,
  TRIGGERS,
} from '../schema/ledger.js';

type Property = Readonly<Record<string, unknown>>;

/** A trigger as MikroORM takes it: a statement that it does not look into. */
export const triggerEntries = (noted: NotedTable): Property[] =>
  (['insert', 'update', 'delete'] as const).map((event) => ({
    name: TRIGGERS[event],
    timing: 'after',
    events: [event],
    forEach: 'statement',
    expression: compileTrigger(noted, event),
  }));

/** Types that JavaScript has no others for. */
const TEXTS: ReadonlySet<string> = new Set(['xid8', 'pg_snapshot']);

const properties = (columns: readonly LedgerColumn[]): [string, Property][] =>
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
