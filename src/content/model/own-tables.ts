/** Tables that belong to the module itself. Entities and migrations are built from this list. */
import { type Identifier, type Sql, sql } from '../../kernel/sql.js';
import { AUDIT_COLUMNS, AUDIT_INDEX, auditTableOf } from './audit-table.js';
import { CHANGE_COLUMNS, changeLogTablesOf, TOTAL_COLUMNS } from './change-log-tables.js';
import {
  ATTEMPT_COLUMNS,
  DELIVERY_COLUMNS,
  EVENT_COLUMNS,
  EVENT_INDEX,
  eventTablesOf,
  READER_COLUMNS,
} from './event-tables.js';
import { FORMER_FILE_COLUMNS, FORMER_FILE_INDEX, formerFileTableOf } from './former-file-table.js';
import { DELETION_INDEX, HISTORY_COLUMNS, HISTORY_INDEX, historyTableOf } from './history-table.js';
import type { Schema } from './model.js';
import { MODEL_COLUMNS, modelTableOf } from './model-table.js';
import type { OwnColumn } from './own-column.js';
import { PRESENCE_COLUMNS, presenceTableOf } from './presence-table.js';
import {
  RELEASE_COLUMNS,
  RELEASE_ENTRY_COLUMNS,
  RELEASE_ENTRY_INDEX,
  RELEASE_INDEX,
  releaseTablesOf,
} from './release-tables.js';
import { REQUEST_KEY_COLUMNS, REQUEST_KEY_INDEX, requestKeyTableOf } from './request-keys.js';
import { SCHEDULE_COLUMNS, SCHEDULE_INDEX, scheduleTableOf } from './schedule.js';

export interface OwnIndex {
  readonly name: Identifier;
  readonly columns: readonly string[];
  /** Condition on the rows of the index. Default: all rows. */
  readonly where?: Sql;
}

export interface OwnTable {
  /** Name of the entity. Content is served without the tables whose entities lack the prefix `Content_`. */
  readonly entity: string;
  readonly table: Identifier;
  readonly columns: readonly OwnColumn[];
  readonly indexes: readonly OwnIndex[];
}

export function ownTablesOf({ file }: Schema): readonly OwnTable[] {
  const { change, total } = changeLogTablesOf(file);
  const { event, reader, delivery, attempt } = eventTablesOf(file);
  const { release, entry } = releaseTablesOf(file);
  const row = (entity: string, table: Identifier, columns: readonly OwnColumn[]): OwnTable => ({
    entity,
    table,
    columns,
    indexes: [],
  });
  return [
    row('ContentChangeLog_Change', change, CHANGE_COLUMNS),
    row('ContentChangeLog_Total', total, TOTAL_COLUMNS),
    {
      ...row('Content_Schedule', scheduleTableOf(file), SCHEDULE_COLUMNS),
      indexes: [{ name: SCHEDULE_INDEX, columns: ['due_at'] }],
    },
    row('Content_Model', modelTableOf(file), MODEL_COLUMNS),
    {
      ...row('ContentRequest_Key', requestKeyTableOf(file), REQUEST_KEY_COLUMNS),
      indexes: [{ name: REQUEST_KEY_INDEX, columns: ['created_at'] }],
    },
    { ...row('ContentEvent_Log', event, EVENT_COLUMNS), indexes: [{ name: EVENT_INDEX, columns: ['xid'] }] },
    row('ContentEvent_Reader', reader, READER_COLUMNS),
    row('ContentEvent_Delivery', delivery, DELIVERY_COLUMNS),
    row('ContentEvent_Attempt', attempt, ATTEMPT_COLUMNS),
    {
      ...row('ContentFile_Former', formerFileTableOf(file), FORMER_FILE_COLUMNS),
      indexes: [{ name: FORMER_FILE_INDEX, columns: ['document_id'] }],
    },
    row('ContentDesk_Presence', presenceTableOf(file), PRESENCE_COLUMNS),
    {
      ...row('ContentHistory_Version', historyTableOf(file), HISTORY_COLUMNS),
      indexes: [
        { name: HISTORY_INDEX, columns: ['document_id', 'id'] },
        { name: DELETION_INDEX, columns: ['type', 'id'], where: sql`content is null` },
      ],
    },
    {
      ...row('ContentAudit_Entry', auditTableOf(file), AUDIT_COLUMNS),
      indexes: [{ name: AUDIT_INDEX, columns: ['document_id'] }],
    },
    {
      ...row('ContentRelease_Set', release, RELEASE_COLUMNS),
      indexes: [{ name: RELEASE_INDEX, columns: ['due_at'] }],
    },
    {
      ...row('ContentRelease_Entry', entry, RELEASE_ENTRY_COLUMNS),
      indexes: [{ name: RELEASE_ENTRY_INDEX, columns: ['release_id'] }],
    },
  ];
}
