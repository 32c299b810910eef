/** Errors of grants from the options, a file or a database. */
import { isObject } from '../../kernel/json.js';
import type { ContentType, Schema } from '../model/model.js';
import { AUDIT_GRANT, DESK_GRANT, MODEL_GRANT } from '../model/naming.js';
import { among } from '../model/suggest.js';
import { actionsOn, type Grants } from './permissions.js';

/** Grants that do not belong to a content type: locales, the model, the desk, and the audit log. */
const OTHERS: ReadonlyMap<string, undefined> = new Map([
  ['locale', undefined],
  [MODEL_GRANT, undefined],
  [DESK_GRANT, undefined],
  [AUDIT_GRANT, undefined],
]);

function fieldMistakes(fields: readonly string[], type: ContentType | undefined, at: string): string[] {
  if (type === undefined) return [`${at}: "fields" needs a content type, and "*" is none`];
  const names = [...type.attributes.keys()];
  return fields
    .filter((field) => !type.attributes.has(field))
    .map((field) => `${at}: "${field}" is not an attribute of ${type.singularApiId}${among(field, names)}`);
}

const ownMistakes = (type: ContentType | undefined, at: string): string[] =>
  type?.owner === null || type === undefined ? [`${at}: "own" needs a content type with an "owner"`] : [];

const whereMistakes = (type: ContentType | undefined, at: string): string[] =>
  type === undefined || type.internal
    ? [`${at}: "where" and "preset" need a content type other than "file"`]
    : [];

/**
 * Returns the errors of grants with unknown types, actions or attributes; `where` is their path in the
 * options.
 */
export function checkGrants(grants: Grants, schema: Schema, where: string): string[] {
  const types = new Map<string, ContentType | undefined>([...OTHERS, ...schema.types]);
  return Object.entries(grants).flatMap(([name, list]) => {
    const at = `${where}.${name}`;
    if (name !== '*' && !types.has(name))
      return [`${where}: "${name}" is not a content type${among(name, [...types.keys()])}`];
    if (list === '*') return [];
    if (!Array.isArray(list)) return [`${at}: expected "*" or a list of grants`];
    return (list as readonly unknown[]).flatMap((grant) => {
      const { actions, fields, own, where } = shapeOf(grant);
      if (actions === null)
        return [
          `${at}: expected an action or { actions, fields, own, where, preset }, found ${JSON.stringify(grant)}`,
        ];
      const known: readonly string[] = actionsOn(name);
      const unknown = actions.filter((action) => !known.includes(action));
      return [
        ...unknown.map((action) => `${at}: "${action}" is not an action${among(action, known)}`),
        ...(fields === null ? [] : fieldMistakes(fields, types.get(name), at)),
        ...(own ? ownMistakes(types.get(name), at) : []),
        ...(where ? whereMistakes(types.get(name), at) : []),
      ];
    });
  });
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

interface GrantShape {
  readonly actions: readonly string[] | null;
  readonly fields: readonly string[] | null;
  readonly own: boolean;
  readonly where: boolean;
}

const WRONG: GrantShape = { actions: null, fields: null, own: false, where: false };
const MEMBERS = ['actions', 'fields', 'own', 'where', 'preset'];

/** Reads a grant from a file or a database, where its type is not guaranteed. */
function shapeOf(grant: unknown): GrantShape {
  if (typeof grant === 'string') return { ...WRONG, actions: [grant] };
  if (!isObject(grant) || Object.keys(grant).some((key) => !MEMBERS.includes(key))) return WRONG;
  const { actions, fields, own = false, where, preset } = grant;
  if ((fields !== undefined && !isTexts(fields)) || typeof own !== 'boolean') return WRONG;
  if (where !== undefined && (typeof where !== 'function' || own)) return WRONG;
  if (preset !== undefined && typeof preset !== 'function') return WRONG;
  const named = isTexts(actions) ? actions : null;
  const shape = { fields: fields ?? null, own, where: where !== undefined || preset !== undefined };
  return { ...shape, actions: actions === '*' ? [] : named };
}
