/** Errors of grants from the options, a file or a database. */
import { isObject } from '../../kernel/json.js';
import type { GrantFilters } from './grant-condition.js';
import type { ContentType, Schema } from '../model/model.js';
import { among, noSuchType } from '../model/suggest.js';
import { actionsOn, OTHER_SUBJECTS } from './actions.js';
import type { Grants } from './permissions.js';

/** Maximum number of reported mistakes: a request can contain many, and each suggestion takes some time. */
const MAX_MISTAKES = 20;

/** Returns the first names that are not among the known ones. */
const unknownIn = (names: readonly string[], known: readonly string[]): string[] =>
  names.filter((name) => !known.includes(name)).slice(0, MAX_MISTAKES);

function fieldMistakes(fields: readonly string[], type: ContentType | undefined, at: string): string[] {
  if (type === undefined) return [`${at}: "fields" needs a content type, and "*" is none`];
  const names = [...type.attributes.keys()];
  return unknownIn(fields, names).map(
    (field) => `${at}: "${field}" is not an attribute of ${type.singularApiId}${among(field, names)}`,
  );
}

const ownMistakes = (type: ContentType | undefined, at: string): string[] =>
  type?.owner === null || type === undefined ? [`${at}: "own" needs a content type with an "owner"`] : [];

function stageMistakes(
  { stages, actions }: GrantShape,
  { type, at }: Pick<GrantCheck, 'type' | 'at'>,
): string[] {
  if (stages === null) return [];
  if (type === undefined || type.stages === null)
    return [`${at}: "stages" needs a content type with the option "stages"`];
  if (!isEvery(actions) && !actions.includes('move'))
    return [`${at}: "stages" limits "move", which is not among the actions`];
  const names = [...type.stages.states.keys()];
  return unknownIn(stages, names).map(
    (stage) => `${at}: "${stage}" is not a stage of ${type.singularApiId}${among(stage, names)}`,
  );
}

/** Whether a shape contains `*`, which has no names of actions. */
const isEvery = (actions: GrantShape['actions']): actions is null | readonly [] => actions?.length === 0;

const tenantMistakes = (type: ContentType | undefined, at: string): string[] =>
  (type?.tenant ?? null) === null ? [`${at}: "tenant" needs a content type with the option "tenant"`] : [];

/** Part of a grant as JSON. */
export interface DataPart {
  readonly type: ContentType;
  readonly part: 'where' | 'preset';
  readonly data: GrantFilters;
}

/** Model of grants, and the check of JSON parts, which returns an error text or null. Null refuses them. */
export interface GrantRules {
  readonly schema: Schema;
  readonly check: ((data: DataPart) => string | null) | null;
}

function limitMistakes({ limits }: GrantShape, { type, at, check }: GrantCheck): string[] {
  if (limits.length === 0) return [];
  if (type === undefined) return [`${at}: "where" and "preset" need a content type`];
  return limits.flatMap(([part, data]) => {
    if (data === null) return [];
    const mistake = check === null ? 'JSON is not accepted here' : check({ type, part, data });
    return mistake === null ? [] : [`${at}.${part}: ${mistake}`];
  });
}

const EXAMPLE = `{ article: ["find"] }, or { "*": "*" } for all types and actions`;

interface GrantCheck {
  readonly type: ContentType | undefined;
  readonly at: string;
  readonly check: GrantRules['check'];
}

/**
 * Returns the first errors of grants with unknown types, actions or attributes; `where` is their path in the
 * options.
 */
export function checkGrants(grants: Grants, rules: GrantRules, where: string): string[] {
  if (!isObject(grants)) return [`${where}: expected grants by type: ${EXAMPLE}`];
  const mistakes: string[] = [];
  for (const more of grantMistakes(grants, rules, where)) {
    mistakes.push(...more);
    if (mistakes.length >= MAX_MISTAKES) break;
  }
  return mistakes.slice(0, MAX_MISTAKES);
}

/** Yields the errors of each grant. */
function* grantMistakes(grants: Grants, { schema, check }: GrantRules, where: string): Generator<string[]> {
  const types = new Map<string, ContentType | undefined>([
    ...OTHER_SUBJECTS.map((name) => [name, undefined] as const),
    ...schema.types,
  ]);
  for (const [name, list] of Object.entries<unknown>(grants)) {
    const at = `${where}.${name}`;
    if (name !== '*' && !types.has(name)) yield [`${where}: ${noSuchType(name, [...types.keys()])}`];
    else if (Array.isArray(list))
      for (const grant of list as readonly unknown[])
        yield mistakesOf(grant, { type: types.get(name), at, check }, actionsOn(name));
    else if (list !== '*') yield [`${at}: expected "*" or a list of grants`];
  }
}

function mistakesOf(grant: unknown, place: GrantCheck, known: readonly string[]): string[] {
  const { type, at } = place;
  const shape = shapeOf(grant);
  const { actions, fields, isAcross, own } = shape;
  if (actions === null)
    return [`${at}: expected an action or { ${MEMBERS.join(', ')} }, found ${JSON.stringify(grant)}`];
  return [
    ...unknownIn(actions, known).map(
      (action) => `${at}: "${action}" is not an action${among(action, known)}`,
    ),
    ...(fields === null ? [] : fieldMistakes(fields, type, at)),
    ...stageMistakes(shape, place),
    ...(isAcross ? tenantMistakes(type, at) : []),
    ...(own ? ownMistakes(type, at) : []),
    ...limitMistakes(shape, place),
  ];
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

interface GrantShape {
  readonly actions: readonly string[] | null;
  readonly fields: readonly string[] | null;
  readonly stages: readonly string[] | null;
  /** Whether the grant covers all tenants. */
  readonly isAcross: boolean;
  readonly own: boolean;
  /** Present parts, with their JSON; null for a function. */
  readonly limits: readonly (readonly ['where' | 'preset', GrantFilters | null])[];
}

const WRONG: GrantShape = {
  actions: null,
  fields: null,
  stages: null,
  isAcross: false,
  own: false,
  limits: [],
};
const MEMBERS = ['actions', 'fields', 'stages', 'tenant', 'own', 'where', 'preset'];
const isLimit = (value: unknown): boolean => typeof value === 'function' || isObject(value);

/** Reads a grant from a file or a database, where its type is not guaranteed. */
function shapeOf(grant: unknown): GrantShape {
  if (typeof grant === 'string') return { ...WRONG, actions: [grant] };
  if (!isObject(grant) || Object.keys(grant).some((key) => !MEMBERS.includes(key))) return WRONG;
  const { actions, fields, stages, tenant, own = false, where, preset } = grant;
  if ((fields !== undefined && !isTexts(fields)) || typeof own !== 'boolean') return WRONG;
  if (stages !== undefined && !isTexts(stages)) return WRONG;
  if (tenant !== undefined && tenant !== 'all') return WRONG;
  if (where !== undefined && (!isLimit(where) || own)) return WRONG;
  if (preset !== undefined && !isLimit(preset)) return WRONG;
  const limits = (['where', 'preset'] as const).flatMap((part) => {
    const limit = grant[part];
    return limit === undefined ? [] : ([[part, isObject(limit) ? limit : null]] as const);
  });
  const named = isTexts(actions) ? actions : null;
  return {
    fields: fields ?? null,
    stages: stages ?? null,
    isAcross: tenant === 'all',
    own,
    limits,
    actions: actions === '*' ? [] : named,
  };
}
