/** The tables of the ledger for MikroORM, and the triggers of all others that write it. */
import { compileTrigger } from '../compile/compile-triggers.js';
import {
  CHANGE_COLUMNS,
  DELTA_INDEX,
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

const properties = (columns: readonly LedgerColumn[]): [string, Property][] =>
  columns.map(({ property, name, type, key, nullable }) => [
    property,
    {
      type: type === 'xid8' ? 'string' : type,
      columnType: type,
      fieldName: name,
      ...(key ? { primary: true, autoincrement: false } : {}),
      ...(nullable ? { nullable } : {}),
    },
  ]);

export const CHANGE_PARTS = {
  properties: properties(CHANGE_COLUMNS),
  indexes: [{ name: DELTA_INDEX, properties: ['type', 'locale', 'published'], where: 'delta <> 0' }],
  uniques: [],
};

export const TOTAL_PARTS = { properties: properties(TOTAL_COLUMNS), indexes: [], uniques: [] };
