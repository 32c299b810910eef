import type { OwnCondition } from '../access/decide.js';
import type { Column } from '../model/model.js';
import { param, type Param, quote, slot, type Sql, sql } from '../../kernel/sql.js';
import { filledIn } from '../plan/open-operands.js';
import type { ReadPlan } from '../plan/plan.js';
import { OpenOperand, placeholderOf } from '../query/text-shape.js';

/** Condition that the current user owns a document. The user id is a parameter. */
export interface OwnShape {
  readonly owner: Column;
  readonly user: Param;
}

export const compileOwnShape = ({ owner, user }: OwnShape, row: Sql): Sql =>
  sql`${row}.${quote(owner.name)} = ${user}${owner.cast}`;

/** Parameter with the user; in a plan that users share, it reads the value of the request. */
function userParam(user: string): Param {
  const operand = placeholderOf(user);
  if (!(operand instanceof OpenOperand)) return param(user);
  const ofUser = operand.with(String);
  return slot((plan: ReadPlan) => filledIn(ofUser, plan));
}

/** Prints the owner condition of a plan, for reads and for lookups before a write. */
export const compileOwn = ({ owner, user }: OwnCondition, row: Sql): Sql =>
  compileOwnShape({ owner, user: userParam(user) }, row);
