/** When documents are published and unpublished by themselves: what can be scheduled, and the table of it. */
import { type Identifier, identifier } from '../sql.js';
import type { ContentType } from './model.js';
import { inSchema, parted } from './naming.js';

/** What can be scheduled. Of two that are due at once, the first comes first. */
export const SCHEDULED = ['publish', 'unpublish'] as const;

export type Scheduled = (typeof SCHEDULED)[number];

/** The member of a schedule that says when. */
export const TIME_OF = { publish: 'publishAt', unpublish: 'unpublishAt' } as const;

export type ScheduleTime = (typeof TIME_OF)[Scheduled];

/** The table of all types' schedules, one row for each document, locale and action that is still to come. */
export const SCHEDULE_TABLE = identifier('content_schedule');

/** Its index for what is due. */
export const SCHEDULE_INDEX = identifier('content_schedule_by_time');

/** That table, where the tables of the model are. */
export const scheduleTableOf = ({ table }: Pick<ContentType, 'table'>): Identifier =>
  inSchema(parted(table).schema, SCHEDULE_TABLE);

/** A column of that table. */
export interface ScheduleColumn {
  /** Its property in the entity. */
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

/** The columns of that table. What has failed keeps what was wrong, and is not tried again. */
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
