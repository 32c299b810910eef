/**
 * Description of a model as plain JSON, stored in the database. The next release compares its own model with
 * it.
 */
import { createHash } from 'node:crypto';
import {
  isCount,
  isFlag,
  isListOf,
  isNullOr,
  isOptional,
  isRecordOf,
  isShape,
  isText,
  type Test,
} from '../../kernel/json.js';
import { rebuildSchema } from './build-schema.js';
import type {
  AttributeDefinition,
  AttributeDefinitions,
  ComponentDefinition,
  ContentTypeDefinition,
} from './definitions.js';
import type { IndexDefinition } from './index-definition.js';
import type { Attribute, Component, ContentType, Model, Schema } from './model.js';
import { splitTable } from './naming.js';
import type { ContentSettings } from '../../kernel/settings.js';

/** Format of descriptions. Increase it when the meaning of existing descriptions would change. */
const FORMAT = 1;

/** Content type without options that affect only requests; always with its table. */
export interface TypeDescription {
  readonly kind: ContentType['kind'];
  readonly pluralApiId: string;
  readonly tableName: string;
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
  readonly owner: string | null;
  /** Declared indexes, sorted; absent if there are none. */
  readonly indexes?: readonly IndexDefinition[] | undefined;
  readonly attributes: AttributeDefinitions;
}

/** Canonical description of a model: equal models have equal descriptions, in any order of definition. */
export interface ModelDescription {
  readonly format: typeof FORMAT;
  readonly defaultLocale: string;
  readonly locales: readonly string[];
  readonly types: Readonly<Record<string, TypeDescription>>;
  readonly components: Readonly<Record<string, { readonly attributes: AttributeDefinitions }>>;
}

const isKind: Test<ContentType['kind']> = (value) => value === 'collectionType' || value === 'singleType';

const isDefinition: Test<AttributeDefinition> = (value): value is AttributeDefinition =>
  isShape({ type: isText })(value);

const isIndex: Test<IndexDefinition> = isShape<IndexDefinition>({
  attributes: isListOf(isText),
  using: isOptional((value): value is 'trigram' => value === 'trigram'),
  unique: isOptional(isFlag),
});

export const isDescription: Test<ModelDescription> = isShape<ModelDescription>({
  format: (value) => value === FORMAT,
  defaultLocale: isText,
  locales: isListOf(isText),
  types: isRecordOf(
    isShape<TypeDescription>({
      kind: isKind,
      pluralApiId: isText,
      tableName: isText,
      draftAndPublish: isFlag,
      localized: isFlag,
      owner: isNullOr(isText),
      indexes: isOptional(isListOf(isIndex)),
      attributes: isRecordOf(isDefinition),
    }),
  ),
  components: isRecordOf(isShape({ attributes: isRecordOf(isDefinition) })),
});

export const isOtherFormat = (value: unknown): boolean =>
  isShape({ format: isCount })(value) && value.format !== FORMAT;

/**
 * Returns a stored description. Throws an Error if a later release of the library wrote it, or if it is
 * invalid.
 */
export function parseDescription(value: unknown): ModelDescription {
  if (isOtherFormat(value))
    throw new Error(`The database was last migrated by a newer version of the library: update the library`);
  if (!isDescription(value)) throw new Error('The content model stored in the database cannot be read');
  return value;
}

export type Locales = Pick<ContentSettings, 'defaultLocale' | 'locales'>;

/** Options that affect the stored data, or its visibility. */
const STORED_OPTIONS: readonly string[] = [
  'type',
  'required',
  'private',
  'localized',
  'default',
  'unique',
  'index',
  'enum',
  'maxLength',
  'targetField',
  'generate',
  'relation',
  'target',
  'targets',
  'inversedBy',
  'mappedBy',
  'morphBy',
  'multiple',
  'component',
  'components',
  'repeatable',
];

const isDefault = (value: unknown): boolean => value === undefined || value === false;

function attributeDescription({ def, ...attribute }: Attribute): AttributeDefinition {
  // A relation without `targets` depends on the routes of all types, which a description omits: list them.
  const targets =
    'named' in attribute && 'targets' in attribute && attribute.named ? attribute.targets : null;
  const given =
    targets === null ? def : { ...def, targets: targets.map(({ singularApiId }) => singularApiId) };
  const entries = Object.entries(given).filter(
    ([key, value]) => STORED_OPTIONS.includes(key) && !isDefault(value),
  );
  const description: unknown = Object.fromEntries(entries);
  if (!isDefinition(description)) throw new Error(`${attribute.name} has no type`);
  return description;
}

const attributesOf = ({ attributes }: Model): AttributeDefinitions =>
  Object.fromEntries(
    [...attributes.values()]
      .filter(({ system, open }) => !system && !open)
      .map((attribute) => [attribute.name, attributeDescription(attribute)]),
  );

/** Returns the declared indexes without defaults, in an order that does not depend on the definitions. */
const indexesOf = ({ indexes }: ContentType): IndexDefinition[] =>
  indexes
    .map(({ attributes, using, unique }) => ({
      attributes,
      ...(using === undefined ? {} : { using }),
      ...(unique === true ? { unique } : {}),
    }))
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

const typeDescription = (type: ContentType): TypeDescription => ({
  kind: type.kind,
  pluralApiId: type.pluralApiId,
  tableName: splitTable(type.table).bare,
  draftAndPublish: type.draftAndPublish,
  localized: type.localized,
  owner: type.owner,
  ...(type.indexes.length === 0 ? {} : { indexes: indexesOf(type) }),
  attributes: attributesOf(type),
});

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, canonical(one)]));
}

const describeAll = <M extends Model, D>(
  models: ReadonlyMap<string, M>,
  describe: (model: M) => D,
): Readonly<Record<string, D>> =>
  Object.fromEntries([...models].map(([key, model]) => [key, describe(model)]));

export function describeModel(schema: Schema, { defaultLocale, locales }: Locales): ModelDescription {
  const description: ModelDescription = {
    format: FORMAT,
    defaultLocale,
    locales: [...locales].sort(),
    types: describeAll(schema.types, typeDescription),
    components: describeAll(schema.components, (component: Component) => ({
      attributes: attributesOf(component),
    })),
  };
  return canonical(description) as ModelDescription;
}

/** Equal digests mean equal models. */
export const digestOf = (description: ModelDescription): string =>
  createHash('sha256')
    .update(JSON.stringify(canonical(description)))
    .digest('hex');

const definitionOf = ([singularApiId, { owner, indexes = [], ...type }]: [
  string,
  TypeDescription,
]): ContentTypeDefinition => ({ ...type, singularApiId, indexes, ...(owner === null ? {} : { owner }) });

export function schemaOf({ types, components }: ModelDescription, place: string | null): Schema {
  const { file, ...others } = types;
  const definitions = Object.entries(others).map(definitionOf);
  const parts = Object.entries(components).map(([uid, rest]): ComponentDefinition => ({ uid, ...rest }));
  const files = file === undefined ? undefined : definitionOf(['file', file]);
  return rebuildSchema({ types: definitions, components: parts, file: files, schema: place });
}
