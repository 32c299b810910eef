/** What bodies may hold: the attributes that a caller may write, and the ways to name documents. */
import type { Action } from '../access/permissions.js';
import { type LinkRight, writeRightsOf, type WriteRights } from '../plan/rights.js';
import { byKind } from '../schema/by-kind.js';
import type {
  Attribute,
  Component,
  ContentType,
  EmbeddedAttribute,
  LinkedAttribute,
  Model,
} from '../schema/model.js';
import { COMPONENT, TYPE, typeUid } from '../schema/naming.js';
import { TIME_OF } from '../schema/schedule.js';
import type { Describing } from './describing.js';
import { anyOf, closed, type JsonSchema, list, NULL, type Reference } from './document.js';
import { inputOf } from './scalars.js';
import { nameOf } from './view.js';

type Members = Readonly<Record<string, JsonSchema>>;

/** With whose rights attributes are written. */
interface Writing {
  readonly rights: WriteRights;
  readonly describing: Describing;
}

/** The types that a relation may be linked to. */
function linkable(attribute: LinkedAttribute, { links }: WriteRights): Pick<LinkRight, 'types' | 'rows'> {
  const right = links(attribute, false);
  return 'types' in right ? right : { types: [], rows: 'none' };
}

/** The attributes of a model that a body may name. */
const writableOf = (model: Model, { rights }: Writing): Attribute[] =>
  [...model.attributes.values()].filter(
    (attribute) =>
      attribute.writable &&
      (model.model === 'component' || rights.mayWrite(attribute)) &&
      (!attribute.linked || linkable(attribute, rights).types.length > 0),
  );

const TEXT: JsonSchema = { type: 'string' };
const ROW_ID: JsonSchema = { type: 'integer' };

/** How a body names documents of a relation: with a `__type` or without one, and whether by row ids, too. */
interface Naming {
  readonly type: JsonSchema | null;
  readonly byRow: boolean;
}

const bareIds = (byRow: boolean): JsonSchema[] => (byRow ? [TEXT, ROW_ID] : [TEXT]);

/** Ways to name a document: its id, the id of its row, or an object with either (protocol 11.1). */
function documentSchemas({ type, byRow }: Naming, more: Members = {}): JsonSchema[] {
  const kind: Members = type === null ? {} : { [TYPE]: type };
  const members = { ...kind, ...more };
  const required = Object.keys(kind);
  const objects = [
    closed({ documentId: TEXT, ...members }, ['documentId', ...required]),
    ...(byRow ? [closed({ id: ROW_ID, ...members }, ['id', ...required])] : []),
  ];
  // A bare id does not say of which type it is (11.30).
  return type === null ? [...bareIds(byRow), ...objects] : objects;
}

/** Where a connected document goes (protocol 11.11). */
function positionSchema({ type, byRow }: Naming): JsonSchema {
  const anchor = anyOf(...bareIds(byRow));
  const kind: Members = type === null ? {} : { [TYPE]: type };
  return closed({
    before: anchor,
    after: anchor,
    start: { type: 'boolean' },
    end: { type: 'boolean' },
    ...kind,
  });
}

/** Names of more types than that would be none. */
const MANY = 3;

/** A relation in a body: what it is set to, or what is connected and disconnected (protocol section 11). */
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
    const change = closed({
      set: list(document),
      connect: list(positioned),
      disconnect: list(document),
      options: closed({ strict: { type: 'boolean' } }),
    });
    return anyOf(NULL, ...(many ? [list(document)] : documentSchemas(naming)), change);
  });
}

/** An instance in a body: with its id it is changed, without one it is new (protocol 12.7). */
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
    return closed({ ...kind, ...id, ...valuesOf(members, writing) }, Object.keys(kind));
  });
}

function embedded(attribute: EmbeddedAttribute, writing: Writing): JsonSchema {
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

const linked = (attribute: LinkedAttribute, { rights, describing }: Writing): JsonSchema =>
  linksSchema(attribute, linkable(attribute, rights), describing);

const sentAs = byKind<Attribute, [Writing], JsonSchema>({
  scalar: (attribute, { describing }) => inputOf(attribute, describing.components),
  relation: linked,
  morph: linked,
  component: embedded,
  zone: embedded,
});

const valuesOf = (attributes: readonly Attribute[], writing: Writing): Members =>
  Object.fromEntries(attributes.map((attribute) => [attribute.name, sentAs(attribute, writing)]));

/** What a new document cannot do without. A draft can do without anything. */
function neededOf(type: ContentType, attributes: readonly Attribute[]): string[] {
  if (type.draftAndPublish) return [];
  return attributes
    .filter(
      ({ required, linked: isLink, def }) =>
        required && !isLink && !('default' in def) && !('generate' in def),
    )
    .map(({ name }) => name);
}

/** Beside `data` nothing means anything; whether it is refused is a setting. */
const bodyOf = (data: JsonSchema, { settings }: Describing): JsonSchema =>
  settings.strictParams
    ? closed({ data }, ['data'])
    : { type: 'object', properties: { data }, required: ['data'] };

type Write = Extract<Action, 'create' | 'update'>;

/** What a create or an update says of a document. */
export function writeData(type: ContentType, action: Write, describing: Describing): Reference {
  const rights = writeRightsOf(describing.caller, { type, action, published: true });
  const writing = { rights, describing };
  const attributes = writableOf(type, writing);
  const needed = action === 'create' ? neededOf(type, attributes) : [];
  const names = attributes.map(({ name }) => name);
  const part = {
    key: JSON.stringify([type.singularApiId, 'body', names, needed]),
    name: action === 'create' ? `New${nameOf(type)}` : `${nameOf(type)}Changes`,
  };
  return describing.components.ref('schemas', part, () => closed(valuesOf(attributes, writing), needed));
}

/** The body of a create or an update. */
export const writeBody = (type: ContentType, action: Write, describing: Describing): JsonSchema =>
  bodyOf(writeData(type, action, describing), describing);

const TIME = { anyOf: [{ type: 'string', format: 'date-time' }, NULL] };

/** The body of a schedule (protocol 8.26). */
export const scheduleBody = (describing: Describing): JsonSchema =>
  bodyOf(closed(Object.fromEntries(Object.values(TIME_OF).map((name) => [name, TIME]))), describing);
