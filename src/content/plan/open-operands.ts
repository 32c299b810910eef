/** Placeholders in a plan that is shared by filters with different values. */
import { ContentError, unmetGrant } from '../../kernel/errors.js';
import { OpenOperand, valueIn } from '../query/text-shape.js';
import type { Condition, Operands, ReadPlan } from './plan.js';

function openIn(condition: Condition): readonly OpenOperand[] {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.parts.flatMap(openIn);
    case 'compare':
      return condition.operands.flat().filter((operand) => operand instanceof OpenOperand);
    case 'related':
      return openIn(condition.where);
    default:
      return [];
  }
}

/**
 * Returns the placeholders of a plan, by position. Null unless each of `count` values has exactly one: a
 * value may have influenced the plan, or been ignored.
 */
export function openOperandsOf({ where }: ReadPlan, count: number): readonly OpenOperand[] | null {
  const open = (where === null ? [] : openIn(where)).toSorted((a, b) => a.place - b.place);
  return open.length === count && open.every(({ place }, i) => place === i) ? open : null;
}

/** Converts the values of a query to operands; null if a value is invalid. */
export function operandsOf(open: readonly OpenOperand[], values: readonly string[]): Operands | null {
  const operands: unknown[] = [];
  for (const { place, convert } of open) {
    const value = valueIn(values[place] ?? '');
    if (value === null || convert === null) return null;
    try {
      operands.push(convert(value));
    } catch (error) {
      if (error instanceof ContentError) return null;
      throw error;
    }
  }
  return { text: values.join('&'), values: operands, granted: [] };
}

/** Replaces placeholders in a value by the plan's operands. */
export function filledIn(value: unknown, { operands }: Pick<ReadPlan, 'operands'>): unknown {
  if (Array.isArray(value)) return value.map((item) => filledIn(item, { operands }));
  if (!(value instanceof OpenOperand)) return value;
  if (operands === null) throw new Error('A placeholder in a condition has no value');
  return value.origin === 'query' ? operands.values[value.place] : grantedValue(value, operands);
}

/** Returns a value of a grant's condition. Throws ForbiddenError for one that does not fit. */
function grantedValue({ place, convert }: OpenOperand, { granted }: Operands): unknown {
  if (convert === null || place >= granted.length) throw new Error('A placeholder in a grant has no value');
  try {
    return convert(granted[place]);
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    throw unmetGrant(`A value of a grant does not fit its condition: ${error.message}`);
  }
}

/** Adds the values of the caller's conditions to a plan with their placeholders. */
export function withGranted(plan: ReadPlan, granted: readonly unknown[]): ReadPlan {
  const { text = '', values = [] } = plan.operands ?? {};
  return { ...plan, operands: { text: JSON.stringify([text, granted]), values, granted } };
}
