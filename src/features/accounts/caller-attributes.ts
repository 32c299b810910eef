import type { Attribute, ContentType } from '../../content/model/model.js';
import { USER_ATTRIBUTES } from './account-types.js';

/** Types with short values. Each request loads them. */
const SHORT = [
  'string',
  'email',
  'uid',
  'enumeration',
  'integer',
  'biginteger',
  'decimal',
  'float',
  'boolean',
];

const isUsed = (attribute: Attribute, { storage }: ContentType): boolean => {
  if (attribute.system || Object.hasOwn(USER_ATTRIBUTES, attribute.name)) return false;
  if (!attribute.linked) return SHORT.includes(attribute.def.type);
  return !attribute.media && !attribute.polymorphic && storage.columnOf.has(attribute.name);
};

/**
 * Returns the names of the attributes that `userTypes` adds and that conditions of grants can use: short
 * values, and relations to one document.
 */
export const callerAttributes = (type: ContentType): readonly string[] =>
  [...type.attributes.values()].filter((one) => isUsed(one, type)).map(({ name }) => name);
