/**
 * The model in the shape that other programs of the protocol read it in, as far as a caller may read content:
 * types and attributes that they cannot see are not in it.
 */
import { decide } from '../access/decide.js';
import type { Caller } from '../access/caller.js';
import { union } from '../access/permissions.js';
import { byKind } from '../schema/by-kind.js';
import type {
  Attribute,
  Component,
  ContentType,
  EmbeddedAttribute,
  MorphAttribute,
  RelationAttribute,
  ScalarAttribute,
  Schema,
} from '../schema/model.js';
import { typeUid } from '../schema/naming.js';

type Shape = Readonly<Record<string, unknown>>;

/** A content type, as `GET …/content-types` lists it. */
export interface TypeShape {
  readonly uid: string;
  readonly plugin?: string;
  readonly apiID: string;
  readonly schema: Shape;
}

/** A component, as `GET …/components` lists it. */
export interface ComponentShape {
  readonly uid: string;
  readonly category: string;
  readonly apiId: string;
  readonly schema: Shape;
}

/** The plugin that a uid begins with, where it does. */
function pluginOf(uid: string): { readonly plugin?: string } {
  const [, plugin] = /^plugin::([^.]+)/.exec(uid) ?? [];
  return plugin === undefined ? {} : { plugin };
}

/** `blog-post` as `Blog post`. */
function displayName(id: string): string {
  const words = id.replace(/[-_]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Whether any document of a type, or only its owner's, may be read. */
const isSeen = (caller: Caller, type: ContentType): boolean =>
  (['find', 'findOne'] as const).some((action) => decide(caller, type, action) !== 'none');

/** Whether what a relation leads to is shown: files always, other types with `find` on all. */
const mayEnter =
  (caller: Caller) =>
  (type: ContentType): boolean =>
    type.internal || decide(caller, type, 'find') === 'all';

/** What is stored how, and how it may be searched, is the application's own affair. */
const scalarShape = ({ def }: ScalarAttribute): Shape => {
  const { localized: _localized, searchable: _searchable, index: _index, private: _private, ...shape } = def;
  return shape;
};

const relationShape = ({ def, target, media }: RelationAttribute): Shape => {
  if (media && def.type === 'media')
    return { type: 'media', multiple: def.multiple ?? false, allowedTypes: def.allowedTypes ?? [] };
  if (def.type !== 'relation') return {};
  const other =
    'morphBy' in def ? { morphBy: def.morphBy } : { targetAttribute: def.inversedBy ?? def.mappedBy ?? null };
  return { type: 'relation', relation: def.relation, target: typeUid(target), ...other };
};

const morphShape = ({ def, targets }: MorphAttribute, seen: (type: ContentType) => boolean): Shape => ({
  type: 'relation',
  relation: def.relation,
  ...(def.targets === undefined ? {} : { targets: targets.filter(seen).map(typeUid) }),
});

const componentShape = ({ named, many, def, components }: EmbeddedAttribute): Shape => ({
  ...(named
    ? { type: 'dynamiczone', components: components.map(({ uid }) => uid) }
    : { type: 'component', component: components[0]?.uid, repeatable: many }),
  ...(def.min === undefined ? {} : { min: def.min }),
  ...(def.max === undefined ? {} : { max: def.max }),
});

const shapeOf = byKind<Attribute, [(type: ContentType) => boolean], Shape>({
  scalar: scalarShape,
  relation: relationShape,
  morph: morphShape,
  component: componentShape,
  zone: componentShape,
});

/** What is said of attributes of every type. */
const common = ({ required, localized }: Attribute): Shape => ({
  ...(required ? { required } : {}),
  ...(localized ? { pluginOptions: { i18n: { localized } } } : {}),
});

/** The attributes that a caller sees: none of the hidden, and no relation to what they cannot find. */
function attributesOf(
  attributes: Iterable<Attribute>,
  caller: Caller,
  shows: (attribute: Attribute) => boolean,
): Shape {
  const seen = mayEnter(caller);
  const leads = (attribute: Attribute): boolean => !attribute.linked || attribute.targets.some(seen);
  const listed = [...attributes].filter(
    (attribute) =>
      !attribute.open && !attribute.hidden && !attribute.private && leads(attribute) && shows(attribute),
  );
  return Object.fromEntries(
    listed.map((attribute) => [attribute.name, { ...shapeOf(attribute, seen), ...common(attribute) }]),
  );
}

function typeShape(type: ContentType, caller: Caller): TypeShape {
  const { singularApiId, pluralApiId, kind, draftAndPublish, localized } = type;
  const { permissions } = caller;
  const fields = union(
    permissions.fields(singularApiId, 'find'),
    permissions.fields(singularApiId, 'findOne'),
  );
  const isWhole = type.internal || fields === null;
  return {
    uid: typeUid(type),
    ...pluginOf(typeUid(type)),
    apiID: singularApiId,
    schema: {
      displayName: displayName(singularApiId),
      singularName: singularApiId,
      pluralName: pluralApiId,
      description: '',
      draftAndPublish,
      kind,
      collectionName: pluralApiId,
      ...(localized ? { pluginOptions: { i18n: { localized } } } : {}),
      attributes: attributesOf(type.attributes.values(), caller, ({ name }) => isWhole || fields.has(name)),
      visible: !type.internal,
      restrictRelationsTo: null,
    },
  };
}

function componentShapeOf(component: Component, caller: Caller): ComponentShape {
  const [category = '', name = ''] = component.uid.split('.');
  return {
    uid: component.uid,
    category,
    apiId: name,
    schema: {
      displayName: displayName(name),
      description: '',
      collectionName: `components_${category}_${name}`,
      attributes: attributesOf(component.attributes.values(), caller, () => true),
    },
  };
}

/** The types that a caller can read, and the type of files. */
export const typeShapes = (schema: Schema, caller: Caller): readonly TypeShape[] =>
  [...schema.types.values()]
    .filter((type) => type.internal || isSeen(caller, type))
    .map((type) => typeShape(type, caller));

/** The components of what a caller can read, those in components included. */
export function componentShapes(schema: Schema, caller: Caller): readonly ComponentShape[] {
  const reached = new Set<string>();
  const visit = (shape: Shape): void => {
    const attributes = Object.values((shape['attributes'] ?? {}) as Readonly<Record<string, Shape>>);
    const named = attributes.flatMap(({ component, components }) => [component, components].flat());
    for (const uid of named) {
      const component = typeof uid === 'string' && !reached.has(uid) ? schema.components.get(uid) : undefined;
      if (component === undefined) continue;
      reached.add(component.uid);
      visit(componentShapeOf(component, caller).schema);
    }
  };
  for (const { schema: shape } of typeShapes(schema, caller)) visit(shape);
  return [...schema.components.values()]
    .filter(({ uid }) => reached.has(uid))
    .map((component) => componentShapeOf(component, caller));
}
