/** Scheduled publishing: actions, and the table of the schedules. */
import { type Identifier, identifier } from '../../kernel/sql.js';
import type { ContentType } from './model.js';
import { inSchema, parted } from './naming.js';

/** Actions that can be scheduled. Of two that are due at the same time, the first in the list runs first. */
export const SCHEDULED = ['publish', 'unpublish'] as const;

export type Scheduled = (typeof SCHEDULED)[number];

export const TIME_OF = { publish: 'publishAt', unpublish: 'unpublishAt' } as const;

export type ScheduleTime = (typeof TIME_OF)[Scheduled];

/** Table of the schedules of all types, one row per document, locale and pending action. */
export const SCHEDULE_TABLE = identifier('content_schedule');

export const SCHEDULE_INDEX = identifier('content_schedule_by_time');

export const scheduleTableOf = ({ table }: Pick<ContentType, 'table'>): Identifier =>
  inSchema(parted(table).schema, SCHEDULE_TABLE);

export interface ScheduleColumn {
  readonly property: string;
  readonly name: string;
  readonly type: 'text' | 'timestamptz(3)' | 'integer';
  readonly key: boolean;
  readonly nullable: boolean;
}

const column = (
  property: string,
  type: ScheduleColumn['type'],
  more: Partial<ScheduleColumn> = {},
): ScheduleColumn => ({
  property,
  name: property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  type,
  key: false,
  nullable: false,
  ...more,
});

/** Columns of the schedule table. A failed row stores its error and is not retried. */
export const SCHEDULE_COLUMNS: readonly ScheduleColumn[] = [
  column('type', 'text', { key: true }),
  column('documentId', 'text', { key: true }),
  column('locale', 'text', { key: true }),
  column('action', 'text', { key: true }),
  column('dueAt', 'timestamptz(3)'),
  column('attempts', 'integer'),
  column('failedAt', 'timestamptz(3)', { nullable: true }),
  column('failure', 'text', { nullable: true }),
];
