/** Types for the subset of OpenAPI 3.1 that the library generates. */

/** JSON Schema (2020-12) as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type Reference = { readonly $ref: string };

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly style?: 'form' | 'deepObject';
  readonly explode?: boolean;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: JsonSchema }>>;
  readonly schema: JsonSchema;
}

/** Schema of a body by media type. */
export type Content = Readonly<
  Record<string, { readonly schema: JsonSchema; readonly example?: JsonSchema }>
>;

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly content?: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

/** Operations by path and method. */
export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

export interface NamedParts {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly responses: Readonly<Record<string, Response>>;
}

/**
 * OpenAPI 3.1 document as plain data.
 *
 * @publicApi
 */
export interface ContentDocument {
  readonly openapi: string;
  readonly info: JsonSchema & { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Paths;
  readonly components: NamedParts & { readonly securitySchemes: Readonly<Record<string, JsonSchema>> };
}

export const json = (schema: JsonSchema, example?: JsonSchema): Content => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
});

/** Returns the alternatives of a schema that consists of `anyOf`, or the schema itself. */
const alternatives = (schema: JsonSchema): readonly JsonSchema[] =>
  Object.keys(schema).join() === 'anyOf' ? (schema['anyOf'] as readonly JsonSchema[]) : [schema];

/** Combines schemas with `anyOf`; a single one stays. */
export function anyOf(...schemas: readonly JsonSchema[]): JsonSchema {
  const all = schemas.flatMap(alternatives);
  return all.length === 1 && all[0] !== undefined ? all[0] : { anyOf: all };
}

export const NULL: JsonSchema = Object.freeze({ type: 'null' });
export const TEXT: JsonSchema = Object.freeze({ type: 'string' });
export const FLAG: JsonSchema = Object.freeze({ type: 'boolean' });
export const TIME: JsonSchema = Object.freeze({ type: 'string', format: 'date-time' });

/** Object without further members. */
export const closedObject = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({ ...open(properties, required), additionalProperties: false });

/** Object that may have further members in later versions. */
export const open = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
});

export const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
