/** Types in which custom fields are stored, from the declarations that Strapi generates for a project. */
import type { ScalarTypeName } from '../../content/model/definitions.js';
import { isScalarType } from '../../content/model/scalar-types.js';
import { isObject } from '../../kernel/json.js';
import { objectOf, type SourceSchema, textOf } from './source-schema.js';

const GENERATED = /(?:^|\/)types\/generated\/\w+\.d\.ts$/;

/** Type of an attribute, in the spellings of all releases; or the custom field of the same attribute. */
const TOKEN = /:\s*(?:Schema\.)?Attribute\.(\w+)|:\s*(\w+)Attribute\b|\bCustomField<\s*['"]([^'"]+)['"]/g;

/** Whether a file has the generated declarations of a project. */
export const isGenerated = (file: string): boolean => GENERATED.test(file);

/** Returns the stored types of the custom fields in generated declarations. */
export function storedTypes(declarations: string): ReadonlyMap<string, ScalarTypeName> {
  const found = new Map<string, ScalarTypeName>();
  let type = '';
  for (const [, named, spelled, field] of declarations.matchAll(TOKEN)) {
    if (field === undefined) type = (named ?? spelled ?? '').toLowerCase();
    else if (isScalarType(type)) found.set(field, type);
  }
  return found;
}

/** Returns schemas whose custom fields have their stored types, as the schemas of archives do. */
export function withStoredTypes(
  schemas: readonly SourceSchema[],
  types: ReadonlyMap<string, ScalarTypeName>,
): SourceSchema[] {
  return schemas.map((one) => {
    const attributes = Object.entries(objectOf(one.schema['attributes'])).map(([name, attribute]) => {
      const field = isObject(attribute) ? attribute : {};
      const type = field['type'] === 'customField' ? types.get(textOf(field['customField'])) : undefined;
      return [name, type === undefined ? attribute : { ...field, type }] as const;
    });
    if (attributes.length === 0) return one;
    return { ...one, schema: { ...one.schema, attributes: Object.fromEntries(attributes) } };
  });
}
