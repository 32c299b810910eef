/** Event log, and the state of its readers: webhooks, and handlers in code. */
import { type Identifier, identifier } from '../../kernel/sql.js';
import type { ContentType } from './model.js';
import { inSchema, splitTable } from './naming.js';
import { type OwnColumn, ownColumn } from './own-column.js';

export interface EventTables {
  readonly event: Identifier;
  readonly reader: Identifier;
  readonly delivery: Identifier;
  readonly attempt: Identifier;
}

const EVENT_TABLE_NAMES: EventTables = {
  event: identifier('content_event'),
  reader: identifier('content_event_reader'),
  delivery: identifier('content_event_delivery'),
  attempt: identifier('content_event_attempt'),
};

/** Table of the positions of handlers and webhooks, without its schema. */
export const EVENT_READER = EVENT_TABLE_NAMES.reader;

export const EVENT_INDEX = identifier('content_event_by_xid');

/** Names that no content type can have. */
export const EVENT_NAMES: readonly Identifier[] = [
  ...Object.values<Identifier>({ ...EVENT_TABLE_NAMES }),
  EVENT_INDEX,
];

export function eventTablesOf({ table }: Pick<ContentType, 'table'>): EventTables {
  const { schema } = splitTable(table);
  const { event, reader, delivery, attempt } = EVENT_TABLE_NAMES;
  return {
    event: inSchema(schema, event),
    reader: inSchema(schema, reader),
    delivery: inSchema(schema, delivery),
    attempt: inSchema(schema, attempt),
  };
}

/**
 * Columns of the log, to which writes only append. `id` increases with the writes of a document, `xid` shows
 * which snapshots include the event. `attributes` are those that the write assigned. `published` is false if
 * the write changed drafts only, and null if that is unknown.
 */
export const EVENT_COLUMNS: readonly OwnColumn[] = [
  ownColumn('id', 'bigint', { key: true }),
  ownColumn('xid', 'xid8'),
  ownColumn('at', 'timestamptz(3)'),
  ownColumn('type', 'text'),
  ownColumn('document_id', 'text'),
  // Empty for a write of all locales.
  ownColumn('locale', 'text'),
  ownColumn('action', 'text'),
  ownColumn('actor', 'text'),
  ownColumn('actor_id', 'text', { nullable: true }),
  ownColumn('request_id', 'text', { nullable: true }),
  ownColumn('attributes', 'jsonb'),
  ownColumn('published', 'boolean', { nullable: true }),
];

/**
 * Columns of the readers, one row each. A reader has handled the events that `base` includes, and those up to
 * the id `after` that `target` includes. The instance `owner` runs it until `until`.
 */
export const READER_COLUMNS: readonly OwnColumn[] = [
  ownColumn('name', 'text', { key: true }),
  ownColumn('base', 'pg_snapshot'),
  ownColumn('target', 'pg_snapshot', { nullable: true }),
  ownColumn('after', 'bigint'),
  ownColumn('owner', 'text', { nullable: true }),
  ownColumn('until', 'timestamptz(3)', { nullable: true }),
  ownColumn('failing_since', 'timestamptz(3)', { nullable: true }),
  ownColumn('disabled', 'text', { nullable: true }),
];

/**
 * Columns of events that a reader has passed without success. The first event of a document is retried at
 * `due_at`; the later ones wait, without a time. An event with `failed_at` is not retried any more.
 */
export const DELIVERY_COLUMNS: readonly OwnColumn[] = [
  ownColumn('reader', 'text', { key: true }),
  ownColumn('event_id', 'bigint', { key: true }),
  ownColumn('type', 'text'),
  ownColumn('document_id', 'text'),
  ownColumn('attempts', 'integer'),
  ownColumn('due_at', 'timestamptz(3)', { nullable: true }),
  ownColumn('failed_at', 'timestamptz(3)', { nullable: true }),
  ownColumn('failure', 'text', { nullable: true }),
];

/** Columns of the latest attempts of each reader. */
export const ATTEMPT_COLUMNS: readonly OwnColumn[] = [
  ownColumn('reader', 'text', { key: true }),
  ownColumn('n', 'bigint', { key: true }),
  ownColumn('event_id', 'bigint'),
  ownColumn('at', 'timestamptz(3)'),
  ownColumn('status', 'integer', { nullable: true }),
  ownColumn('milliseconds', 'integer'),
  ownColumn('failure', 'text', { nullable: true }),
];
