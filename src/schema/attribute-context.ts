import type {
  AttributeDefinition,
  AttributeDefinitions,
  ComponentDefinition,
  ContentTypeDefinition,
} from './definitions.js';

/** Where an attribute stands: the model around it, and the definition that it belongs to. */
export interface AttributeContext {
  readonly types: ReadonlyMap<string, ContentTypeDefinition>;
  readonly components: ReadonlyMap<string, ComponentDefinition>;
  readonly name: string;
  readonly attributes: AttributeDefinitions;
  readonly type: ContentTypeDefinition | undefined;
}

/** An attribute that a definition has of its own. */
export const attributeOf = (
  attributes: AttributeDefinitions,
  key: string,
): AttributeDefinition | undefined => (Object.hasOwn(attributes, key) ? attributes[key] : undefined);
