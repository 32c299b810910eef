/**
 * The document after a write, as a pure function of what the body gives and what is stored: defaults, merged
 * components, new relation lists, and all problems together. Nothing is written before this has passed.
 */
import { ContentError } from '../errors.js';
import { isObject } from '../json.js';
import { byKind } from '../schema/by-kind.js';
import type { Place } from '../schema/place.js';
import type {
  Attribute,
  Component,
  ContentType,
  EmbeddedAttribute,
  RelationAttribute,
  ScalarAttribute,
} from '../schema/model.js';
import { componentOf, type GivenInstance, type GivenInstances, NOTHING_GIVEN } from './given.js';
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
  readonly values: ReadonlyMap<ScalarAttribute | EmbeddedAttribute, unknown>;
  readonly lists: ReadonlyMap<RelationAttribute, readonly string[]>;
}

/** An instance of a body, at its place. Throws for the id of another attribute's (protocol 12.8). */
function instance(
  { component, id, values }: GivenInstance,
  { attribute, scope, known, part, context }: Holder,
  path: readonly string[],
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
  const kind = attribute.named ? { __component: component.uid } : {};
  return { ...identity, ...kind, ...settleComponent(component, inner, context) };
}

/** The attribute that instances of a body are settled for. */
interface Holder {
  readonly attribute: EmbeddedAttribute;
  readonly scope: Scope;
  readonly known: StoredInstances;
  readonly part: Part;
  readonly context: SettleContext;
}

/** Instances of a body are checked as a whole. */
const holderOf = ({ attribute }: GivenInstances, scope: Scope, context: SettleContext): Holder => ({
  attribute,
  scope,
  known: new StoredInstances(attribute, scope),
  part: partOf(attribute, scope, context),
  context: { ...context, complete: true },
});

/** What an instance comes to hold of an attribute. */
const memberOf = byKind<Attribute, [Scope, SettleContext], unknown>({
  scalar: (attribute, scope, context) => orStored(attribute, settleScalar(attribute, scope, context), scope),
  component: (attribute, scope, context) =>
    orStored(attribute, settleInstances(attribute, scope, context), scope),
  zone: (attribute, scope, context) => orStored(attribute, settleInstances(attribute, scope, context), scope),
  relation: (attribute, scope, context) => {
    const list = settleRelation(attribute, scope, context) ?? storedList(scope.stored, attribute);
    return attribute.many && list.length > 0 ? list : list[0];
  },
});

const orStored = ({ name }: Attribute, settled: unknown, { stored }: Scope): unknown =>
  settled === undefined ? stored?.[name] : settled;

/** An instance's values; what is null is left out of the stored JSON. */
function settleComponent(component: Component, scope: Scope, context: SettleContext): Stored {
  const result: Record<string, unknown> = {};
  for (const [name, attribute] of component.attributes) {
    if (attribute.system) continue;
    const value = memberOf(attribute, scope, context);
    if (value !== null && value !== undefined) result[name] = value;
  }
  return result;
}

function checkCount(items: readonly unknown[], attribute: EmbeddedAttribute, to: Place): void {
  const { min, max } = attribute.def;
  const needed = attribute.required || items.length > 0;
  if (!to.draft && min !== undefined && needed && items.length < min)
    to.report(`${to.label} field must have at least ${min} items`, items);
  if (max !== undefined && items.length > max)
    to.report(`${to.label} field must have less than or equal to ${max} items`, items);
}

/** Why an entry of a list is no instance. */
function reportEntry(raw: unknown, attribute: EmbeddedAttribute, to: Place): void {
  if (!isObject(raw)) return to.reportType('object', null, raw === null ? undefined : raw);
  if (!attribute.named) return;
  const kind = raw['__component'];
  if (kind === undefined || kind === null)
    return to.report(`${to.label}.__component is a required field`, undefined, ['__component']);
  const allowed = attribute.components.map(({ uid }) => uid).join(', ');
  to.report(`${to.label}.__component must be one of the following values: ${allowed}`, kind, ['__component']);
}

function manyInstances(given: GivenInstances, scope: Scope, context: SettleContext): unknown {
  const { attribute, raw } = given;
  const to = at({ from: 'body', attribute }, scope, context);
  if (!Array.isArray(raw)) return to.reportType('array', raw);
  checkCount(raw, attribute, to);
  const holder = holderOf(given, scope, context);
  const settled = given.instances.flatMap((item, i) => {
    const path = [...scope.path, attribute.name, String(i)];
    if (item !== null) return [instance(item, holder, path)];
    reportEntry(raw[i], attribute, at({ from: 'body', attribute, entry: String(i) }, scope, context));
    return [];
  });
  // An id sent twice means one instance.
  const byId = new Map<unknown, Stored>();
  for (const item of settled) byId.set(item['id'], item);
  return byId.size === settled.length ? settled : [...byId.values()];
}

function oneInstance(given: GivenInstances, scope: Scope, context: SettleContext): unknown {
  const { attribute, raw } = given;
  const to = at({ from: 'body', attribute }, scope, context);
  if (raw === null) {
    if (attribute.required) reportMissing(to, { value: null, label: 'object' }, context);
    return null;
  }
  const [item] = given.instances;
  if (item === undefined || item === null) return to.reportType('object', raw);
  const holder = holderOf(given, scope, context);
  return instance(item, holder, [...scope.path, attribute.name]);
}

/** Stored instances are checked again when they are about to be published. */
function checkStored(attribute: EmbeddedAttribute, scope: Scope, context: SettleContext): void {
  const to = at({ from: 'stored', attribute }, scope, context);
  const list = instancesOf(scope.stored?.[attribute.name]);
  const items = attribute.many ? list : list.slice(0, 1);
  if (attribute.many) {
    if (attribute.required && scope.stored === null)
      reportMissing(to, { value: undefined, label: 'array' }, { ...context, missingIsNull: false });
    else checkCount(items, attribute, to);
  } else if (items.length === 0 && attribute.required)
    reportMissing(to, { value: undefined, label: 'object' }, context);
  const part = partOf(attribute, scope, context);
  items.forEach((item, i) => {
    const component = componentOf(attribute, item);
    const path = [...scope.path, attribute.name, ...(attribute.many ? [String(i)] : [])];
    if (component !== undefined)
      settleComponent(
        component,
        {
          path,
          within: { attribute, component, outer: scope.within },
          given: NOTHING_GIVEN,
          stored: item,
          versions: [],
          part,
        },
        context,
      );
  });
}

/** The new instances; undefined where the stored ones stay, or where a problem has been reported. */
function settleInstances(attribute: EmbeddedAttribute, scope: Scope, context: SettleContext): unknown {
  const given = scope.given.embedded.get(attribute.name);
  if (given !== undefined)
    return attribute.many ? manyInstances(given, scope, context) : oneInstance(given, scope, context);
  if (context.complete) checkStored(attribute, scope, context);
  return undefined;
}

/** What is being settled, and what has been. */
interface Settling {
  readonly scope: Scope;
  readonly context: SettleContext;
  readonly values: Map<ScalarAttribute | EmbeddedAttribute, unknown>;
  readonly lists: Map<RelationAttribute, readonly string[]>;
}

function put<A>(into: Map<A, unknown>, attribute: A, value: unknown): void {
  if (value !== undefined) into.set(attribute, value);
}

const settleInstancesInto = (attribute: EmbeddedAttribute, { scope, context, values }: Settling): void =>
  put(values, attribute, settleInstances(attribute, scope, context));

const settleInto = byKind<Attribute, [Settling], void>({
  scalar: (attribute, { scope, context, values }) =>
    put(values, attribute, settleScalar(attribute, scope, context)),
  component: settleInstancesInto,
  zone: settleInstancesInto,
  relation: (attribute, { scope, context, lists }) =>
    put(lists, attribute, settleRelation(attribute, scope, context)),
});

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
  const settling: Settling = { scope, context, values: new Map(), lists: new Map() };
  for (const attribute of type.attributes.values()) if (!attribute.system) settleInto(attribute, settling);
  return { values: settling.values, lists: settling.lists };
}
