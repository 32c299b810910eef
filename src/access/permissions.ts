/** What a caller may do: one look-up, asked by the route guard and by the plan, and by nobody else (D16). */
import { suggest } from '../schema/suggest.js';
import type { Schema } from '../schema/model.js';

/** What can be granted on a content type. `readDrafts` goes beside `find` or `findOne` (D17). */
export const ACTIONS = ['find', 'findOne', 'create', 'update', 'delete', 'readDrafts', 'publish'] as const;

export type Action = (typeof ACTIONS)[number];

/** Grants by `singularApiId`, or `'*'` for every type; a list of actions, or `'*'` for all of them. */
export type Grants = Readonly<Record<string, '*' | readonly Action[]>>;

/**
 * An immutable set of rights. Everything that is not granted is denied.
 *
 * @publicApi
 */
export class Permissions {
  private constructor(private readonly granted: ReadonlySet<string>) {}

  /** Whether `action` on the type with this `singularApiId` is granted. */
  allows(type: string, action: Action): boolean {
    const { granted } = this;
    return granted.has(`${type}.${action}`) || granted.has(`*.${action}`);
  }

  /** Whether nothing at all is granted. */
  get isEmpty(): boolean {
    return this.granted.size === 0;
  }

  static readonly NONE = new Permissions(new Set());
  static readonly ALL = Permissions.of({ '*': '*' });

  static of(grants: Grants): Permissions {
    const entries = Object.entries(grants).flatMap(([type, actions]) =>
      (actions === '*' ? ACTIONS : actions).map((action) => `${type}.${action}`),
    );
    return new Permissions(new Set(entries));
  }
}

/** Grants that name a type or an action which does not exist; `where` is their place in the options. */
export function checkGrants(grants: Grants, schema: Schema, where: string): string[] {
  const known = [...schema.types.values()].filter((type) => !type.internal).map((type) => type.singularApiId);
  return Object.entries(grants).flatMap(([type, actions]) => {
    const unknownType = type === '*' || known.includes(type) ? [] : [`${where}: "${type}" is not a content type${suggest(type, known)}`];
    const list: readonly string[] = actions === '*' ? [] : actions;
    const unknownActions = list.filter((action) => !(ACTIONS as readonly string[]).includes(action));
    return [...unknownType, ...unknownActions.map((action) => `${where}.${type}: "${action}" is not an action${suggest(action, ACTIONS)}`)];
  });
}
