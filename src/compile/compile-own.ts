import type { OwnCondition } from '../access/decide.js';
import type { Column } from '../schema/model.js';
import { param, type Param, quote, type Sql, sql } from '../sql.js';

/** The condition that a document is the user's own, whose id comes later. */
export interface OwnShape {
  readonly owner: Column;
  readonly user: Param;
}

/** Whether a row's document is the user's own. */
export const compileOwnShape = ({ owner, user }: OwnShape, row: Sql): Sql =>
  sql`${row}.${quote(owner.name)} = ${user}${owner.cast}`;

/** Whether a row's document is a user's own: in what is read, and in what is looked up before a write. */
export const compileOwn = ({ owner, user }: OwnCondition, row: Sql): Sql =>
  compileOwnShape({ owner, user: param(user) }, row);
