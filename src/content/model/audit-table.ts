/** Log of changes and sign-ins. The application only appends to it. */
import { type Identifier, identifier } from '../../kernel/sql.js';
import type { ContentType } from './model.js';
import { inSchema, splitTable } from './naming.js';
import { type OwnColumn, ownColumn } from './own-column.js';

export const AUDIT_TABLE = identifier('content_audit');

export const AUDIT_INDEX = identifier('content_audit_by_document');

export const auditTableOf = ({ table }: Pick<ContentType, 'table'>): Identifier =>
  inSchema(splitTable(table).schema, AUDIT_TABLE);

/**
 * Columns of the entries. `type` is null for actions on no document. `status` is that of the HTTP response to
 * such an action.
 */
export const AUDIT_COLUMNS: readonly OwnColumn[] = [
  ownColumn('id', 'bigint', { key: true }),
  ownColumn('at', 'timestamptz(3)'),
  ownColumn('action', 'text'),
  ownColumn('status', 'integer', { nullable: true }),
  ownColumn('type', 'text', { nullable: true }),
  ownColumn('document_id', 'text', { nullable: true }),
  ownColumn('locale', 'text', { nullable: true }),
  ownColumn('attributes', 'jsonb'),
  ownColumn('actor', 'text'),
  ownColumn('actor_id', 'text', { nullable: true }),
  ownColumn('request_id', 'text', { nullable: true }),
  ownColumn('address', 'text', { nullable: true }),
];
