/** Definitions of content types and components, from the schemas of a Strapi project. */
import type {
  AttributeDefinition,
  AttributeDefinitions,
  ComponentDefinition,
  ContentTypeDefinition,
} from '../../content/model/definitions.js';
import { isObject, isShape, isText, type Test } from '../../kernel/json.js';
import { attributeOf } from './attribute-of.js';
import type { AttributeReading, Plain } from './attribute-options.js';
import { reportInternalTypes } from './internal-types.js';
import { type Layouts, layoutOf } from './layouts.js';
import { type Names, namesOf, OF_BOTH_USERS, USER_UID } from './names.js';
import { type Models, relationOf, withOneOwner } from './relations-of.js';
import { type Fate, type Remark, Remarks } from './remark.js';
import { type Definitions, soundDefinitions } from './sound-definitions.js';
import {
  hasDrafts,
  isLocalized,
  objectOf,
  privateAttributes,
  type SourceModel,
  sourceModel,
  type SourceSchema,
  textOf,
} from './source-schema.js';

export interface Adopted extends Definitions {
  readonly remarks: readonly Remark[];
  /** Names here, by uid of the source. */
  readonly names: Names;
  readonly models: Models;
}

/** Authors, whom no response of Strapi or of this library shows by default, under both of their names. */
const AUTHORS: readonly string[] = ['createdBy', 'updatedBy', 'created_by', 'updated_by'];

/** Plugins that Strapi itself provides. */
const PLUGINS = [
  ...['upload', 'users-permissions', 'i18n', 'content-releases', 'review-workflows', 'content-manager'],
  ...['email', 'documentation', 'cloud', 'content-type-builder', 'graphql', 'sentry', 'data-transfer'],
];

/** Types of Strapi itself: their rows are not content, or have another place here. */
const INTERNAL = new RegExp(`^(admin|strapi)::|^plugin::(${PLUGINS.join('|')})\\.`);

const isContent = ({ uid }: SourceModel): boolean => !INTERNAL.test(uid);

const isAttribute: Test<AttributeDefinition> = (value): value is AttributeDefinition =>
  isShape({ type: isText })(value);
const isType: Test<ContentTypeDefinition> = (value): value is ContentTypeDefinition =>
  isShape({ kind: isText, singularApiId: isText })(value);
const isComponent: Test<ComponentDefinition> = (value): value is ComponentDefinition =>
  isShape({ uid: isText })(value);

interface DefinitionContext {
  readonly models: Models;
  readonly names: Names;
  readonly remarks: Remarks;
  readonly layouts: Layouts;
}

function attributesOf(model: SourceModel, context: DefinitionContext): AttributeDefinitions {
  const { names, models, remarks, layouts } = context;
  const own = names.get(model.uid);
  const found: [string, AttributeDefinition][] = [];
  const layout = layoutOf(model, layouts);
  for (const [name, attribute] of Object.entries(model.attributes)) {
    const { uid: subject, file } = model;
    const say = (list: Fate, text: string): void => remarks.add({ list, subject, key: name, text, file });
    const reading: AttributeReading = { model, name, attribute, names, say };
    const plain: Plain | null =
      attribute['type'] === 'relation' ? relationOf(reading, models) : attributeOf(reading);
    if (plain === null) continue;
    const description = textOf(attribute['description']);
    const desk = { ...(description === '' ? {} : { description }), ...layout?.attributes.get(name) };
    const whole: unknown = Object.keys(desk).length === 0 ? plain : { ...plain, desk };
    if (isAttribute(whole)) found.push([own?.attributes.get(name) ?? name, whole]);
  }
  return Object.fromEntries(found);
}

/** Options of types that only describe the storage or the forms of Strapi. */
const WITHOUT_EFFECT: readonly string[] = ['comment', 'increments', 'timestamps'];
const READ_OPTIONS: readonly string[] = ['draftAndPublish', 'privateAttributes'];

const OVERRIDDEN = 'Every document has the attribute: the options of the project are left out';
const NOT_PRIVATE = 'The attribute is not private: every response shows it';

function reportOptions(model: SourceModel, remarks: Remarks): void {
  const { uid: subject, file, options, pluginOptions, rest, overridden } = model;
  const none = (key: string, text: string): void => remarks.add({ list: 'none', subject, key, text, file });
  for (const [key, value] of Object.entries(options))
    if (
      !READ_OPTIONS.includes(key) &&
      !WITHOUT_EFFECT.includes(key) &&
      value !== false &&
      value !== null &&
      value !== ''
    )
      none(key, `The option "${key}" of the type has no counterpart`);
  for (const key of Object.keys(pluginOptions))
    if (!['i18n', 'content-manager'].includes(key))
      none(key, `The option "pluginOptions.${key}" has no counterpart`);
  for (const key of overridden) none(key, OVERRIDDEN);
  for (const key of privateAttributes(model))
    if (model.attributes[key] === undefined && !AUTHORS.includes(key)) none(key, NOT_PRIVATE);
  for (const key of Object.keys(rest)) none(key, `The key "${key}" of the schema has no counterpart`);
}

const isHidden = ({ pluginOptions }: SourceModel): boolean =>
  objectOf(pluginOptions['content-manager'])['visible'] === false;

function deskOf(
  model: SourceModel,
  { layouts, names }: DefinitionContext,
  attributes: AttributeDefinitions,
): Plain | null {
  const description = textOf(model.info['description']);
  const layout = layoutOf(model, layouts);
  const own = names.get(model.uid)?.attributes;
  const isShown = (name: string): boolean => {
    const attribute = attributes[name];
    return attribute !== undefined && attribute.private !== true && attribute.type !== 'password';
  };
  const newName = (name: string): string => own?.get(name) ?? name;
  const always = model.isComponent
    ? []
    : ['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale'];
  const shown = (name: string): boolean => always.includes(newName(name)) || isShown(newName(name));
  const title = layout?.title;
  const list = [...new Set(layout?.list ?? [])].filter(shown).map(newName);
  const desk: Plain = {
    ...(title !== undefined && isShown(newName(title)) ? { title: newName(title) } : {}),
    ...(description === '' ? {} : { description }),
    ...(!model.isComponent && list.length > 0 ? { list } : {}),
    ...(!model.isComponent && isHidden(model) ? { hidden: true } : {}),
  };
  return Object.keys(desk).length === 0 ? null : desk;
}

function typeOf(model: SourceModel, context: DefinitionContext): ContentTypeDefinition | null {
  const { names, remarks } = context;
  const { uid: subject, file, kind } = model;
  const own = names.get(model.uid);
  if (own === undefined) return null;
  reportOptions(model, remarks);
  const attributes = attributesOf(model, context);
  const desk = deskOf(model, context, attributes);
  const isPlugin = !subject.startsWith('api::');
  if (isPlugin)
    remarks.add({
      list: 'changed',
      subject,
      file,
      text: `The type of a plugin becomes "${own.name}" without routes: its content is moved, the plugin is not`,
    });
  const whole: unknown = {
    kind,
    singularApiId: own.name,
    pluralApiId: own.plural,
    ...(hasDrafts(model) ? { draftAndPublish: true } : {}),
    ...(isLocalized(model) ? { localized: true } : {}),
    ...(isPlugin ? { routes: false } : {}),
    ...(desk === null ? {} : { desk }),
    attributes,
  };
  return isType(whole) ? whole : null;
}

function componentOf(model: SourceModel, context: DefinitionContext): ComponentDefinition | null {
  const own = context.names.get(model.uid);
  if (own === undefined) return null;
  reportOptions(model, context.remarks);
  const attributes = attributesOf(model, context);
  const desk = deskOf(model, context, attributes);
  const whole: unknown = { uid: own.name, ...(desk === null ? {} : { desk }), attributes };
  return isComponent(whole) ? whole : null;
}

/** Attributes of users in addition to the built-in ones. Users have no locales here. */
function userModel(models: readonly SourceModel[], remarks: Remarks): SourceModel | null {
  const found = models.find(({ uid }) => uid === USER_UID);
  if (found === undefined) return null;
  const own = Object.entries(found.attributes).filter(([name]) => !OF_BOTH_USERS.includes(name));
  const model = { ...found, attributes: Object.fromEntries(own) };
  if (!isLocalized(model)) return model;
  const text = 'Users have no locales: each has one value, that of the default locale if it has one';
  remarks.add({ list: 'changed', subject: USER_UID, key: 'i18n', file: model.file, text });
  const attributes = own.map(([name, { pluginOptions: _localized, ...rest }]) => [name, rest] as const);
  return { ...model, pluginOptions: {}, attributes: Object.fromEntries(attributes) };
}

/** Returns one model per uid; later ones of the same uid are reported. */
function distinct(models: readonly SourceModel[], remarks: Remarks): SourceModel[] {
  const found = new Map<string, SourceModel>();
  for (const model of models) {
    const first = found.get(model.uid);
    if (first === undefined) found.set(model.uid, model);
    else
      remarks.add({
        list: 'none',
        subject: model.uid,
        file: model.file,
        text: `The schema is left out: "${first.file}" defines the same type`,
      });
  }
  return [...found.values()];
}

export interface AdoptSettings {
  /** Settings of the content manager by uid: labels, columns of lists, titles. */
  readonly layouts?: Layouts;
}

/**
 * Returns definitions for the schemas, with a remark for each change and each part without a counterpart.
 * The definitions are sound: an application with them starts.
 */
export function definitionsOf(schemas: readonly SourceSchema[], settings: AdoptSettings = {}): Adopted {
  const remarks = new Remarks();
  const all = distinct(schemas.map(sourceModel), remarks);
  reportInternalTypes(
    all.filter((model) => !isContent(model)),
    remarks,
  );
  const ofUsers = userModel(all, remarks);
  const named = withOneOwner([...all.filter(isContent), ...(ofUsers === null ? [] : [ofUsers])], remarks);
  const moved = named.filter(isContent);
  const user = named.find(({ uid }) => uid === USER_UID) ?? null;
  const { names, remarks: renamed } = namesOf(named);
  remarks.addAll(renamed);
  const models: Models = new Map(named.map((model) => [model.uid, model]));
  const context: DefinitionContext = { models, names, remarks, layouts: settings.layouts ?? new Map() };
  const { definitions, remarks: unsound } = soundDefinitions({
    contentTypes: moved.filter(({ isComponent: is }) => !is).flatMap((model) => typeOf(model, context) ?? []),
    components: moved
      .filter(({ isComponent: is }) => is)
      .flatMap((model) => componentOf(model, context) ?? []),
    userAttributes: user === null ? {} : attributesOf(user, context),
  });
  // The checks name definitions by their names here.
  const sources = new Map(named.map(({ uid, file }) => [names.get(uid)?.name, { subject: uid, file }]));
  remarks.addAll(unsound.map((remark) => ({ ...remark, ...sources.get(remark.subject) })));
  for (const { uid: subject, file } of moved)
    if (isObject(names.get(subject)))
      remarks.add({ list: 'moved', subject, file, text: 'Type or component with its attributes' });
  return { ...definitions, remarks: remarks.all(), names, models };
}
