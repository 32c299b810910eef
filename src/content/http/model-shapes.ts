/**
 * Model in the format of the protocol, for other programs. Types and attributes that the caller cannot read
 * are omitted.
 */
import { decide } from '../access/decide.js';
import type { Caller } from '../access/caller.js';
import { union } from '../access/field-scope.js';
import { byKind } from '../model/by-kind.js';
import type {
  Attribute,
  Component,
  ContentType,
  EmbeddedAttribute,
  Model,
  MorphAttribute,
  RelationAttribute,
  ScalarAttribute,
  Schema,
} from '../model/model.js';
import { typeUid } from '../model/naming.js';
import { mayKnow, type Rights, rightsOf } from '../plan/rights.js';
import type { ContentLimits } from '../../kernel/settings.js';

type Shape = Readonly<Record<string, unknown>>;

interface ModelShape extends Shape {
  readonly attributes: Readonly<Record<string, Shape>>;
}

export interface TypeShape {
  readonly uid: string;
  readonly plugin?: string;
  readonly apiID: string;
  readonly schema: ModelShape;
}

export interface ComponentShape {
  readonly uid: string;
  readonly category: string;
  readonly apiId: string;
  readonly schema: ModelShape;
}

function pluginOf(uid: string): { readonly plugin?: string } {
  const [, plugin] = /^(?!api::)(?:plugin::)?([^:.]+)/.exec(uid) ?? [];
  return plugin === undefined ? {} : { plugin };
}

/** Formats `blog-post` as `Blog post`. */
export function displayName(id: string): string {
  const words = id.replace(/[-_]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const isVisible = (caller: Caller, type: ContentType): boolean =>
  (['find', 'findOne'] as const).some((action) => decide(caller, type, action) !== 'none');

interface ShapeContext {
  readonly model: Model;
  readonly rightsIn: (type: ContentType) => Rights;
  readonly rights: Rights;
}

function shownName(name: string | undefined, model: Model, rights: Rights): string | undefined {
  const attribute = model.attributes.get(name ?? '');
  return attribute !== undefined && mayKnow(rights, model, attribute) ? name : undefined;
}

const scalarShape = ({ def }: ScalarAttribute, { model, rights }: ShapeContext): Shape => {
  const {
    localized: _localized,
    searchable: _searchable,
    index: _index,
    private: _private,
    desk: _desk,
    targetField,
    ...shape
  } = def;
  const field = shownName(targetField, model, rights);
  return field === undefined ? shape : { ...shape, targetField: field };
};

const relationShape = ({ def, target, media }: RelationAttribute, { rightsIn }: ShapeContext): Shape => {
  if (media && def.type === 'media')
    return { type: 'media', multiple: def.multiple ?? false, allowedTypes: def.allowedTypes ?? [] };
  if (def.type !== 'relation') return {};
  const nameOf = (name?: string): string | undefined => shownName(name, target, rightsIn(target));
  const morphBy = 'morphBy' in def ? nameOf(def.morphBy) : undefined;
  const other =
    'morphBy' in def
      ? { ...(morphBy === undefined ? {} : { morphBy }) }
      : { targetAttribute: nameOf(def.inversedBy ?? def.mappedBy) ?? null };
  return { type: 'relation', relation: def.relation, target: typeUid(target), ...other };
};

const morphShape = (attribute: MorphAttribute, { rights }: ShapeContext): Shape => {
  const { def, targets } = attribute;
  const visible = targets.filter((type) => rights.mayEnter(attribute, type)).map(typeUid);
  return {
    type: 'relation',
    relation: def.relation,
    ...(def.targets === undefined ? {} : { targets: visible }),
  };
};

const componentShape = ({ named, many, def, components }: EmbeddedAttribute): Shape => ({
  ...(named
    ? { type: 'dynamiczone', components: components.map(({ uid }) => uid) }
    : { type: 'component', component: components[0]?.uid, repeatable: many }),
  ...(def.min === undefined ? {} : { min: def.min }),
  ...(def.max === undefined ? {} : { max: def.max }),
});

const shapeOf = byKind<Attribute, [ShapeContext], Shape>({
  scalar: scalarShape,
  relation: relationShape,
  morph: morphShape,
  component: componentShape,
  zone: componentShape,
});

/** Describes an attribute without the options that all attributes have. */
export const attributeShape = (attribute: Attribute, model: Model, reader: ModelReader): Shape =>
  shapeOf(attribute, contextOf(model, reader));

const common = ({ required, localized }: Attribute): Shape => ({
  ...(required ? { required } : {}),
  ...(localized ? { pluginOptions: { i18n: { localized } } } : {}),
});

function attributesOf(sight: ShapeContext): ModelShape['attributes'] {
  const { model, rights } = sight;
  const listed = [...model.attributes.values()].filter(
    (attribute) => !attribute.open && mayKnow(rights, model, attribute),
  );
  return Object.fromEntries(
    listed.map((attribute) => [attribute.name, { ...shapeOf(attribute, sight), ...common(attribute) }]),
  );
}

export interface ModelReader {
  readonly schema: Schema;
  readonly caller: Caller;
  readonly limits: ContentLimits;
}

function contextOf(model: Model, { caller, limits }: ModelReader): ShapeContext {
  const rightsIn = (type: ContentType): Rights => {
    const [find, findOne] = (['find', 'findOne'] as const).map((action) =>
      caller.permissions.fields(type.singularApiId, action),
    );
    const fields = type.internal ? null : union(find ?? null, findOne ?? null);
    return rightsOf(caller, { fields, published: true }, limits);
  };
  const inside = rightsOf(caller, { fields: null, published: true }, limits);
  return { model, rightsIn, rights: model.model === 'type' ? rightsIn(model) : inside };
}

function typeShape(type: ContentType, reader: ModelReader): TypeShape {
  const { singularApiId, pluralApiId, kind, draftAndPublish, localized } = type;
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
      attributes: attributesOf(contextOf(type, reader)),
      visible: !type.internal,
      restrictRelationsTo: null,
    },
  };
}

function componentShapeOf(component: Component, reader: ModelReader): ComponentShape {
  const [category = '', name = ''] = component.uid.split('.');
  return {
    uid: component.uid,
    category,
    apiId: name,
    schema: {
      displayName: displayName(name),
      description: '',
      collectionName: `components_${category}_${name}`,
      attributes: attributesOf(contextOf(component, reader)),
    },
  };
}

export const typeShapes = (reader: ModelReader): readonly TypeShape[] =>
  [...reader.schema.types.values()]
    .filter((type) => type.internal || isVisible(reader.caller, type))
    .map((type) => typeShape(type, reader));

export function componentShapes(reader: ModelReader): readonly ComponentShape[] {
  const { schema } = reader;
  const reached = new Set<string>();
  const visit = ({ attributes }: ModelShape): void => {
    const named = Object.values(attributes).flatMap(({ component, components }) =>
      [component, components].flat(),
    );
    for (const uid of named) {
      const component = typeof uid === 'string' && !reached.has(uid) ? schema.components.get(uid) : undefined;
      if (component === undefined) continue;
      reached.add(component.uid);
      visit(componentShapeOf(component, reader).schema);
    }
  };
  for (const { schema: shape } of typeShapes(reader)) visit(shape);
  return [...schema.components.values()]
    .filter(({ uid }) => reached.has(uid))
    .map((component) => componentShapeOf(component, reader));
}
