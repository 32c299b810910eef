/** Columns of the tables that belong to the module itself, not to a content type. */
import { type Identifier, identifier } from '../../kernel/sql.js';

export interface OwnColumn {
  readonly property: string;
  readonly name: Identifier;
  readonly type:
    'text' | 'integer' | 'bigint' | 'boolean' | 'jsonb' | 'timestamptz(3)' | 'xid8' | 'pg_snapshot';
  /** Whether the column is part of the primary key. */
  readonly key: boolean;
  readonly nullable: boolean;
  /** Whether migrations add the column to a table of an earlier release. */
  readonly later: boolean;
}

export const ownColumn = (
  name: string,
  type: OwnColumn['type'],
  more: Partial<Pick<OwnColumn, 'key' | 'nullable' | 'later'>> = {},
): OwnColumn => ({
  name: identifier(name),
  property: name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  type,
  key: false,
  nullable: false,
  later: false,
  ...more,
});
