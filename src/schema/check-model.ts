/** Finds every mistake of a model before anything starts, each with its place and a suggestion. */
import { MAX_IDENTIFIER_BYTES } from '../sql.js';
import { place } from './accept.js';
import type {
  AttributeDefinition,
  AttributeDefinitions,
  ComponentDefinition,
  ContentTypeDefinition,
  RelationDefinition,
  ScalarDefinition,
} from './definitions.js';
import { columnName, name } from './naming.js';
import { isScalarType, SCALAR_TYPES } from './scalar-types.js';
import { suggest } from './suggest.js';

const API_ID = /^[a-z][a-z0-9-]*$/;
const COMPONENT_UID = /^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/;
const ATTRIBUTE = /^[A-Za-z][A-Za-z0-9_]*$/;
const RESERVED = ['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale', 'localizations', 'createdBy', 'updatedBy'];
const STRUCTURED = ['relation', 'media', 'component', 'dynamiczone'];
const KINDS = ['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany'];
const OPTIONS = [
  'type', 'required', 'private', 'writable', 'localized', 'default', 'unique', 'searchable', 'minLength', 'maxLength',
  'regex', 'min', 'max', 'enum', 'targetField', 'generate', 'index', 'relation', 'target', 'inversedBy', 'mappedBy',
  'multiple', 'allowedTypes', 'component', 'repeatable', 'components',
];
const UNIQUE_TYPES = ['string', 'email', 'uid', 'enumeration', 'integer', 'biginteger', 'decimal', 'float', 'date', 'datetime', 'time', 'timestamp'];
/** The kind that the other side of a two-way relation must have. */
const OPPOSITE: Readonly<Record<string, string>> = {
  oneToOne: 'oneToOne', oneToMany: 'manyToOne', manyToOne: 'oneToMany', manyToMany: 'manyToMany',
};

type Report = (message: string) => void;

interface Scope {
  readonly types: ReadonlyMap<string, ContentTypeDefinition>;
  readonly components: ReadonlyMap<string, ComponentDefinition>;
  readonly owner: string;
  readonly attributes: AttributeDefinitions;
  readonly type: ContentTypeDefinition | undefined;
}

function checkScalar(key: string, def: ScalarDefinition, scope: Scope, report: Report): void {
  if (def.type === 'enumeration' && !(def.enum?.length && new Set(def.enum).size === def.enum.length)) {
    report('an enumeration needs "enum", a list of distinct strings');
  }
  if (def.minLength !== undefined && def.maxLength !== undefined && def.minLength > def.maxLength) report('minLength is larger than maxLength');
  if (def.min !== undefined && def.max !== undefined && Number(def.min) > Number(def.max)) report('min is larger than max');
  try {
    if (def.regex !== undefined) new RegExp(def.regex);
  } catch (error) {
    report(`regex does not compile: ${(error as Error).message}`);
  }
  if (def.targetField !== undefined && scope.attributes[def.targetField] === undefined) {
    report(`targetField "${def.targetField}" is not an attribute${suggest(def.targetField, Object.keys(scope.attributes))}`);
  }
  if (def.generate === true && (def.type !== 'uid' || def.targetField === undefined)) report('"generate" needs type "uid" and a "targetField"');
  if (def.unique === true && !UNIQUE_TYPES.includes(def.type)) report(`type "${def.type}" cannot be unique`);
  if (def.unique === true && scope.type === undefined) report('"unique" inside a component is not supported; put it on a content type');
  if (def.default !== undefined && def.default !== null && def.regex === undefined) {
    SCALAR_TYPES[def.type].accept(def.default, def, { ...place([key], false, []), report: (message) => report(`default: ${message}`) });
  }
}

function checkRelation(key: string, def: RelationDefinition, scope: Scope, report: Report): void {
  if (!KINDS.includes(def.relation)) report(`unknown relation "${def.relation}"${suggest(def.relation, KINDS)}`);
  const target = scope.types.get(def.target);
  if (target === undefined) return report(`target "${def.target}" is not a content type${suggest(def.target, [...scope.types.keys()])}`);
  const other = def.mappedBy ?? def.inversedBy;
  if (def.mappedBy !== undefined && def.inversedBy !== undefined) report('has both "mappedBy" and "inversedBy"; the owning side has only "inversedBy"');
  if (other === undefined) return;
  if (scope.type === undefined) return report('a relation inside a component is one-way: remove "mappedBy" and "inversedBy"');
  if (def.mappedBy !== undefined && def.relation === 'manyToOne') report('the "manyToOne" side owns the relation: use "inversedBy"');
  if (def.inversedBy !== undefined && def.relation === 'oneToMany') report('the "oneToMany" side does not own the relation: use "mappedBy"');
  const mirror = target.attributes[other];
  if (mirror === undefined) return report(`"${other}" is not an attribute of "${def.target}"${suggest(other, Object.keys(target.attributes))}`);
  const word = def.mappedBy === undefined ? 'mappedBy' : 'inversedBy';
  if (mirror.type !== 'relation' || mirror.target !== scope.owner || mirror[word] !== key) {
    report(`"${def.target}.${other}" must be a relation to "${scope.owner}" with ${word}: "${key}"`);
  } else if (mirror.relation !== OPPOSITE[def.relation]) {
    report(`"${def.target}.${other}" must be "${OPPOSITE[def.relation] ?? ''}"`);
  }
}

function checkAttribute(key: string, def: AttributeDefinition, scope: Scope, report: Report): void {
  if (!ATTRIBUTE.test(key)) return report('a name starts with a letter and has only letters, digits and underscores');
  if (Buffer.byteLength(key) > MAX_IDENTIFIER_BYTES) return report(`the name is longer than ${MAX_IDENTIFIER_BYTES} bytes`);
  const reserved = scope.type === undefined ? [...RESERVED, '__component'] : scope.type.draftAndPublish ? [...RESERVED, 'status'] : RESERVED;
  if (reserved.includes(key)) return report('the name is reserved');
  for (const option of Object.keys(def)) {
    const hint = OPTIONS.includes(option) ? '' : suggest(option, OPTIONS);
    if (hint !== '') report(`unknown option "${option}"${hint}`);
  }
  if (def.localized === true && scope.type !== undefined && scope.type.localized !== true) report('is localized, but its type is not: set localized: true on the type');
  switch (def.type) {
    case 'relation':
      return checkRelation(key, def, scope, report);
    case 'media':
      return;
    case 'component':
    case 'dynamiczone':
      for (const uid of def.type === 'component' ? [def.component] : def.components) {
        if (!scope.components.has(uid)) report(`component "${uid}" is not defined${suggest(uid, [...scope.components.keys()])}`);
      }
      if (def.min !== undefined && def.max !== undefined && def.min > def.max) report('min is larger than max');
      return;
    default:
      if (isScalarType(def.type)) checkScalar(key, def, scope, report);
      else report(`unknown type "${String((def as { type: unknown }).type)}"${suggest(String((def as { type: unknown }).type), [...Object.keys(SCALAR_TYPES), ...STRUCTURED])}`);
  }
}

function checkAttributes(scope: Scope, report: Report): void {
  const columns = new Map<string, string>();
  for (const [key, def] of Object.entries(scope.attributes)) {
    checkAttribute(key, def, scope, (message) => report(`${scope.owner}.${key}: ${message}`));
    if (!ATTRIBUTE.test(key)) continue;
    const column = columnName(key);
    const first = columns.get(column);
    if (first !== undefined) report(`${scope.owner}.${key}: needs the same column "${column}" as "${first}"; rename one of them`);
    columns.set(column, key);
  }
}

function checkType(type: ContentTypeDefinition, seen: Map<string, string>, report: Report): void {
  const plural = type.pluralApiId ?? type.singularApiId;
  const once = (what: string, value: string): void => {
    const first = seen.get(`${what} ${value}`);
    if (first !== undefined) report(`${type.singularApiId}: ${what} "${value}" is taken by "${first}"`);
    seen.set(`${what} ${value}`, type.singularApiId);
  };
  for (const id of [type.singularApiId, plural]) {
    if (!API_ID.test(id)) report(`${type.singularApiId}: "${id}" is not an API id: lower-case letters, digits and dashes, a letter first`);
  }
  once('singularApiId', type.singularApiId);
  once('route', type.kind === 'collectionType' ? plural : type.singularApiId);
  once('table', name(type.tableName ?? plural));
  if (type.kind === 'collectionType' && plural === type.singularApiId) report(`${type.singularApiId}: pluralApiId must differ from singularApiId`);
  const owner = type.owner === undefined ? undefined : type.attributes[type.owner];
  const owns = owner?.type === 'string' || (owner?.type === 'relation' && (owner.relation === 'manyToOne' || owner.relation === 'oneToOne') && owner.mappedBy === undefined);
  if (type.owner !== undefined && !owns) {
    const what = owner === undefined ? `"${type.owner}" is not an attribute${suggest(type.owner, Object.keys(type.attributes))}` : 'a to-one relation that the type itself holds, or a string, is needed';
    report(`${type.singularApiId}: owner: ${what}`);
  }
  if (owner?.localized === true) report(`${type.singularApiId}: owner: "${type.owner ?? ''}" is localized, but a document belongs to one user in all its locales`);
  if (type.owner !== undefined && type.kind === 'singleType') report(`${type.singularApiId}: owner: a single type belongs to nobody`);
  if (type.singularApiId === 'file') report('file: the name belongs to the built-in file type');
}

/** Every mistake of a model, in the order of its definitions; empty when there is none. */
export function checkModel(types: readonly ContentTypeDefinition[], components: readonly ComponentDefinition[]): string[] {
  const mistakes: string[] = [];
  const report: Report = (message) => void mistakes.push(message);
  const typeMap = new Map(types.map((type) => [type.singularApiId, type]));
  const componentMap = new Map(components.map((component) => [component.uid, component]));
  const seen = new Map<string, string>();
  for (const type of types) {
    checkType(type, seen, report);
    checkAttributes({ types: typeMap, components: componentMap, owner: type.singularApiId, attributes: type.attributes, type }, report);
  }
  if (componentMap.size !== components.length) report('two components have the same uid');
  for (const component of components) {
    if (!COMPONENT_UID.test(component.uid)) report(`${component.uid}: a component uid has the form "<category>.<name>"`);
    checkAttributes({ types: typeMap, components: componentMap, owner: component.uid, attributes: component.attributes, type: undefined }, report);
  }
  return mistakes;
}
