import type { OwnCondition } from '../access/decide.js';
import type { Column } from '../model/model.js';
import { param, type Param, quote, type Sql, sql } from '../../kernel/sql.js';

/** Condition that the current user owns a document. The user id is a parameter. */
export interface OwnShape {
  readonly owner: Column;
  readonly user: Param;
}

export const compileOwnShape = ({ owner, user }: OwnShape, row: Sql): Sql =>
  sql`${row}.${quote(owner.name)} = ${user}${owner.cast}`;

/** Prints the owner condition of a plan, for reads and for lookups before a write. */
export const compileOwn = ({ owner, user }: OwnCondition, row: Sql): Sql =>
  compileOwnShape({ owner, user: param(user) }, row);
