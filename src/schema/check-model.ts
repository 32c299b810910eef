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
import { name } from './naming.js';
import { ATTRIBUTE_OPTIONS, checkOptions, COMPONENT_OPTIONS, isObject, NEEDED, type Report, TYPE_OPTIONS } from './options.js';
import { isScalarType, SCALAR_TYPES } from './scalar-types.js';
import { among } from './suggest.js';

const API_ID = /^[a-z][a-z0-9-]*$/;
const COMPONENT_UID = /^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/;
const ATTRIBUTE = /^[A-Za-z][A-Za-z0-9_]*$/;
const TABLE = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** Whether a name that the host chose can name a table or a schema. */
export const isTableName = (word: string): boolean => TABLE.test(word) && !/^pg[_-]/i.test(word) && Buffer.byteLength(word) <= MAX_IDENTIFIER_BYTES;

/** Taken by the document, or by every object of JavaScript. */
const RESERVED = [
  'id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale', 'localizations', 'createdBy', 'updatedBy',
  ...Object.getOwnPropertyNames(Object.prototype), 'prototype',
];

/** An index of PostgreSQL takes 2,704 bytes, and a character up to four. */
const LONGEST_INDEXED = 600;

/** The kind that the other side of a two-way relation must have. */
const OPPOSITE: Readonly<Record<string, string>> = {
  oneToOne: 'oneToOne', oneToMany: 'manyToOne', manyToOne: 'oneToMany', manyToMany: 'manyToMany',
};

/** What is wrong, and where: in a whole definition, or in one attribute of it. */
export interface Mistake {
  readonly definition: unknown;
  readonly attribute: string | null;
  readonly text: string;
}

interface Scope {
  readonly types: ReadonlyMap<string, ContentTypeDefinition>;
  readonly components: ReadonlyMap<string, ComponentDefinition>;
  readonly owner: string;
  readonly attributes: AttributeDefinitions;
  readonly type: ContentTypeDefinition | undefined;
}

const attributeOf = (attributes: AttributeDefinitions, key: string): AttributeDefinition | undefined =>
  Object.hasOwn(attributes, key) ? attributes[key] : undefined;

/** Whether a uid can be made from an attribute. */
const isSlugSource = (def: AttributeDefinition): boolean => isScalarType(def.type) && SCALAR_TYPES[def.type].search !== null;

function compiles(regex: string | undefined, report: Report): boolean {
  try {
    new RegExp(regex ?? '');
    return true;
  } catch (error) {
    report(`regex does not compile: ${(error as Error).message}`);
    return false;
  }
}

function checkDefault(key: string, def: ScalarDefinition, report: Report): void {
  if (def.default === undefined || def.default === null) return;
  let reported = false;
  const at = { ...place([key], false, []), report: (message: string): void => {
    reported = true;
    report(`default: ${message}`);
  } };
  const stored = SCALAR_TYPES[def.type].accept(def.default, def, at);
  // Some types clear what they do not understand in a body, which a default never means.
  if (!reported && (stored === undefined || stored === null)) report(`default: not a value of type "${def.type}"`);
}

function checkScalar(key: string, def: ScalarDefinition, scope: Scope, report: Report): void {
  if (def.minLength !== undefined && def.maxLength !== undefined && def.minLength > def.maxLength) report('minLength is larger than maxLength');
  if (def.min !== undefined && def.max !== undefined && Number(def.min) > Number(def.max)) report('min is larger than max');
  if (def.targetField !== undefined) {
    const target = attributeOf(scope.attributes, def.targetField);
    const sources = Object.entries(scope.attributes).flatMap(([other, its]) => (other !== key && isObject(its) && isSlugSource(its) ? [other] : []));
    if (target === undefined) report(`targetField "${def.targetField}" is not an attribute${among(def.targetField, sources)}`);
    else if (!sources.includes(def.targetField)) report(`targetField "${def.targetField}" must be a text or number attribute beside it${among(def.targetField, sources)}`);
  }
  if (def.generate === true && def.targetField === undefined) report('"generate" needs a "targetField"');
  if (def.generate === true && scope.type === undefined) report('"generate" inside a component is not supported; put it on a content type');
  if (def.generate === true && (def.regex !== undefined || def.minLength !== undefined)) report('"generate" cannot keep to "regex" or "minLength"');
  if ((def.unique === true || def.index === true) && (def.maxLength ?? 0) > LONGEST_INDEXED) report(`an index has no room for more than ${LONGEST_INDEXED} characters: lower "maxLength"`);
  if (def.unique === true && scope.type === undefined) report('"unique" inside a component is not supported; put it on a content type');
  if (compiles(def.regex, report)) checkDefault(key, def, report);
}

function checkRelation(key: string, def: RelationDefinition, scope: Scope, report: Report): void {
  if (def.target === 'file') return report('target "file": files are linked with type "media"');
  const target = scope.types.get(def.target);
  if (target === undefined) return report(`target "${def.target}" is not a content type${among(def.target, [...scope.types.keys()])}`);
  const other = def.mappedBy ?? def.inversedBy;
  if (def.mappedBy !== undefined && def.inversedBy !== undefined) report('has both "mappedBy" and "inversedBy"; the owning side has only "inversedBy"');
  if (other === undefined) return;
  if (scope.type === undefined) return report('a relation inside a component is one-way: remove "mappedBy" and "inversedBy"');
  if (def.mappedBy !== undefined && def.relation === 'manyToOne') report('the "manyToOne" side owns the relation: use "inversedBy"');
  if (def.inversedBy !== undefined && def.relation === 'oneToMany') report('the "oneToMany" side does not own the relation: use "mappedBy"');
  if (!isObject(target.attributes)) return;
  const mirror = attributeOf(target.attributes, other);
  if (!isObject(mirror)) return report(`"${other}" is not an attribute of "${def.target}"${among(other, Object.keys(target.attributes))}`);
  const word = def.mappedBy === undefined ? 'mappedBy' : 'inversedBy';
  if (mirror.type !== 'relation' || mirror.target !== scope.owner || mirror[word] !== key) {
    report(`"${def.target}.${other}" must be a relation to "${scope.owner}" with ${word}: "${key}"`);
  } else if (mirror.relation !== OPPOSITE[def.relation]) {
    report(`"${def.target}.${other}" must be "${OPPOSITE[def.relation] ?? ''}"`);
  }
}

/** A component that cannot be without itself: no document could ever have it. */
function needsItself(uid: string, scope: Scope, above: readonly string[] = [], seen = new Set<string>()): readonly string[] | null {
  const path = [...above, uid];
  if (above.includes(uid)) return path;
  if (seen.has(uid)) return null;
  seen.add(uid);
  const attributes: unknown = scope.components.get(uid)?.attributes;
  for (const def of isObject(attributes) ? Object.values(attributes) : []) {
    const { type, required, repeatable, min, component } = (def ?? {}) as { readonly [option: string]: unknown };
    const always = required === true && (repeatable !== true || Number(min) > 0);
    const circle = type === 'component' && always ? needsItself(String(component), scope, path, seen) : null;
    if (circle !== null) return circle;
  }
  return null;
}

function checkEmbedded(def: Extract<AttributeDefinition, { type: 'component' | 'dynamiczone' }>, scope: Scope, report: Report): void {
  for (const uid of def.type === 'component' ? [def.component] : def.components) {
    if (!scope.components.has(uid)) report(`component "${uid}" is not defined${among(uid, [...scope.components.keys()])}`);
  }
  if (def.min !== undefined && def.max !== undefined && def.min > def.max) report('min is larger than max');
  const circle = def.type === 'component' && def.required === true ? needsItself(def.component, scope) : null;
  if (circle !== null) report(`requires a component that requires itself: ${circle.join(' → ')}; make one of them optional`);
}

function checkAttribute(key: string, def: AttributeDefinition, scope: Scope, report: Report): void {
  if (!ATTRIBUTE.test(key)) return report('a name starts with a letter and has only letters, digits and underscores');
  if (Buffer.byteLength(key) > MAX_IDENTIFIER_BYTES) return report(`the name is longer than ${MAX_IDENTIFIER_BYTES} bytes`);
  const reserved = scope.type === undefined ? [...RESERVED, '__component'] : scope.type.draftAndPublish ? [...RESERVED, 'status'] : RESERVED;
  if (reserved.includes(key)) return report('the name is reserved');
  if (!isObject(def)) return report('must be an object with a "type"');
  const type: unknown = def.type;
  if (typeof type !== 'string' || !Object.hasOwn(ATTRIBUTE_OPTIONS, type)) return report(`unknown type "${String(type)}"${among(String(type), Object.keys(ATTRIBUTE_OPTIONS))}`);
  if (!checkOptions(def, ATTRIBUTE_OPTIONS[def.type], NEEDED[type] ?? [], report)) return;
  if (def.localized === true && scope.type !== undefined && scope.type.localized !== true) report('is localized, but its type is not: set localized: true on the type');
  if (def.type === 'relation') checkRelation(key, def, scope, report);
  else if (def.type === 'component' || def.type === 'dynamiczone') checkEmbedded(def, scope, report);
  else if (def.type !== 'media') checkScalar(key, def, scope, report);
}

function checkOwner({ kind, owner: key, attributes }: ContentTypeDefinition, report: Report): void {
  if (key === undefined) return;
  const owner = attributeOf(attributes, key);
  const owns = owner?.type === 'string' || (owner?.type === 'relation' && (owner.relation === 'manyToOne' || owner.relation === 'oneToOne') && owner.mappedBy === undefined);
  if (!owns) {
    const what = owner === undefined ? `"${key}" is not an attribute${among(key, Object.keys(attributes))}` : 'a to-one relation that the type itself holds, or a string, is needed';
    report(`owner: ${what}`);
  }
  if (owner?.localized === true) report(`owner: "${key}" is localized, but a document belongs to one user in all its locales`);
  if (kind === 'singleType') report('owner: a single type belongs to nobody');
}

function checkType(type: ContentTypeDefinition, seen: Map<string, string>, report: Report): void {
  const plural = type.pluralApiId ?? type.singularApiId;
  const once = (what: string, value: string): void => {
    const first = seen.get(`${what} ${value}`);
    if (first !== undefined) report(`${what} "${value}" is taken by "${first}"`);
    seen.set(`${what} ${value}`, type.singularApiId);
  };
  for (const id of new Set([type.singularApiId, plural])) {
    if (!API_ID.test(id)) report(`"${id}" is not an API id: lower-case letters, digits and dashes, a letter first`);
  }
  once('singularApiId', type.singularApiId);
  once('route', type.kind === 'collectionType' ? plural : type.singularApiId);
  const table = type.tableName ?? plural;
  if (type.tableName !== undefined && !isTableName(table)) report(`"${table}" cannot name a table: letters, digits and underscores, no digit first, not "pg_…"`);
  else if (API_ID.test(plural)) once('table', name(table));
  if (type.kind === 'collectionType' && plural === type.singularApiId) report('pluralApiId must differ from singularApiId');
  checkOwner(type, report);
  if (type.singularApiId === 'file') report('the name belongs to the built-in file type');
  if (type.singularApiId === 'locale') report('the name belongs to the list of locales, which is granted by it');
  if (plural === 'i18n' && type.routes !== false) report('the route "i18n" belongs to the list of locales');
}

const needs = (type: object): readonly string[] => ['kind', 'singularApiId', ...('kind' in type && type.kind === 'collectionType' ? ['pluralApiId'] : []), 'attributes'];

/** Definitions by their ids, those that have one. */
const named = <T extends object>(list: readonly T[], idOf: (item: T) => unknown): Map<string, T> =>
  new Map(list.filter(isObject).flatMap((item): [string, T][] => {
    const id = idOf(item);
    return typeof id === 'string' ? [[id, item]] : [];
  }));

/** Every mistake of a model, in the order of its definitions; empty when there is none. */
export function checkModel(types: readonly ContentTypeDefinition[], components: readonly ComponentDefinition[]): Mistake[] {
  const mistakes: Mistake[] = [];
  const reportOn = (definition: unknown, owner: string, attribute: string | null = null): Report => (message) =>
    void mistakes.push({ definition, attribute, text: `${owner}${attribute === null ? '' : `.${attribute}`}: ${message}` });
  const typeMap = named(types, (type) => type.singularApiId);
  const componentMap = named(components, (component) => component.uid);
  const checkAttributes = (scope: Scope, definition: object): void => {
    for (const [key, def] of Object.entries(scope.attributes)) checkAttribute(key, def, scope, reportOn(definition, scope.owner, key));
  };

  const seen = new Map<string, string>();
  types.forEach((type, i) => {
    const owner = isObject(type) && typeof type.singularApiId === 'string' ? type.singularApiId : `contentTypes[${i}]`;
    const report = reportOn(type, owner);
    if (!isObject(type)) return report('must be a definition, as defineCollectionType and defineSingleType make');
    if (checkOptions(type, TYPE_OPTIONS, needs(type), report)) checkType(type, seen, report);
    if (isObject(type.attributes)) checkAttributes({ types: typeMap, components: componentMap, owner, attributes: type.attributes, type }, type);
  });
  components.forEach((component, i) => {
    const owner = isObject(component) && typeof component.uid === 'string' ? component.uid : `components[${i}]`;
    const report = reportOn(component, owner);
    if (!isObject(component)) return report('must be a definition, as defineComponent makes');
    if (checkOptions(component, COMPONENT_OPTIONS, ['uid', 'attributes'], report)) {
      if (!COMPONENT_UID.test(component.uid)) report('a component uid has the form "<category>.<name>"');
      if (Buffer.byteLength(component.uid) > MAX_IDENTIFIER_BYTES) report(`the uid is longer than ${MAX_IDENTIFIER_BYTES} bytes`);
      if (components.findIndex((other) => isObject(other) && other.uid === component.uid) < i) report('another component has the same uid');
    }
    if (isObject(component.attributes)) checkAttributes({ types: typeMap, components: componentMap, owner, attributes: component.attributes, type: undefined }, component);
  });
  return mistakes;
}

/** The part of a model that has no mistakes. */
export function soundPart(types: readonly ContentTypeDefinition[], components: readonly ComponentDefinition[]): { readonly types: ContentTypeDefinition[]; readonly components: ComponentDefinition[] } {
  const wrong = checkModel(types, components);
  if (wrong.length === 0) return { types: [...types], components: [...components] };
  const keep = <T extends { readonly attributes: AttributeDefinitions }>(definitions: readonly T[]): T[] =>
    definitions.flatMap((definition) => {
      const own = wrong.filter((mistake) => Object.is(mistake.definition, definition));
      if (own.some(({ attribute }) => attribute === null)) return [];
      const bad = new Set(own.map(({ attribute }) => attribute));
      return [{ ...definition, attributes: Object.fromEntries(Object.entries(definition.attributes).filter(([key]) => !bad.has(key))) }];
    });
  return soundPart(keep(types), keep(components));
}
