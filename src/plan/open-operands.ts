/** The operands of a plan that serves many filters: which are open, and what is filled into them. */
import { ContentError } from '../errors.js';
import { OpenOperand, valueIn } from '../query/text-shape.js';
import type { Condition, Operands, ReadPlan } from './plan.js';

/** The open operands of a condition, in no order. */
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
 * The open operands of a plan, by their places; null unless each of `count` values is one, once: another one
 * has decided something while the plan was made, or means nothing.
 */
export function openOperandsOf({ where }: ReadPlan, count: number): readonly OpenOperand[] | null {
  const open = (where === null ? [] : openIn(where)).toSorted((a, b) => a.place - b.place);
  return open.length === count && open.every(({ place }, i) => place === i) ? open : null;
}

/** What the values of a text are as operands; null where one cannot be any. */
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
  return { text: values.join('&'), values: operands };
}

/** A value with what is open in it, or the one that it is. */
export function filledIn(value: unknown, { operands }: Pick<ReadPlan, 'operands'>): unknown {
  if (Array.isArray(value)) return value.map((item) => filledIn(item, { operands }));
  if (!(value instanceof OpenOperand)) return value;
  if (operands === null) throw new Error('A condition has an operand that nobody has filled in');
  return operands.values[value.place];
}
