/**
 * Values inside components that no two documents may have (protocol 14.18): what they look like in a column,
 * and what is said about the second one.
 */
import { TAKEN } from '../errors.js';
import type { Step, UniqueValue } from './plan-value.js';

/** The steps to a value, from the document on. */
function stepsTo({ within }: UniqueValue): Step[] {
  const steps: Step[] = [];
  for (let step: Step | null = within; step !== null; step = step.outer) steps.unshift(step);
  return steps;
}

/** The attribute of the document that holds a value, however deep inside. */
export const rootAttributeOf = (value: UniqueValue): Step['attribute'] =>
  (stepsTo(value)[0] ?? value.within).attribute;

/** The JSON that a column contains (`@>`) when it holds the value at the same place of the model. */
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

/** Where in the model a value stands, the same for every instance. */
export const modelPathOf = (value: UniqueValue): string =>
  [
    ...stepsTo(value).map(({ attribute, component }) => `${attribute.name}(${component.uid})`),
    value.attribute.name,
  ].join('.');

/** Says that a value is another's, as far as that may be told. */
export const reportTaken = ({ at, value }: Pick<UniqueValue, 'at' | 'value'>): void =>
  at.report(TAKEN, value);

/** Reports the values that one document has twice, each but the first. */
export function reportDuplicates(values: readonly UniqueValue[]): void {
  const seen = new Set<string>();
  for (const value of values) {
    const key = `${modelPathOf(value)} ${patternOf(value)}`;
    if (seen.has(key)) reportTaken(value);
    seen.add(key);
  }
}
