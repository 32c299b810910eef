/** Finds every mistake of a model at start, each with its location and a suggestion. */
import { isObject } from '../../kernel/json.js';
import { MAX_IDENTIFIER_BYTES } from '../../kernel/sql.js';
import { actionsOf } from './actions.js';
import { type AttributeContext, attributeOf } from './attribute-context.js';
import { checkAttribute } from './check-attribute.js';
import {
  type AttributeDefinitions,
  type ComponentDefinition,
  type ContentTypeDefinition,
  ROUTES,
} from './definitions.js';
import type { Mistake } from './content-model-error.js';
import { selfFallbacks } from './fallback-locale.js';
import { AUDIT_GRANT, DESK_GRANT, MODEL_GRANT, name, RELEASES_GRANT } from './naming.js';
import { previousMistakes } from './check-previous.js';
import { checkAuthors } from './authors.js';
import { checkIndexes } from './check-indexes.js';
import { checkLayout, checkLayoutNames } from './check-layout.js';
import {
  checkOptions,
  COMPONENT_LAYOUT,
  COMPONENT_OPTIONS,
  type Report,
  TYPE_LAYOUT,
  TYPE_OPTIONS,
} from './options.js';
import { checkStages } from './check-stages.js';
import { checkTenant } from './check-tenant.js';
import { among } from './suggest.js';

const API_ID = /^[a-z][a-z0-9-]*$/;
const COMPONENT_UID = /^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*$/i;
const TABLE = /^[A-Za-z_][A-Za-z0-9_-]*$/;

export const isTableName = (word: string): boolean =>
  TABLE.test(word) && !/^pg[_-]/i.test(word) && Buffer.byteLength(word) <= MAX_IDENTIFIER_BYTES;

function checkOwner({ kind, owner: key, attributes }: ContentTypeDefinition, report: Report): void {
  if (key === undefined) return;
  const owner = attributeOf(attributes, key);
  const owns =
    owner?.type === 'string' ||
    (owner?.type === 'relation' &&
      (owner.relation === 'manyToOne' || owner.relation === 'oneToOne') &&
      owner.mappedBy === undefined);
  if (!owns) {
    const what =
      owner === undefined
        ? `"${key}" is not an attribute${among(key, Object.keys(attributes))}`
        : `"${key}" must be a string, or a to-one relation without "mappedBy"`;
    report(`owner: ${what}`);
  }
  if (owner?.localized === true)
    report(`owner: "${key}" is localized, but a document belongs to one user in all its locales`);
  if (kind === 'singleType') report('owner: a single type cannot have an owner');
}

function checkRoutes({ kind, routes = true }: ContentTypeDefinition, report: Report): void {
  if (typeof routes === 'boolean') return;
  const known: readonly string[] = ROUTES[kind];
  for (const route of Object.values(routes).flat())
    if (!known.includes(route))
      report(`routes: "${route}" is not a route of a ${kind}${among(route, known)}`);
}

function checkActions(type: ContentTypeDefinition, report: Report): void {
  if (type.publishBy === 'right' && type.draftAndPublish !== true)
    report('publishBy: the type needs draftAndPublish: true');
  if (actionsOf(type).length === 0) return;
  if (type.draftAndPublish !== true) report('actions: the type needs draftAndPublish: true');
  if (type.routes === false) report('actions: the type has routes: false, which excludes actions');
}

function checkFallback({ localized, fallbackLocale: given }: ContentTypeDefinition, report: Report): void {
  if (given === undefined || given === false) return;
  if (localized !== true)
    report('fallbackLocale: the type is not localized: set localized: true on the type');
  selfFallbacks(given).forEach(report);
}

function checkType(type: ContentTypeDefinition, seen: Map<string, string>, report: Report): void {
  const plural = type.pluralApiId ?? type.singularApiId;
  const once = (what: string, value: string): void => {
    const first = seen.get(`${what} ${value}`);
    if (first !== undefined) report(`${what} "${value}" is already used by "${first}"`);
    seen.set(`${what} ${value}`, type.singularApiId);
  };
  for (const id of new Set([type.singularApiId, plural])) {
    if (!API_ID.test(id))
      report(`"${id}" is not an API id: lower-case letters, digits and dashes, a letter first`);
  }
  once('singularApiId', type.singularApiId);
  if (type.routes !== false) once('route', type.kind === 'collectionType' ? plural : type.singularApiId);
  const table = type.tableName ?? plural;
  if (type.tableName !== undefined && !isTableName(table))
    report(`"${table}" cannot name a table: letters, digits and underscores, no digit first, not "pg_…"`);
  else if (API_ID.test(plural)) once('table', name(table));
  if (type.kind === 'collectionType' && plural === type.singularApiId)
    report('pluralApiId must differ from singularApiId');
  checkOwner(type, report);
  checkTenant(type, report);
  checkStages(type, report);
  checkRoutes(type, report);
  checkActions(type, report);
  checkFallback(type, report);
  checkIndexes(type, report);
  if (type.singularApiId === 'file') report('the name is reserved for the built-in file type');
  if (type.singularApiId === 'locale') report('the name is reserved for the grant of the list of locales');
  if (type.singularApiId === DESK_GRANT) report('the name is reserved for the grant of the desk');
  if (type.singularApiId === AUDIT_GRANT) report('the name is reserved for the grant of the audit log');
  if (type.singularApiId === RELEASES_GRANT) report('the name is reserved for the grant on releases');
  if (type.singularApiId === MODEL_GRANT || plural === MODEL_GRANT)
    report('the name is reserved for the routes that show the model');
  if (plural === 'i18n' && type.routes !== false)
    report('the route "i18n" is reserved for the list of locales');
}

const needs = (type: object): readonly string[] => [
  'kind',
  'singularApiId',
  ...('kind' in type && type.kind === 'collectionType' ? ['pluralApiId'] : []),
  'attributes',
];

const mapById = <T extends object>(list: readonly T[], idOf: (item: T) => unknown): Map<string, T> =>
  new Map(
    list.filter(isObject).flatMap((item): [string, T][] => {
      const id = idOf(item);
      return typeof id === 'string' ? [[id, item]] : [];
    }),
  );

export function checkModel(
  types: readonly ContentTypeDefinition[],
  components: readonly ComponentDefinition[],
): Mistake[] {
  const mistakes: Mistake[] = [];
  const reportOn =
    (definition: unknown, name: string, attribute: string | null = null): Report =>
    (message) =>
      void mistakes.push({
        definition,
        attribute,
        text: `${name}${attribute === null ? '' : `.${attribute}`}: ${message}`,
      });
  const typeMap = mapById(types, (type) => type.singularApiId);
  const componentMap = mapById(components, (component) => component.uid);
  const all = { types: typeMap, components: componentMap };
  const checkAttributes = (
    name: string,
    definition: ContentTypeDefinition | ComponentDefinition,
    type?: ContentTypeDefinition,
  ): void => {
    if (!isObject(definition.attributes)) return;
    const context: AttributeContext = { ...all, name, attributes: definition.attributes, type };
    for (const [key, def] of Object.entries(context.attributes))
      checkAttribute({ key, def }, context, reportOn(definition, name, key));
  };

  const seen = new Map<string, string>();
  types.forEach((type, i) => {
    const name =
      isObject(type) && typeof type.singularApiId === 'string' ? type.singularApiId : `contentTypes[${i}]`;
    const report = reportOn(type, name);
    if (!isObject(type))
      return report('must be a definition made by defineCollectionType or defineSingleType');
    if (checkOptions(type, { options: TYPE_OPTIONS, needed: needs(type) }, report)) {
      checkType(type, seen, report);
      checkAuthors(type, typeMap, report);
      if (checkLayout(type, TYPE_LAYOUT, report)) checkLayoutNames(type, 'type', report);
    }
    checkAttributes(name, type, type);
  });
  components.forEach((component, i) => {
    const name =
      isObject(component) && typeof component.uid === 'string' ? component.uid : `components[${i}]`;
    const report = reportOn(component, name);
    if (!isObject(component)) return report('must be a definition made by defineComponent');
    if (checkOptions(component, { options: COMPONENT_OPTIONS, needed: ['uid', 'attributes'] }, report)) {
      if (!COMPONENT_UID.test(component.uid)) report('a component uid has the form "<category>.<name>"');
      if (Buffer.byteLength(component.uid) > MAX_IDENTIFIER_BYTES)
        report(`the uid is longer than ${MAX_IDENTIFIER_BYTES} bytes`);
      if (components.findIndex((other) => isObject(other) && other.uid === component.uid) < i)
        report('another component has the same uid');
      if (checkLayout(component, COMPONENT_LAYOUT, report)) checkLayoutNames(component, 'component', report);
    }
    checkAttributes(name, component);
  });
  return [...mistakes, ...previousMistakes(typeMap), ...previousMistakes(componentMap)];
}

/** Returns the definitions without mistakes. Removing one may break another, so the check repeats. */
export function soundPart(
  types: readonly ContentTypeDefinition[],
  components: readonly ComponentDefinition[],
): { readonly types: ContentTypeDefinition[]; readonly components: ComponentDefinition[] } {
  const wrong = checkModel(types, components);
  if (wrong.length === 0) return { types: [...types], components: [...components] };
  const keep = <T extends { readonly attributes: AttributeDefinitions }>(definitions: readonly T[]): T[] =>
    definitions.flatMap((definition) => {
      const own = wrong.filter((mistake) => Object.is(mistake.definition, definition));
      if (own.some(({ attribute }) => attribute === null)) return [];
      const bad = new Set(own.map(({ attribute }) => attribute));
      return [
        {
          ...definition,
          attributes: Object.fromEntries(
            Object.entries(definition.attributes).filter(([key]) => !bad.has(key)),
          ),
        },
      ];
    });
  return soundPart(keep(types), keep(components));
}
