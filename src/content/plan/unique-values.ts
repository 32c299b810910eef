/** Unique values inside components (protocol 14.18): their JSON patterns and errors. */
import { NOT_UNIQUE } from '../../kernel/errors.js';
import type { Step, UniqueValue } from './plan-value.js';

/** Instances on the path to a value, outermost first. */
function stepsTo({ within }: UniqueValue): Step[] {
  const steps: Step[] = [];
  for (let step: Step | null = within; step !== null; step = step.outer) steps.unshift(step);
  return steps;
}

/** Attribute of the document that contains a value at any depth. */
export const rootAttributeOf = (value: UniqueValue): Step['attribute'] =>
  (stepsTo(value)[0] ?? value.within).attribute;

/** JSON pattern of a value, contained (`@>`) in a column with the value at the same path of the model. */
export function patternOf(unique: UniqueValue): string {
  let [name, value]: [string, unknown] = [unique.attribute.name, unique.value];
  for (let step: Step | null = unique.within; step !== null; step = step.outer) {
    const { attribute, component } = step;
    const kind = attribute.named ? { __component: component.uid } : {};
    const instance = { ...kind, [name]: value };
    [name, value] = [attribute.name, attribute.many ? [instance] : instance];
  }
  return JSON.stringify(value);
}

/** Path of a value in the model, equal for all instances. */
export const modelPathOf = (value: UniqueValue): string =>
  [
    ...stepsTo(value).map(({ attribute, component }) => `${attribute.name}(${component.uid})`),
    value.attribute.name,
  ].join('.');

export const reportTaken = ({ at, value }: Pick<UniqueValue, 'at' | 'value'>): void =>
  at.report(NOT_UNIQUE, value);

/** Reports values that occur more than once in a document, except the first. */
export function reportDuplicates(values: readonly UniqueValue[]): void {
  const seen = new Set<string>();
  for (const value of values) {
    const key = `${modelPathOf(value)} ${patternOf(value)}`;
    if (seen.has(key)) reportTaken(value);
    seen.add(key);
  }
}
