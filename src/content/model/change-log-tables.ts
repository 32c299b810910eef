/**
 * Change log: tables and triggers that record changes in the transaction that makes them, and running totals.
 */
import { type Identifier, identifier } from '../../kernel/sql.js';
import type { ContentType, Schema } from './model.js';
import { inSchema, splitTable } from './naming.js';
import { type OwnColumn, ownColumn } from './own-column.js';

/** Value of `type` in a change that makes every earlier response stale. */
export const EVERYTHING = '';

/**
 * Columns of the change table. A row is a change of one document, or of any document if `document_id` is
 * null. Rows are only inserted, so concurrent writers do not block each other.
 */
export const CHANGE_COLUMNS: readonly OwnColumn[] = [
  ownColumn('xid', 'xid8', { key: true }),
  ownColumn('n', 'bigint', { key: true }),
  ownColumn('type', 'text'),
  ownColumn('document_id', 'text', { nullable: true }),
  ownColumn('locale', 'text'),
  ownColumn('published', 'boolean'),
  // Number of versions added in a locale and state, negative if removed. If it is 0, locale and state are
  // unspecified.
  ownColumn('delta', 'bigint'),
];

/**
 * Columns of the totals by type, locale and state. The row with an empty type defines which changes they
 * include: those visible to `settled`. The totals are invalid if `writer` is not this server: snapshots and
 * transaction ids of a copied database mean nothing elsewhere.
 */
export const TOTAL_COLUMNS: readonly OwnColumn[] = [
  ownColumn('type', 'text', { key: true }),
  ownColumn('locale', 'text', { key: true }),
  ownColumn('published', 'boolean', { key: true }),
  ownColumn('total', 'bigint'),
  // Set in the row with an empty type only. Changes of transactions before `horizon` have been deleted.
  ownColumn('horizon', 'xid8'),
  ownColumn('settled', 'pg_snapshot', { nullable: true }),
  ownColumn('writer', 'text', { nullable: true }),
];

export const FORMER_INDEX = identifier('content_change_by_total');

export interface ChangeLogTables {
  readonly change: Identifier;
  readonly total: Identifier;
}

export function changeLogTablesOf({ table }: Pick<ContentType, 'table'>): ChangeLogTables {
  const { schema } = splitTable(table);
  return {
    change: inSchema(schema, identifier('content_change')),
    total: inSchema(schema, identifier('content_total')),
  };
}

export type NotedEvent = 'insert' | 'update' | 'delete' | 'truncate';

/**
 * Triggers by event. MikroORM compares trigger names only: increase the number when a trigger's behaviour
 * changes. The TRUNCATE trigger is invisible to MikroORM, so it is created with the INSERT trigger.
 */
export const TRIGGERS: Readonly<Record<NotedEvent, Identifier>> = {
  insert: identifier('content_ledger_insert_3'),
  update: identifier('content_ledger_update_3'),
  delete: identifier('content_ledger_delete_3'),
  truncate: identifier('content_ledger_truncate_3'),
};

/** Triggers of earlier releases. If they remained, each change would be recorded twice. */
export const FORMER_TRIGGERS: readonly Identifier[] = Object.keys(TRIGGERS).flatMap((event) =>
  [1, 2].map((release) => identifier(`content_ledger_${event}_${release}`)),
);

/** Trigger functions: for inserted and deleted versions, for updated versions, and for links. */
export const NOTE_VERSIONS = identifier('content_note_versions');
export const NOTE_UPDATES = identifier('content_note_updates');
export const NOTE_LINKS = identifier('content_note_links');

export interface NotedTable {
  readonly table: Identifier;
  readonly type: ContentType;
  readonly holds: 'versions' | 'links';
}

const notedTablesOf = (type: ContentType): readonly NotedTable[] => [
  { table: type.table, type, holds: 'versions' },
  ...type.storage.links.map(({ table: { table } }): NotedTable => ({ table, type, holds: 'links' })),
];

export const notedTables = ({ types }: Schema): readonly NotedTable[] =>
  [...types.values()].flatMap(notedTablesOf);
