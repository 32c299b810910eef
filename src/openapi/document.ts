/** What a description of the API is made of: an OpenAPI 3.1 document as plain data, as far as it is used. */

/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A name for a part that stands elsewhere in the document. */
export type Reference = { readonly $ref: string };

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly style?: 'form' | 'deepObject';
  readonly explode?: boolean;
  readonly example?: JsonSchema;
  readonly schema: JsonSchema;
}

/** A body, or what an answer holds, by its media type. */
export type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly content?: Content;
}

/** One method of one path. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

/** The methods of the paths, by the path as it is asked for. */
export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** Parts that are named once and used everywhere. */
export interface NamedParts {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly responses: Readonly<Record<string, Response>>;
}

/**
 * A description of the API: an OpenAPI 3.1 document, plain data that `JSON.stringify` prints.
 *
 * @publicApi
 */
export interface ContentDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Paths;
  readonly components: NamedParts & { readonly securitySchemes: Readonly<Record<string, JsonSchema>> };
}

/** JSON, as all bodies and answers are. */
export const json = (schema: JsonSchema): Content => ({ 'application/json': { schema } });

/** The alternatives of a schema that is nothing but alternatives; of others themselves. */
const alternatives = (schema: JsonSchema): readonly JsonSchema[] =>
  Object.keys(schema).join() === 'anyOf' ? (schema['anyOf'] as readonly JsonSchema[]) : [schema];

/** Any of several schemas; the one, where there are no others. */
export function anyOf(...schemas: readonly JsonSchema[]): JsonSchema {
  const all = schemas.flatMap(alternatives);
  return all.length === 1 && all[0] !== undefined ? all[0] : { anyOf: all };
}

export const NULL: JsonSchema = Object.freeze({ type: 'null' });

/** An object of these members and no others. */
export const closed = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({ ...open(properties, required), additionalProperties: false });

/** An object of these members, which may get others later. */
export const open = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
});

export const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
