/** Changes some actions of stored grants. */
import { type Action, actionsOn, EVERY, OTHER_SUBJECTS } from '../../content/access/actions.js';
import type { Grant, Grants } from '../../content/access/permissions.js';
import { isObject } from '../../kernel/json.js';
import type { LeafLimits } from './tree-conditions.js';

export interface GrantChange {
  readonly subject: string;
  readonly actions: readonly Action[];
  /** Conditions under which the actions are granted, `{}` for all documents; an empty list removes them. */
  readonly leafLimits: readonly LeafLimits[];
  /** Whether earlier grants of the actions do not count. Otherwise their attributes stay. */
  readonly isNew: boolean;
}

export interface ChangedGrants {
  readonly grants: Grants;
  /** Grants that changes added. */
  readonly added: Grants;
}

type StoredList = Grants[string] | undefined;

/** Whether a value of the database, whose type is not guaranteed, is a list. */
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const listOf = (list: StoredList, subject: string): readonly Grant[] => {
  if (list === '*') return actionsOn(subject);
  return isList(list) ? list : [];
};

/** Returns the actions of a grant; none for one that is not valid. */
function actionsOf(grant: Grant, subject: string): readonly Action[] {
  if (typeof grant === 'string') return [grant];
  const actions = isObject(grant) ? grant.actions : [];
  if (actions === '*') return actionsOn(subject);
  return isList(actions) ? actions : [];
}

/** Returns a grant for some of its actions. Only those with `move` can have stages. */
function narrowed(grant: Grant, actions: readonly Action[]): Exclude<Grant, string> {
  if (typeof grant === 'string') return { actions };
  const { stages, ...limits } = grant;
  return { ...limits, ...(stages === undefined || !actions.includes('move') ? {} : { stages }), actions };
}

interface Split {
  readonly retained: readonly Grant[];
  /** Grants of the removed actions only. */
  readonly removed: readonly Exclude<Grant, string>[];
}

/** Separates some actions from the others. Grants without them are returned as they are. */
function split(list: StoredList, subject: string, actions: readonly Action[]): Split {
  const parts = listOf(list, subject).map((grant): Split => {
    const own = actionsOf(grant, subject);
    const meant = own.filter((action) => actions.includes(action));
    if (meant.length === 0) return { retained: [grant], removed: [] };
    const others = own.filter((action) => !actions.includes(action));
    return {
      retained: others.length === 0 ? [] : [narrowed(grant, others)],
      removed: [narrowed(grant, meant)],
    };
  });
  return {
    retained: parts.flatMap(({ retained }) => retained),
    removed: parts.flatMap(({ removed }) => removed),
  };
}

const withList = (grants: Grants, subject: string, list: readonly Grant[]): Grants => {
  const { [subject]: _former, ...others } = grants;
  return list.length === 0 ? others : { ...grants, [subject]: list };
};

/** Replaces grants of actions on every type by grants on each type, so that one of them can change. */
function withoutEvery(grants: Grants, actions: readonly Action[], types: readonly string[]): Grants {
  const { retained, removed } = split(grants[EVERY], EVERY, actions);
  if (removed.length === 0) return grants;
  return [...types, ...OTHER_SUBJECTS].reduce(
    (all, subject) => {
      const supported = actionsOn(subject);
      const named = removed
        .flatMap((grant) => actionsOf(grant, EVERY))
        .filter((action) => supported.includes(action));
      const list = listOf(all[subject], subject);
      const missing = named.filter((action) => !list.includes(action));
      return missing.length === 0 ? all : withList(all, subject, [...list, ...missing]);
    },
    withList(grants, EVERY, retained),
  );
}

/** Grants of changed actions, with the attributes of the earlier ones. */
function addedBy({ actions, leafLimits, isNew }: GrantChange, removed: Split['removed']): readonly Grant[] {
  const former = isNew || removed.length === 0 ? [{ actions }] : removed;
  const all = leafLimits.flatMap((limits) =>
    former.flatMap((grant: Exclude<Grant, string>): readonly Grant[] => {
      const { where: _where, preset: _preset, ...rest } = grant;
      const isPlain = Object.keys(rest).length === 1 && Object.keys(limits).length === 0;
      return isPlain && grant.actions !== '*' ? grant.actions : [{ ...rest, ...limits }];
    }),
  );
  return [...new Map(all.map((grant) => [JSON.stringify(grant), grant])).values()];
}

/** Applies changes to stored grants, with the names of all types. All other grants stay as they are. */
export function changedGrants(
  stored: Grants,
  changes: readonly GrantChange[],
  types: readonly string[],
): ChangedGrants {
  return changes.reduce<ChangedGrants>(
    ({ grants, added }, change) => {
      const { subject, actions, leafLimits } = change;
      const isRemoved = !change.isNew || leafLimits.length === 0;
      const base = isRemoved ? withoutEvery(grants, actions, types) : grants;
      const { retained, removed } = split(base[subject], subject, actions);
      const more = addedBy(change, removed);
      return {
        grants: withList(base, subject, [...retained, ...more]),
        added: withList(added, subject, [...listOf(added[subject], subject), ...more]),
      };
    },
    { grants: stored, added: {} },
  );
}
