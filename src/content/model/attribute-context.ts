import type {
  AttributeDefinition,
  AttributeDefinitions,
  ComponentDefinition,
  ContentTypeDefinition,
} from './definitions.js';

export interface AttributeContext {
  readonly types: ReadonlyMap<string, ContentTypeDefinition>;
  readonly components: ReadonlyMap<string, ComponentDefinition>;
  readonly name: string;
  readonly attributes: AttributeDefinitions;
  readonly type: ContentTypeDefinition | undefined;
}

export const attributeOf = (
  attributes: AttributeDefinitions,
  key: string,
): AttributeDefinition | undefined => (Object.hasOwn(attributes, key) ? attributes[key] : undefined);
