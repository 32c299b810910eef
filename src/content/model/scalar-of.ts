import type { Attribute, Model, ScalarAttribute } from './model.js';

/** Only scalars can be searched. */
export const isScalar = (attribute: Attribute): attribute is ScalarAttribute => 'searchable' in attribute;

/** Returns a scalar attribute that the model must have. Throws an Error without it: a bug in this library. */
export function scalarOf(
  { attributes, uid }: Pick<Model, 'attributes' | 'uid'>,
  name: string,
): ScalarAttribute {
  const attribute = attributes.get(name);
  if (attribute === undefined || !isScalar(attribute))
    throw new Error(`${uid} has no scalar attribute "${name}"`);
  return attribute;
}
