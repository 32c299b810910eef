/** Schemas of bodies: the writable attributes, and the ways to reference documents. */
import type { Action } from '../access/actions.js';
import { type LinkRight, writeRightsOf, type WriteRights } from '../plan/write-rights.js';
import { byKind } from '../model/by-kind.js';
import type {
  Attribute,
  Component,
  ContentType,
  EmbeddedAttribute,
  LinkedAttribute,
  Model,
} from '../model/model.js';
import { COMPONENT, TYPE, typeUid } from '../model/naming.js';
import { TIME_OF } from '../model/schedule.js';
import type { Describing } from './describing.js';
import { anyOf, closedObject, type JsonSchema, list, NULL, type Reference, TEXT } from './document.js';
import { inputOf } from './scalars.js';
import { nameOf } from './view.js';

type Members = Readonly<Record<string, JsonSchema>>;

interface Writing {
  readonly rights: WriteRights;
  readonly describing: Describing;
}

/** Types whose documents a body may reference in a relation. */
export function linkable(
  attribute: LinkedAttribute,
  { links }: Pick<WriteRights, 'links'>,
): Pick<LinkRight, 'types' | 'rows'> {
  const right = links(attribute, false);
  return 'types' in right ? right : { types: [], rows: 'none' };
}

/** Attributes that a body may contain. */
export const writableOf = (model: Model, { rights }: Pick<Writing, 'rights'>): Attribute[] =>
  [...model.attributes.values()].filter(
    (attribute) =>
      attribute.writable &&
      (model.model === 'component' || rights.mayWrite(attribute)) &&
      (!attribute.linked || linkable(attribute, rights).types.length > 0),
  );

const ROW_ID: JsonSchema = { type: 'integer' };

/** Form of references in a relation: with or without `__type`, and whether row ids are accepted. */
interface Naming {
  readonly type: JsonSchema | null;
  readonly byRow: boolean;
}

const bareIds = (byRow: boolean): JsonSchema[] => (byRow ? [TEXT, ROW_ID] : [TEXT]);

/** Returns the ways to reference a document: its id, its row id, or an object with either (protocol 11.1). */
function documentSchemas({ type, byRow }: Naming, more: Members = {}): JsonSchema[] {
  const kind: Members = type === null ? {} : { [TYPE]: type };
  const members = { ...kind, ...more };
  const required = Object.keys(kind);
  const objects = [
    closedObject({ documentId: TEXT, ...members }, ['documentId', ...required]),
    ...(byRow ? [closedObject({ id: ROW_ID, ...members }, ['id', ...required])] : []),
  ];
  // A bare id lacks the type (11.30).
  return type === null ? [...bareIds(byRow), ...objects] : objects;
}

/** Position of a connected document (protocol 11.11). */
function positionSchema({ type, byRow }: Naming): JsonSchema {
  const anchor = anyOf(...bareIds(byRow));
  const kind: Members = type === null ? {} : { [TYPE]: type };
  return closedObject({
    before: anchor,
    after: anchor,
    start: { type: 'boolean' },
    end: { type: 'boolean' },
    ...kind,
  });
}

/** Largest number of types that are part of a schema's name. */
const MANY = 3;

/** Relation in a body: a new list, or documents to connect and disconnect (protocol section 11). */
function linksSchema(
  { many, named }: LinkedAttribute,
  { types, rows }: Pick<LinkRight, 'types' | 'rows'>,
  describing: Describing,
): Reference {
  const uids = types.map(typeUid);
  const naming: Naming = { type: named ? { type: 'string', enum: uids } : null, byRow: rows === 'all' };
  const about = `${many ? 'ManyLinks' : 'Link'}${naming.byRow ? '' : 'ByDocumentId'}`;
  const part = {
    key: `${about} ${named ? uids.join(' ') : ''}`,
    name: named ? `${types.length > MANY ? 'Any' : types.map(nameOf).join('Or')}${about}` : about,
  };
  return describing.components.ref('schemas', part, () => {
    const document = anyOf(...documentSchemas(naming));
    const positioned = anyOf(...documentSchemas(naming, { position: positionSchema(naming) }));
    const change = closedObject({
      set: list(document),
      connect: list(positioned),
      disconnect: list(document),
      options: closedObject({ strict: { type: 'boolean' } }),
    });
    return anyOf(NULL, ...(many ? [list(document)] : documentSchemas(naming)), change);
  });
}

/** Component instance in a body: its id selects a stored one, without id it is new (protocol 12.7). */
function instanceSchema(component: Component, named: boolean, writing: Writing): Reference {
  const about = named ? 'ItemInput' : 'Input';
  const { components } = writing.describing;
  const members = writableOf(component, writing);
  const part = {
    key: JSON.stringify([component.uid, about, members.map(({ name }) => name)]),
    name: `${nameOf(component)}${about}`,
  };
  return components.ref('schemas', part, () => {
    const kind: Members = named ? { [COMPONENT]: { const: component.uid } } : {};
    const id = { id: { type: ['integer', 'string'] }, documentId: TEXT };
    return closedObject({ ...kind, ...id, ...valuesOf(members, writing) }, Object.keys(kind));
  });
}

function embeddedInput(attribute: EmbeddedAttribute, writing: Writing): JsonSchema {
  const items = attribute.components.map((one) => instanceSchema(one, attribute.named, writing));
  const { min, max } =
    attribute.def.type === 'component' || attribute.def.type === 'dynamiczone' ? attribute.def : {};
  if (!attribute.many) return anyOf(anyOf(...items), NULL);
  return {
    ...list(anyOf(...items)),
    ...(min === undefined || !attribute.required ? {} : { minItems: min }),
    ...(max === undefined ? {} : { maxItems: max }),
  };
}

const linkedInput = (attribute: LinkedAttribute, { rights, describing }: Writing): JsonSchema =>
  linksSchema(attribute, linkable(attribute, rights), describing);

const sentAs = byKind<Attribute, [Writing], JsonSchema>({
  scalar: (attribute, { describing }) => inputOf(attribute, describing.components),
  relation: linkedInput,
  morph: linkedInput,
  component: embeddedInput,
  zone: embeddedInput,
});

const valuesOf = (attributes: readonly Attribute[], writing: Writing): Members =>
  Object.fromEntries(attributes.map((attribute) => [attribute.name, sentAs(attribute, writing)]));

/** Returns the attributes that a create requires; a draft requires none. */
function neededOf(type: ContentType, attributes: readonly Attribute[]): string[] {
  if (type.draftAndPublish) return [];
  return attributes
    .filter(
      ({ required, linked: isLink, def }) =>
        required && !isLink && !('default' in def) && !('generate' in def),
    )
    .map(({ name }) => name);
}

/** Members other than `data` are ignored, or refused with `strictParams`. */
const bodyOf = (data: JsonSchema, { settings }: Describing): JsonSchema =>
  settings.strictParams
    ? closedObject({ data }, ['data'])
    : { type: 'object', properties: { data }, required: ['data'] };

type Write = Extract<Action, 'create' | 'update'>;

const writingOf = (type: ContentType, action: Write, describing: Describing): Writing => ({
  rights: writeRightsOf(describing.caller, { type, action, published: true }),
  describing,
});

/** Attributes that the caller may send in a body. */
export const sentAttributes = (type: ContentType, action: Write, describing: Describing): Attribute[] =>
  writableOf(type, writingOf(type, action, describing));

export function writeData(type: ContentType, action: Write, describing: Describing): Reference {
  const writing = writingOf(type, action, describing);
  const attributes = writableOf(type, writing);
  const needed = action === 'create' ? neededOf(type, attributes) : [];
  const names = attributes.map(({ name }) => name);
  const part = {
    key: JSON.stringify([type.singularApiId, 'body', names, needed]),
    name: action === 'create' ? `New${nameOf(type)}` : `${nameOf(type)}Changes`,
  };
  return describing.components.ref('schemas', part, () =>
    closedObject(valuesOf(attributes, writing), needed),
  );
}

export const writeBody = (type: ContentType, action: Write, describing: Describing): JsonSchema =>
  bodyOf(writeData(type, action, describing), describing);

const TIME = { anyOf: [{ type: 'string', format: 'date-time' }, NULL] };

/** Body of a schedule (protocol 8.26). */
export const scheduleBody = (describing: Describing): JsonSchema =>
  bodyOf(closedObject(Object.fromEntries(Object.values(TIME_OF).map((name) => [name, TIME]))), describing);
