/** The ledger: what was changed by whom, in the transaction that changed it, and what that comes to. */
import { type Identifier, identifier } from '../sql.js';
import type { ContentType, Schema } from './model.js';
import { inSchema, parted } from './naming.js';

/** A column of the ledger's tables. */
export interface LedgerColumn {
  readonly name: Identifier;
  readonly property: string;
  readonly type: 'xid8' | 'bigint' | 'text' | 'boolean' | 'pg_snapshot';
  readonly key: boolean;
  readonly nullable: boolean;
}

const column = (
  name: string,
  type: LedgerColumn['type'],
  more: Partial<LedgerColumn> = {},
): LedgerColumn => ({
  name: identifier(name),
  property: name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  type,
  key: false,
  nullable: false,
  ...more,
});

/** The type of a change after which nothing is known of any before it. */
export const EVERYTHING = '';

/**
 * What transactions have changed: of one document, or of any where `document_id` is null. Rows are only ever
 * added, so that writers do not wait for one another.
 */
export const CHANGE_COLUMNS: readonly LedgerColumn[] = [
  column('xid', 'xid8', { key: true }),
  column('n', 'bigint', { key: true }),
  column('type', 'text'),
  column('document_id', 'text', { nullable: true }),
  column('locale', 'text'),
  column('published', 'boolean'),
  // How many more versions there are, of a locale and a state; both say nothing where it is 0.
  column('delta', 'bigint'),
];

/**
 * What changes come to, by type, locale and state. The row without a type says which changes: those that
 * `settled` sees. It is worth nothing where its `writer` has not written it: snapshots and numbers of
 * transactions mean nothing to another server, to which it may have been copied.
 */
export const TOTAL_COLUMNS: readonly LedgerColumn[] = [
  column('type', 'text', { key: true }),
  column('locale', 'text', { key: true }),
  column('published', 'boolean', { key: true }),
  column('total', 'bigint'),
  // Of the row without a type: changes of earlier transactions are not kept.
  column('horizon', 'xid8'),
  column('settled', 'pg_snapshot', { nullable: true }),
  column('writer', 'text', { nullable: true }),
];

/** An index that earlier releases have made. */
export const FORMER_INDEX = identifier('content_change_by_total');

/** The tables of the ledger, where those of the model are. */
export interface LedgerTables {
  readonly change: Identifier;
  readonly total: Identifier;
}

export function ledgerTablesOf({ table }: Pick<ContentType, 'table'>): LedgerTables {
  const { schema } = parted(table);
  return {
    change: inSchema(schema, identifier('content_change')),
    total: inSchema(schema, identifier('content_total')),
  };
}

/** What calls the ledger, and on what. */
export type NotedEvent = 'insert' | 'update' | 'delete' | 'truncate';

/**
 * Triggers by event. MikroORM compares names alone: whoever changes what they do has to number them anew.
 * Nothing that MikroORM could compare shows the one of TRUNCATE, so that it comes with that of INSERT.
 */
export const TRIGGERS: Readonly<Record<NotedEvent, Identifier>> = {
  insert: identifier('content_ledger_insert_3'),
  update: identifier('content_ledger_update_3'),
  delete: identifier('content_ledger_delete_3'),
  truncate: identifier('content_ledger_truncate_3'),
};

/** Those of earlier releases. Each change would be noted twice if they stayed. */
export const FORMER_TRIGGERS: readonly Identifier[] = Object.keys(TRIGGERS).flatMap((event) =>
  [1, 2].map((release) => identifier(`content_ledger_${event}_${release}`)),
);

/** The functions that triggers call: for versions that come and go, those that are updated, and links. */
export const NOTE_VERSIONS = identifier('content_note_versions');
export const NOTE_UPDATES = identifier('content_note_updates');
export const NOTE_LINKS = identifier('content_note_links');

/** A table whose changes are noted, and the type whose content they are. */
export interface NotedTable {
  readonly table: Identifier;
  readonly type: ContentType;
  readonly holds: 'versions' | 'links';
}

/** The tables that hold a type's content. */
const notedTablesOf = (type: ContentType): readonly NotedTable[] => [
  { table: type.table, type, holds: 'versions' },
  ...type.storage.links.map(({ table: { table } }): NotedTable => ({ table, type, holds: 'links' })),
];

/** All of a model. */
export const notedTables = ({ types }: Schema): readonly NotedTable[] =>
  [...types.values()].flatMap(notedTablesOf);
