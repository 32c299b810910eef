/**
 * Checks conditions and presets for values that their enumeration does not contain. Compared with `$ne`, such
 * a value matches every document.
 */
import { isObject } from '../../kernel/json.js';
import { variableIn } from '../access/data-conditions.js';
import type { GrantFilters } from '../access/grant-condition.js';
import type { Model } from '../model/model.js';
import { isScalar } from '../model/scalar-of.js';
import { among } from '../model/suggest.js';
import { type OperatorName, operatorOf } from '../query/operators.js';
import { componentOf } from './given.js';
import type { Condition } from './plan.js';

/** Value that its enumeration does not contain, and the path of its attribute. */
interface UnknownValue {
  readonly message: string;
  readonly path: readonly string[];
}

/** Returns a pattern of `LIKE` as a regular expression. */
function expressionOf(pattern: string, flags: string): RegExp {
  const text = pattern.replace(/\\(.)|[^\w\s]/gs, (sign, escaped?: string) =>
    sign === '%' ? '.*' : `\\${escaped ?? sign}`,
  );
  return new RegExp(`^${text}$`, flags);
}

/** Whether an operator with this operand fits one of the values. */
function fits(values: readonly string[], op: OperatorName, operand: string): boolean {
  if (operatorOf(op).compares === 'value') return values.includes(operand);
  const expression = expressionOf(operand, op.endsWith('i') ? 'is' : 's');
  return values.some((value) => expression.test(value));
}

const unknownValue = (value: string, values: readonly string[], path: readonly string[]): UnknownValue => ({
  message: `"${value}" is not a value of ${path.join('.')}${among(value, values)}`,
  path,
});

/** Returns the unknown values that a condition compares an enumeration with. Variables are not values yet. */
export function unknownOperands(condition: Condition, path: readonly string[] = []): readonly UnknownValue[] {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.parts.flatMap((part) => unknownOperands(part, path));
    case 'related':
      return unknownOperands(condition.where, [...path, condition.attribute.name]);
    case 'compare': {
      const { attribute, op, operands } = condition;
      const { enum: values } = attribute.def;
      if (values === undefined) return [];
      return operands
        .flat()
        .filter((one) => typeof one === 'string')
        .filter((one) => !fits(values, op, one))
        .map((one) => unknownValue(one.replace(/^%|%$/g, ''), values, [...path, attribute.name]));
    }
    default:
      return [];
  }
}

/** Returns the instances of a component attribute in a preset, with their paths. */
const instancesIn = (value: unknown, path: readonly string[]): readonly (readonly [unknown, string[]])[] =>
  Array.isArray(value)
    ? value.map((item: unknown, i) => [item, [...path, String(i)]] as const)
    : [[value, [...path]]];

/** Returns the unknown values of a preset, also those inside components. */
export function unknownPresets(
  model: Model,
  preset: GrantFilters,
  path: readonly string[] = [],
): readonly UnknownValue[] {
  return Object.entries(preset).flatMap(([name, value]): readonly UnknownValue[] => {
    const attribute = model.attributes.get(name);
    const at = [...path, name];
    if (attribute === undefined) return [];
    if (isScalar(attribute)) {
      const { enum: values } = attribute.def;
      const isKnown = values === undefined || value === null || variableIn(value) !== undefined;
      if (isKnown || values.some((one) => one === value)) return [];
      return [unknownValue(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), values, at)];
    }
    if (!('components' in attribute)) return [];
    return instancesIn(value, at).flatMap(([item, below]) => {
      const component = componentOf(attribute, item);
      return component === undefined || !isObject(item) ? [] : unknownPresets(component, item, below);
    });
  });
}
