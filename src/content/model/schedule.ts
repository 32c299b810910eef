/** Scheduled publishing: actions, and the table of the schedules. */
import { type Identifier, identifier } from '../../kernel/sql.js';
import type { ContentType } from './model.js';
import { inSchema, splitTable } from './naming.js';
import { type OwnColumn, ownColumn } from './own-column.js';

/** Actions that can be scheduled. Of two that are due at the same time, the first in the list runs first. */
export const SCHEDULED_ACTIONS = ['publish', 'unpublish'] as const;

export type ScheduledAction = (typeof SCHEDULED_ACTIONS)[number];

export const isScheduledAction = (value: unknown): value is ScheduledAction =>
  SCHEDULED_ACTIONS.some((action) => action === value);

export const TIME_OF = { publish: 'publishAt', unpublish: 'unpublishAt' } as const;

export type ScheduleTime = (typeof TIME_OF)[ScheduledAction];

/** Table of the schedules of all types, one row per document, locale and pending action. */
export const SCHEDULE_TABLE = identifier('content_schedule');

export const SCHEDULE_INDEX = identifier('content_schedule_by_time');

export const scheduleTableOf = ({ table }: Pick<ContentType, 'table'>): Identifier =>
  inSchema(splitTable(table).schema, SCHEDULE_TABLE);

/** Columns of the schedule table. A failed row stores its error and is not retried. */
export const SCHEDULE_COLUMNS: readonly OwnColumn[] = [
  ownColumn('type', 'text', { key: true }),
  ownColumn('document_id', 'text', { key: true }),
  ownColumn('locale', 'text', { key: true }),
  ownColumn('action', 'text', { key: true }),
  ownColumn('due_at', 'timestamptz(3)'),
  ownColumn('attempts', 'integer'),
  ownColumn('failed_at', 'timestamptz(3)', { nullable: true }),
  ownColumn('failure', 'text', { nullable: true }),
];
