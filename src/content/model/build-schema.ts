/** Builds the frozen model from its definitions, or reports all mistakes at once. */
import { present } from '../../kernel/present.js';
import { identifier } from '../../kernel/sql.js';
import { actionsOf } from './actions.js';
import {
  attributeOf,
  type Build,
  IDENTITY,
  LOCALE,
  localizations,
  tableOf,
  TIMES,
  holdersOf,
} from './build-attribute.js';
import { authorAttributes } from './authors.js';
import { checkModel, isTableName, soundPart } from './check-model.js';
import { checkNames } from './check-names.js';
import {
  type AttributeDefinitions,
  type ComponentDefinition,
  type ContentTypeDefinition,
  type Route,
  ROUTES,
} from './definitions.js';
import { ContentModelError } from './content-model-error.js';
import { fallbackRules } from './fallback-locale.js';
import { FILE_TYPE } from './file-type.js';
import { holdsFiles } from './media-names.js';
import type { Attribute, Component, ContentType, ScalarAttribute, Schema } from './model.js';
import { stagesOf } from './stages.js';
import { NO_STORAGE, storageOf } from './storage.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Construction extends Build {
  readonly types: Map<string, Mutable<ContentType>>;
  readonly components: Map<string, Mutable<Component>>;
}

function attributesOf(
  build: Build,
  defs: AttributeDefinitions,
  type?: ContentTypeDefinition,
): [string, Attribute][] {
  return Object.entries(defs).map(([key, def]) => [key, attributeOf(build, { key, def }, type)]);
}

const isShown = (item: Attribute): item is ScalarAttribute => item.kind === 'scalar' && !item.hidden;

function fillType(build: Construction, type: Mutable<ContentType>, def: ContentTypeDefinition): void {
  const own = attributesOf(build, { ...def.attributes, ...authorAttributes(def) }, def);
  const tail = [...TIMES, ...(type.internal ? [] : [LOCALE])];
  const entries: [string, Attribute][] = [
    ...IDENTITY.map((a): [string, Attribute] => [a.name, a]),
    ...own,
    ...tail.map((a): [string, Attribute] => [a.name, a]),
  ];
  if (type.localized) entries.push(['localizations', localizations(type)]);
  type.attributes = new Map(entries);
  type.shown = entries.map(([, item]) => item).filter(isShown);
}

function routesOf({ kind, routes = true }: ContentTypeDefinition): readonly Route[] {
  const all: readonly Route[] = ROUTES[kind];
  if (typeof routes === 'boolean') return routes ? all : [];
  return all.filter((route) =>
    'only' in routes ? routes.only.includes(route) : !routes.except.includes(route),
  );
}

const historyOf = ({ history = false, routes }: ContentTypeDefinition): readonly 'history'[] =>
  history && routes !== false ? ['history'] : [];

interface SoundModel {
  readonly types: readonly ContentTypeDefinition[];
  readonly components: readonly ComponentDefinition[];
  readonly file: ContentTypeDefinition;
  readonly schema: string | null;
  readonly removed?: readonly string[] | undefined;
}

const shell = (def: ContentTypeDefinition, { schema, file }: SoundModel): Mutable<ContentType> => ({
  model: 'type',
  uid: def.singularApiId,
  previousName: def.previousName ?? null,
  removed: def.removed ?? [],
  kind: def.kind,
  singularApiId: def.singularApiId,
  pluralApiId: def.pluralApiId ?? def.singularApiId,
  route: def.kind === 'collectionType' ? def.pluralApiId : def.singularApiId,
  draftAndPublish: def.draftAndPublish ?? false,
  validate: def.validate ?? null,
  localized: def.localized ?? false,
  fallback: fallbackRules(def.fallbackLocale),
  table: tableOf(def, schema),
  internal: def === file,
  routes: [...routesOf(def), ...actionsOf(def), ...historyOf(def)],
  publishBy: def.publishBy ?? 'write',
  owner: def.owner ?? null,
  tenant: def.tenant ?? null,
  stages: stagesOf(def),
  sharedMaxAge: def.sharedMaxAge ?? 0,
  archived: def.archived ?? true,
  events: def.events ?? true,
  history: def.history ?? false,
  indexes: def.indexes ?? [],
  layout: def.desk ?? {},
  attributes: new Map(),
  shown: [],
  storage: NO_STORAGE,
});

const componentShell = ({ uid, previousName, removed, desk }: ComponentDefinition): Mutable<Component> => ({
  model: 'component',
  uid: identifier(uid),
  previousName: previousName ?? null,
  removed: removed ?? [],
  layout: desk ?? {},
  attributes: new Map(),
  shown: [],
});

function construct(model: SoundModel): Schema {
  const { types, components, schema } = model;
  const all = [model.file, ...types];
  const build: Construction = {
    schema,
    definitions: new Map(all.map((def) => [def.singularApiId, def])),
    types: new Map(all.map((def) => [def.singularApiId, shell(def, model)])),
    components: new Map(components.map((def) => [def.uid, componentShell(def)])),
  };
  for (const def of components) {
    const component = present(build.components.get(def.uid), def.uid);
    const entries: [string, Attribute][] = [
      ...IDENTITY.map((a): [string, Attribute] => [a.name, a]),
      ...attributesOf(build, def.attributes),
    ];
    component.attributes = new Map(entries);
    component.shown = entries.map(([, item]) => item).filter(isShown);
    Object.freeze(component);
  }
  for (const def of all) fillType(build, present(build.types.get(def.singularApiId), def.singularApiId), def);
  const file = present(build.types.get('file'), 'file');
  const related = holdersOf([...build.types.values()].filter(holdsFiles));
  file.attributes = new Map([...file.attributes, [related.name, related]]);
  // Storage depends on relations from other types, so all types need their attributes first.
  for (const type of build.types.values()) {
    type.storage = storageOf(type, [...build.types.values()]);
    Object.freeze(type);
  }
  return Object.freeze({
    types: build.types,
    components: build.components,
    file,
    tenants: [...new Set(types.flatMap(({ tenant }) => tenant ?? []))].sort(),
    removed: model.removed ?? [],
  });
}

export interface ModelOptions {
  /** PostgreSQL schema of the tables. Default: the current schema of the connection. */
  readonly schema?: string | undefined;
  /** Former types, components and locales that migrations may drop. */
  readonly removed?: readonly string[] | undefined;
  /** Mistakes found by other checks, listed in the same error. */
  readonly mistakes?: readonly string[];
}

/**
 * Checks the definitions and builds the model. Throws a {@link ContentModelError} that lists all mistakes.
 */
export function buildSchema(
  givenTypes: readonly ContentTypeDefinition[],
  givenComponents: readonly ComponentDefinition[],
  options: ModelOptions = {},
): Schema {
  // The checks of definitions would skip the holes of a list such as `[article, , author]`.
  const [types, components] = [[...givenTypes], [...givenComponents]];
  const wrong = checkModel(types, components);
  const sound = wrong.length === 0 ? { types, components } : soundPart(types, components);
  // Name clashes show only in a built model, so the sound part is built even if there are mistakes.
  const valid = options.schema === undefined || isTableName(options.schema);
  const schema = construct({
    ...sound,
    file: FILE_TYPE,
    schema: valid ? (options.schema ?? null) : null,
    removed: options.removed,
  });
  const schemaMistakes = valid
    ? []
    : [
        `schema: "${String(options.schema)}" cannot name a schema: letters, digits and underscores, no digit first`,
      ];
  const found = [
    ...wrong.map(({ text }) => text),
    ...checkNames([...schema.types.values()]),
    ...schemaMistakes,
  ];
  const given = options.mistakes ?? [];
  if (found.length + given.length > 0)
    throw new ContentModelError([...found, ...given], found.length > 0 ? 'model' : 'options');
  return schema;
}

/**
 * Builds the model from definitions that were checked before, possibly by a release with another file type.
 */
export const rebuildSchema = (
  model: Omit<SoundModel, 'file'> & { readonly file?: ContentTypeDefinition | undefined },
): Schema => construct({ ...model, file: model.file ?? FILE_TYPE });
