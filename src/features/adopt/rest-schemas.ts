/** Schemas of a project, as its server shows them over REST. */
import { AdoptError } from './adopt-error.js';
import { json, type RestServer } from './rest-client.js';
import { objectOf, type SourceSchema, textOf } from './source-schema.js';
import type { StrapiObject } from './strapi-archive.js';

export interface RestTask extends RestServer {
  /** Folder of the fetched rows; a further run continues there. */
  readonly folder: string;
  /** Schemas of the project, if the server does not show them. */
  readonly schemas: readonly SourceSchema[];
  readonly say: (line: string) => void;
}

/** Rows or schemas of a response: a list, or the list or object in its `data`. */
export const listIn = (value: unknown): readonly StrapiObject[] =>
  (Array.isArray(value) ? value : [objectOf(value)['data']].flat())
    .map((one) => objectOf(one))
    .filter((one) => 'id' in one || 'uid' in one);

/** Names the other side of a relation, if the response does not say which side owns the links. */
function namedSide(place: string, { targetAttribute, ...attribute }: StrapiObject): StrapiObject {
  const other = textOf(targetAttribute);
  if ('inversedBy' in attribute || 'mappedBy' in attribute || other === '') return attribute;
  const relation = textOf(attribute['relation']);
  // Either side could own the links, and both must say the same.
  const isOwner = relation === 'manyToOne' || place <= `${textOf(attribute['target'])}.${other}`;
  return { ...attribute, [isOwner && relation !== 'oneToMany' ? 'inversedBy' : 'mappedBy']: other };
}

/** Options of a schema that responses show at the level of the schema. */
function schemaIn({ uid, schema, category }: StrapiObject): SourceSchema {
  const { displayName, singularName, pluralName, description, ...rest } = objectOf(schema);
  const { draftAndPublish, privateAttributes } = rest;
  const attributes = Object.entries(objectOf(rest['attributes'])).map(([name, one]): [string, unknown] => [
    name,
    namedSide(`${textOf(uid)}.${name}`, objectOf(one)),
  ]);
  return {
    uid: textOf(uid),
    file: 'content-type-builder',
    schema: {
      kind: rest['kind'],
      info: { displayName, singularName, pluralName, description },
      options: { draftAndPublish: draftAndPublish === true, privateAttributes },
      pluginOptions: objectOf(rest['pluginOptions']),
      attributes: Object.fromEntries(attributes),
      ...(category === undefined ? {} : { category }),
    },
  };
}

/** Returns the schemas of the task, or those that the server shows. Throws an AdoptError for none. */
export async function schemasOf(task: RestTask): Promise<readonly SourceSchema[]> {
  if (task.schemas.length > 0) return task.schemas;
  const found: SourceSchema[] = [];
  for (const kind of ['content-types', 'components']) {
    const shown = await json(task, `/api/content-type-builder/${kind}`);
    found.push(...listIn(shown).map(schemaIn));
  }
  if (found.length === 0)
    throw new AdoptError(
      `${task.url} does not show its schemas: name the folder of the project with --project`,
    );
  return found;
}
