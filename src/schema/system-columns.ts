/** The columns that every document has, whatever its type. */
import { type Identifier, identifier } from '../sql.js';

/** A column of every content type's table. */
export interface SystemColumn {
  readonly name: Identifier;
  /** Its property in the entity. Attributes begin with a letter. */
  readonly property: string;
  readonly type: 'integer' | 'bigint' | 'text' | 'timestamptz(3)' | 'boolean';
  readonly nullable: boolean;
  /** What rows have that nobody has given one. */
  readonly default?: number;
}

/** The first one is the primary key, numbered by the database. */
export const SYSTEM_COLUMNS: readonly SystemColumn[] = [
  { name: identifier('id'), property: 'id', type: 'integer', nullable: false },
  { name: identifier('document_id'), property: 'documentId', type: 'text', nullable: false },
  { name: identifier('created_at'), property: 'createdAt', type: 'timestamptz(3)', nullable: false },
  { name: identifier('updated_at'), property: 'updatedAt', type: 'timestamptz(3)', nullable: false },
  { name: identifier('published_at'), property: 'publishedAt', type: 'timestamptz(3)', nullable: true },
  { name: identifier('published'), property: '_published', type: 'boolean', nullable: false },
  { name: identifier('locale'), property: 'locale', type: 'text', nullable: false },
  // Versions with the same revision have the same content: a published one has its draft's (D21).
  { name: identifier('revision'), property: '_revision', type: 'bigint', nullable: false, default: 0 },
];
