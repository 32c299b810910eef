/**
 * The document after a write, as a pure function of what the body gives and what is stored: defaults, merged
 * components, new relation lists, and all problems together. Nothing is written before this has passed.
 */
import { ContentError } from '../errors.js';
import { isObject } from '../json.js';
import type { Place } from '../schema/place.js';
import type {
  Component,
  ComponentAttribute,
  ContentType,
  RelationAttribute,
  ScalarAttribute,
  ZoneAttribute,
} from '../schema/model.js';
import type { Given, GivenInstance } from './body.js';
import { storedList } from './settle-list.js';
import {
  at,
  type Part,
  partOf,
  reportMissing,
  type Scope,
  type SettleContext,
  settleRelation,
  settleScalar,
} from './settle-values.js';
import { instancesOf, type Stored, StoredInstances } from './stored-instances.js';

/** What a write puts into columns and lists. */
export interface Settled {
  readonly values: ReadonlyMap<ScalarAttribute | ComponentAttribute | ZoneAttribute, unknown>;
  readonly lists: ReadonlyMap<RelationAttribute, readonly string[]>;
}

/** An instance of a body, at its place. Throws for the id of another attribute's (protocol 12.8). */
function instance(
  { component, id, values }: GivenInstance,
  { attribute, scope, known, part }: Holder,
  path: readonly string[],
  context: SettleContext,
): Stored {
  const named = id !== undefined && id !== null && scope.stored !== null;
  const found = named ? known.find(id, component.uid) : undefined;
  if (named && found === undefined)
    throw new ContentError(
      'ApplicationError',
      `Some of the provided components in ${attribute.name} are not related to the entity`,
    );
  const stored = found?.stored ?? null;
  const identity =
    stored === null ? context.newInstance() : { id: stored['id'], documentId: stored['documentId'] };
  const inner: Scope = {
    path,
    within: { attribute, component, outer: scope.within },
    given: values,
    stored,
    versions: found?.versions ?? [],
    part,
  };
  const kind = attribute.kind === 'zone' ? { __component: component.uid } : {};
  return { ...identity, ...kind, ...settleComponent(component, inner, context) };
}

/** The attribute that instances of a body are settled for. */
interface Holder {
  readonly attribute: ComponentAttribute | ZoneAttribute;
  readonly scope: Scope;
  readonly known: StoredInstances;
  readonly part: Part;
}

const holderOf = ({ attribute }: Embedded, scope: Scope, context: SettleContext): Holder => ({
  attribute,
  scope,
  known: new StoredInstances(attribute, scope),
  part: partOf(attribute, scope, context),
});

/** An instance's values; what is null is left out of the stored JSON. */
function settleComponent(component: Component, scope: Scope, context: SettleContext): Stored {
  const result: Record<string, unknown> = {};
  for (const [name, attribute] of component.attributes) {
    if (attribute.kind === 'relation') {
      const settled = settleRelation(attribute, scope.given.get(name), scope, context);
      const list = settled ?? storedList(scope.stored, attribute);
      if (list.length > 0) result[name] = attribute.many ? list : list[0];
    } else if (attribute.kind !== 'scalar' || !attribute.system) {
      const settled = settleValue(attribute, scope.given.get(name), scope, context);
      const value = settled === undefined ? scope.stored?.[name] : settled;
      if (value !== null && value !== undefined) result[name] = value;
    }
  }
  return result;
}

function checkCount(
  items: readonly unknown[],
  attribute: ComponentAttribute | ZoneAttribute,
  to: Place,
): void {
  const { min, max } = attribute.def;
  const needed = attribute.required || items.length > 0;
  if (!to.draft && min !== undefined && needed && items.length < min)
    to.report(`${to.label} field must have at least ${min} items`, items);
  if (max !== undefined && items.length > max)
    to.report(`${to.label} field must have less than or equal to ${max} items`, items);
}

/** Why an entry of a list is no instance. */
function reportEntry(raw: unknown, attribute: ComponentAttribute | ZoneAttribute, to: Place): void {
  if (!isObject(raw)) return to.reportType('object', null, raw === null ? undefined : raw);
  if (attribute.kind !== 'zone') return;
  const kind = raw['__component'];
  if (kind === undefined || kind === null)
    return to.report(`${to.label}.__component is a required field`, undefined, ['__component']);
  const allowed = attribute.components.map(({ uid }) => uid).join(', ');
  to.report(`${to.label}.__component must be one of the following values: ${allowed}`, kind, ['__component']);
}

type Embedded = Extract<Given, { kind: 'embedded' }>;

function manyInstances(given: Embedded, scope: Scope, context: SettleContext): unknown {
  const { attribute, raw } = given;
  const to = at({ from: 'body', attribute }, scope, context);
  if (!Array.isArray(raw)) return to.reportType('array', raw);
  checkCount(raw, attribute, to);
  const holder = holderOf(given, scope, context);
  const whole = { ...context, complete: true };
  const settled = given.instances.flatMap((item, i) => {
    const path = [...scope.path, attribute.name, String(i)];
    if (item !== null) return [instance(item, holder, path, whole)];
    reportEntry(raw[i], attribute, at({ from: 'body', attribute, entry: String(i) }, scope, context));
    return [];
  });
  // An id sent twice means one instance.
  const byId = new Map<unknown, Stored>();
  for (const item of settled) byId.set(item['id'], item);
  return byId.size === settled.length ? settled : [...byId.values()];
}

function oneInstance(given: Embedded, scope: Scope, context: SettleContext): unknown {
  const { attribute, raw } = given;
  const to = at({ from: 'body', attribute }, scope, context);
  if (raw === null) {
    if (attribute.required) reportMissing(null, 'object', to, context);
    return null;
  }
  const [item] = given.instances;
  if (item === undefined || item === null) return to.reportType('object', raw);
  const holder = holderOf(given, scope, context);
  return instance(item, holder, [...scope.path, attribute.name], { ...context, complete: true });
}

/** Stored instances are checked again when they are about to be published. */
function checkStored(
  attribute: ComponentAttribute | ZoneAttribute,
  scope: Scope,
  context: SettleContext,
): void {
  const to = at({ from: 'stored', attribute }, scope, context);
  const list = instancesOf(scope.stored?.[attribute.name]);
  const items = attribute.many ? list : list.slice(0, 1);
  if (attribute.many) {
    if (attribute.required && scope.stored === null)
      reportMissing(undefined, 'array', to, { ...context, missingIsNull: false });
    else checkCount(items, attribute, to);
  } else if (items.length === 0 && attribute.required) reportMissing(undefined, 'object', to, context);
  const part = partOf(attribute, scope, context);
  items.forEach((item, i) => {
    const component =
      attribute.kind === 'component'
        ? attribute.component
        : attribute.components.find(({ uid }) => uid === item['__component']);
    const path = [...scope.path, attribute.name, ...(attribute.many ? [String(i)] : [])];
    if (component !== undefined)
      settleComponent(
        component,
        {
          path,
          within: { attribute, component, outer: scope.within },
          given: new Map(),
          stored: item,
          versions: [],
          part,
        },
        context,
      );
  });
}

/** A value's new state; undefined where the stored one stays, or where a problem has been reported. */
function settleValue(
  attribute: ScalarAttribute | ComponentAttribute | ZoneAttribute,
  given: Given | undefined,
  scope: Scope,
  context: SettleContext,
): unknown {
  if (attribute.kind === 'scalar') return settleScalar(attribute, given, scope, context);
  if (given?.kind === 'embedded')
    return attribute.many ? manyInstances(given, scope, context) : oneInstance(given, scope, context);
  if (context.complete) checkStored(attribute, scope, context);
  return undefined;
}

/**
 * Settles a document. `stored` holds the draft's values and relation lists, null on create; `versions` those
 * of its other state. Problems of values go to `context.issues`; relations and component ids that are wrong
 * throw at once.
 */
export function settle(
  type: ContentType,
  document: Omit<Scope, 'path' | 'within'>,
  context: SettleContext,
): Settled {
  const scope: Scope = { path: [], within: null, ...document };
  const values = new Map<ScalarAttribute | ComponentAttribute | ZoneAttribute, unknown>();
  const lists = new Map<RelationAttribute, readonly string[]>();
  for (const [name, attribute] of type.attributes) {
    const given = scope.given.get(name);
    if (attribute.kind === 'relation') {
      const list = settleRelation(attribute, given, scope, context);
      if (list !== undefined) lists.set(attribute, list);
    } else if (attribute.kind !== 'scalar' || !attribute.system) {
      const value = settleValue(attribute, given, scope, context);
      if (value !== undefined) values.set(attribute, value);
    }
  }
  return { values, lists };
}
