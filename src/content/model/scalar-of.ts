import type { Model, ScalarAttribute } from './model.js';

/** Returns a scalar attribute that the model must have. Throws an Error without it: a bug in this library. */
export function scalarOf(
  { attributes, uid }: Pick<Model, 'attributes' | 'uid'>,
  name: string,
): ScalarAttribute {
  const attribute = attributes.get(name);
  if (attribute?.kind !== 'scalar') throw new Error(`${uid} has no scalar attribute "${name}"`);
  return attribute;
}
