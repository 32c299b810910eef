/** Statements on the hashes that files had before their content was replaced. */
import type { Identifier, Statement } from '../../kernel/sql.js';
import type { ContentType } from '../../content/model/model.js';
import { scalarOf } from '../../content/model/scalar-of.js';
import { param, print, quote, sql } from '../../kernel/sql.js';

export const compileAddFormer = (table: Identifier, hash: string, documentId: string): Statement =>
  print(sql`insert into ${quote(table)} (hash, document_id)
    values (${param(hash)}::text, ${param(documentId)}::text) on conflict (hash) do nothing`);

/**
 * Selects the document id of the file that had a hash. Earlier releases, and their archives, have only the
 * hash before the last replacement, in the row of the file.
 */
export const compileFormer = (table: Identifier, file: ContentType, hash: string): Statement =>
  print(sql`select f.document_id from ${quote(table)} f where f.hash = ${param(hash)}::text
    union all select t.document_id from ${quote(file.table)} t
      where t.${quote(scalarOf(file, 'formerHash').column)} = ${param(hash)}::text limit 1`);

export const compileRemoveFormer = (table: Identifier, documentId: string): Statement =>
  print(sql`delete from ${quote(table)} f where f.document_id = ${param(documentId)}::text`);
