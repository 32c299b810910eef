/** Statements on the hashes that files had before their content was replaced. */
import type { Identifier, Statement } from '../../kernel/sql.js';
import { param, print, quote, sql } from '../../kernel/sql.js';

export const compileAddFormer = (table: Identifier, hash: string, documentId: string): Statement =>
  print(sql`insert into ${quote(table)} (hash, document_id)
    values (${param(hash)}::text, ${param(documentId)}::text) on conflict (hash) do nothing`);

export const compileFormer = (table: Identifier, hash: string): Statement =>
  print(sql`select f.document_id from ${quote(table)} f where f.hash = ${param(hash)}::text`);

export const compileRemoveFormer = (table: Identifier, documentId: string): Statement =>
  print(sql`delete from ${quote(table)} f where f.document_id = ${param(documentId)}::text`);
