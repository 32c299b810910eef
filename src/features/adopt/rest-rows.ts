/** Rows of REST responses as entities and links of an archive. */
import { isObject } from '../../kernel/json.js';
import { isPrivate } from './attribute-of.js';
import { FILE_UID } from './names.js';
import type { Models } from './relations-of.js';
import { objectOf, type SourceModel, textOf } from './source-schema.js';
import { isOfFiles } from './source-types.js';
import type { StrapiObject } from './strapi-archive.js';

export interface RestRows {
  readonly entities: StrapiObject[];
  readonly links: StrapiObject[];
}

/** Maximum depth of components in components. */
const MAX_DEPTH = 8;

const listOf = (value: unknown): readonly StrapiObject[] =>
  [value]
    .flat()
    .filter((one) => isObject(one))
    .map((one) => flat(one));

/** Returns a document with its attributes at the same level, as Strapi 5 does. */
function flat(value: StrapiObject): StrapiObject {
  if ('data' in value && !('id' in value)) return flat(objectOf(value['data']));
  const { attributes, ...rest } = value;
  return isObject(attributes) ? { ...rest, ...attributes } : value;
}

/** Values of a relation: Strapi 4 wraps them in `data`. */
const targetsIn = (value: unknown): readonly StrapiObject[] =>
  listOf(isObject(value) && 'data' in value && !('id' in value) ? value['data'] : value);

interface Level {
  readonly prefix: string;
  readonly depth: number;
}

interface Populating {
  readonly models: Models;
  readonly isOld: boolean;
}

/** Whether the attribute shows links that another type owns, in its own order. */
const isInverseList = (attribute: StrapiObject): boolean =>
  textOf(attribute['mappedBy']) !== '' &&
  /ToMany$/.test(textOf(attribute['relation'])) &&
  !isOfFiles(attribute);

/** Attributes of a type or component, by whether responses hide them. */
export const attributesOf = (
  model: SourceModel | undefined,
  isHidden: boolean,
): readonly (readonly [name: string, attribute: StrapiObject])[] =>
  model === undefined
    ? []
    : Object.entries(model.attributes).filter(
        ([name, attribute]) => isPrivate({ model, name, attribute }) === isHidden,
      );

/** Names of the attributes that show links of the other side in their own order. */
export const inverseListsOf = (uid: string, models: Models): readonly string[] =>
  attributesOf(models.get(uid), false).flatMap(([name, attribute]) =>
    isInverseList(attribute) ? [name] : [],
  );

/** Whether Strapi 4 responds to a request for the relation with 500. */
export const isBroken = (attribute: StrapiObject): boolean => attribute['relation'] === 'morphToOne';

/**
 * Returns `populate` parameters for everything in a type: components, media and relations. They omit private
 * attributes, which Strapi 5 refuses, and what Strapi 4 cannot show.
 */
export function populateOf(
  uid: string,
  populating: Populating,
  { prefix, depth }: Level = { prefix: 'populate', depth: 0 },
): readonly string[] {
  if (depth > MAX_DEPTH) return [];
  const { models, isOld } = populating;
  const inner = (component: string, place: string): readonly string[] => {
    const found = populateOf(component, populating, { prefix: `${place}[populate]`, depth: depth + 1 });
    return found.length === 0 ? [`${place}=true`] : found;
  };
  return attributesOf(models.get(uid), false).flatMap(([name, attribute]) => {
    if (isOld && isBroken(attribute)) return [];
    const at = `${prefix}[${name}]`;
    const type = textOf(attribute['type']);
    if (type === 'media' || type === 'relation') return [`${at}=true`];
    if (type === 'component') return inner(textOf(attribute['component']), at);
    const given = type === 'dynamiczone' ? attribute['components'] : [];
    const components = Array.isArray(given) ? given.map(String) : [];
    return components.flatMap((component) => inner(component, `${at}[on][${component}]`));
  });
}

export class RowReader {
  readonly rows: RestRows = { entities: [], links: [] };

  constructor(private readonly models: Models) {}

  /** Adds a document of a response. */
  add(uid: string, document: StrapiObject): void {
    const row = flat(document);
    const id = Number(row['id']);
    this.rows.entities.push({ type: uid, id, data: this.values(uid, row, id) });
    const others = targetsIn(row['localizations']);
    if (textOf(row['documentId']) === '')
      for (const other of others)
        this.rows.links.push({
          kind: 'relation.circular',
          relation: 'oneToMany',
          left: { type: uid, ref: id, field: 'localizations' },
          right: { type: uid, ref: Number(other['id']) },
        });
  }

  /** Adds only the order of links that the other side owns. */
  addInverse(uid: string, document: StrapiObject): void {
    const row = flat(document);
    for (const name of inverseListsOf(uid, this.models))
      this.inverse([uid, Number(row['id']), name], row[name]);
  }

  private values(uid: string, row: StrapiObject, id: number): StrapiObject {
    const { localizations: _others, createdBy: _by, updatedBy: _up, ...rest } = row;
    const values: Record<string, unknown> = { ...rest };
    for (const [name, attribute] of Object.entries(this.models.get(uid)?.attributes ?? {})) {
      const type = textOf(attribute['type']);
      if (type === 'media') this.files([uid, id, name], row[name]);
      else if (type === 'relation') this.relation([uid, id, name], attribute, row[name]);
      else {
        if (type === 'component' || type === 'dynamiczone')
          values[name] = this.instances(attribute, row[name]);
        continue;
      }
      delete values[name];
    }
    return values;
  }

  private instances(attribute: StrapiObject, value: unknown): unknown {
    const one = (item: unknown): unknown => {
      const instance = objectOf(item);
      const uid = textOf(attribute['component']) || textOf(instance['__component']);
      return isObject(item) ? this.values(uid, instance, Number(instance['id'])) : null;
    };
    return Array.isArray(value) ? value.map(one) : one(value);
  }

  private files([type, ref, field]: readonly [string, number, string], value: unknown): void {
    targetsIn(value).forEach((file, index) =>
      this.rows.links.push({
        kind: 'relation.morph',
        relation: 'morphToMany',
        left: { type: FILE_UID, ref: Number(file['id']), field: 'related' },
        right: { type, ref, field, pos: index + 1 },
      }),
    );
  }

  private relation(
    [type, ref, field]: readonly [string, number, string],
    attribute: StrapiObject,
    value: unknown,
  ): void {
    if (isInverseList(attribute)) this.inverse([type, ref, field], value);
    // The owning side lists the links; the other side only repeats them. Files own none here.
    const isInverse = textOf(attribute['mappedBy']) !== '' || textOf(attribute['morphBy']) !== '';
    if (isInverse && !isOfFiles(attribute)) return;
    targetsIn(value).forEach((target, index) => {
      const uid = textOf(attribute['target']) || textOf(target['__type']);
      this.rows.links.push({
        kind: uid === type ? 'relation.circular' : 'relation.basic',
        relation: attribute['relation'],
        left: { type, ref, field, pos: index + 1 },
        right: { type: uid, ref: textOf(target['documentId']) || Number(target['id']) },
      });
    });
  }

  /** Adds links from their inverse side, which gives their order there. They name rows of the owner. */
  private inverse([type, ref, field]: readonly [string, number, string], value: unknown): void {
    const attribute = objectOf(this.models.get(type)?.attributes[field]);
    const owner = textOf(attribute['target']);
    targetsIn(value).forEach((row, index) =>
      this.rows.links.push({
        kind: owner === type ? 'relation.circular' : 'relation.basic',
        relation: attribute['relation'],
        left: { type, ref, field, pos: index + 1 },
        right: { type: owner, ref: Number(row['id']) },
      }),
    );
  }
}
