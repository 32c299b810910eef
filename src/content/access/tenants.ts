/**
 * Permissions within a tenant: every grant on a type with `tenant` covers the documents of the caller's
 * tenant only. The result has ordinary conditions, so nothing else knows of tenants.
 */
import type { ContentType, Schema } from '../model/model.js';
import type { CallerFacts } from './caller-facts.js';
import { plainValue } from './data-conditions.js';
import {
  conditionOf,
  type GrantCondition,
  type GrantFilters,
  type PresetOf,
  type WhereOf,
} from './grant-condition.js';
import type { AnyEntry } from './limited-grants.js';
import { actionsOn, EVERY, OTHER_SUBJECTS, typeOfSubject, withinAcross } from './actions.js';
import type { Permissions } from './permissions.js';

/** Filters of an attribute: a relation is compared by its document id, a list of values with each of them. */
function equals(type: ContentType, name: string, value: unknown): GrantFilters {
  const filter = Array.isArray(value) ? { $in: value } : { $eq: value };
  return { [name]: type.attributes.get(name)?.linked === true ? { documentId: filter } : filter };
}

/**
 * Conditions of types with the same attributes. They are made once: equal permissions are then the same
 * object, and a request evaluates each condition once for all types.
 */
class TenantConditions {
  private readonly conditions = new Map<WhereOf | 'own' | 'all', WhereOf>();
  private readonly presets = new Map<PresetOf | null, PresetOf>();

  constructor(
    private readonly type: ContentType,
    private readonly tenant: string,
  ) {}

  within(limit: GrantCondition | null): GrantCondition {
    return conditionOf(this.whereOf(limit?.where ?? 'all'), this.presetOf(limit?.preset ?? null));
  }

  private whereOf(where: WhereOf | 'own' | 'all'): WhereOf {
    const cached = this.conditions.get(where);
    if (cached !== undefined) return cached;
    const of: WhereOf = (caller) => {
      const filters = where === 'all' ? [] : [this.filtersOf(where, caller)];
      return filters.includes(false)
        ? false
        : { $and: [equals(this.type, this.tenant, this.valueOf(caller)), ...filters] };
    };
    this.conditions.set(where, of);
    return of;
  }

  private filtersOf(where: WhereOf | 'own', caller: CallerFacts): GrantFilters | false {
    if (where !== 'own') return where(caller);
    const { owner } = this.type;
    return (
      caller.kind === 'user' && caller.id !== null && owner !== null && equals(this.type, owner, caller.id)
    );
  }

  /** A caller of several tenants must not create documents: its value is a list, so the preset is missing. */
  private presetOf(preset: PresetOf | null): PresetOf {
    const cached = this.presets.get(preset);
    if (cached !== undefined) return cached;
    const of: PresetOf = (caller) => {
      const value = this.valueOf(caller);
      return { ...preset?.(caller), [this.tenant]: Array.isArray(value) ? undefined : value };
    };
    this.presets.set(preset, of);
    return of;
  }

  private valueOf({ attributes = {} }: CallerFacts): unknown {
    return Object.hasOwn(attributes, this.tenant) ? plainValue(attributes[this.tenant]) : undefined;
  }
}

/** All that the conditions of a type depend on. */
const formOf = ({ tenant, owner, attributes }: ContentType): string =>
  JSON.stringify([tenant, owner].map((name) => [name, attributes.get(name ?? '')?.linked ?? null]));

/** Returns permissions within tenants; the same ones for a model without tenants. */
export class Tenants {
  private readonly conditions: ReadonlyMap<string, TenantConditions>;
  private readonly limitedPermissions = new WeakMap<Permissions, Permissions>();

  constructor(private readonly schema: Schema) {
    const byForm = new Map<string, TenantConditions>();
    this.conditions = new Map(
      [...schema.types.values()].flatMap((type): [string, TenantConditions][] => {
        if (type.tenant === null) return [];
        const form = formOf(type);
        const conditions = byForm.get(form) ?? new TenantConditions(type, type.tenant);
        byForm.set(form, conditions);
        return [[type.singularApiId, conditions]];
      }),
    );
  }

  within(permissions: Permissions): Permissions {
    if (this.conditions.size === 0 || permissions.isWithinTenant) return permissions;
    const cached = this.limitedPermissions.get(permissions);
    if (cached !== undefined) return cached;
    const limited = permissions.replaceEntries((entry) => this.limited(entry), true);
    this.limitedPermissions.set(permissions, limited);
    return limited;
  }

  private limited(entry: AnyEntry): readonly AnyEntry[] {
    if (entry.type === EVERY)
      return [...this.schema.types.keys(), ...OTHER_SUBJECTS]
        .filter((type) => actionsOn(type).includes(entry.action))
        .flatMap((type) => this.limited({ ...entry, type }));
    const across = withinAcross(entry.type);
    if (across !== null) return [{ ...entry, type: across }];
    const conditions = this.conditions.get(typeOfSubject(entry.type));
    return conditions === undefined ? [entry] : [{ ...entry, limit: conditions.within(entry.limit) }];
  }
}
