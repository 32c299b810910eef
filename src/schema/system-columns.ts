/** The columns that every document has, whatever its type. */

/** A column of every content type's table. */
export interface SystemColumn {
  readonly name: string;
  /** Its property in the entity. Attributes begin with a letter. */
  readonly property: string;
  readonly type: 'integer' | 'text' | 'timestamptz(3)' | 'boolean';
  readonly nullable: boolean;
}

/** The first one is the primary key, numbered by the database. */
export const SYSTEM_COLUMNS: readonly SystemColumn[] = [
  { name: 'id', property: 'id', type: 'integer', nullable: false },
  { name: 'document_id', property: 'documentId', type: 'text', nullable: false },
  { name: 'created_at', property: 'createdAt', type: 'timestamptz(3)', nullable: false },
  { name: 'updated_at', property: 'updatedAt', type: 'timestamptz(3)', nullable: false },
  { name: 'published_at', property: 'publishedAt', type: 'timestamptz(3)', nullable: true },
  { name: 'published', property: '_published', type: 'boolean', nullable: false },
  { name: 'locale', property: 'locale', type: 'text', nullable: false },
];
