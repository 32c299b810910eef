/**
 * The document after a write, as a pure function of what the body gives and what is stored: defaults, merged
 * components, new relation lists, and all problems together. Nothing is written before this has passed.
 */
import { ContentError, type Issue } from '../errors.js';
import { isObject } from '../query/read-raw.js';
import { type Place, sentPlace, storedPlace, untoldPlace } from '../schema/place.js';
import type {
  Attribute,
  Component,
  ComponentAttribute,
  ContentType,
  Model,
  RelationAttribute,
  ScalarAttribute,
  ZoneAttribute,
} from '../schema/model.js';
import type { Body, Given, GivenInstance, GivenValues } from './body.js';
import { isHidden, type Telling } from './rights.js';
import { type GivenRelation, type LinkResolver, settleList, storedList } from './settle-list.js';

/** Stored values in the answer's form, by attribute name. */
export type Stored = Readonly<Record<string, unknown>>;

export interface SettleContext {
  /** Drafts may be incomplete; what is published may not (protocol 8.11). */
  readonly draft: boolean;
  /** In types with drafts a missing value is the draft's null; elsewhere it is undefined (protocol 8.12). */
  readonly missingIsNull: boolean;
  /** Whether attributes that the body leaves out are checked too: on create and on publish. */
  readonly complete: boolean;
  readonly issues: Issue[];
  readonly newInstance: () => { readonly id: number; readonly documentId: string };
  readonly hash: (password: string) => string;
  readonly resolver: (given: GivenRelation, stored: readonly string[]) => LinkResolver;
  readonly telling: Body['telling'];
  readonly isSent: Body['isSent'];
}

/** What a write puts into columns and lists. */
export interface Settled {
  readonly values: ReadonlyMap<ScalarAttribute | ComponentAttribute | ZoneAttribute, unknown>;
  readonly lists: ReadonlyMap<RelationAttribute, readonly string[]>;
}

interface Scope {
  readonly path: readonly string[];
  readonly given: GivenValues;
  /** The stored values; null for a new document or instance. */
  readonly stored: Stored | null;
  /** Stored values of any version, where ids of component instances may come from (D18). */
  readonly versions: readonly Stored[];
  /** Inside components: what holds for the whole that this is part of. */
  readonly part?: Part;
}

/** What an error may tell of a value, and whether it is the caller's own. */
interface Part {
  readonly telling: Telling;
  readonly sent: boolean;
}

/** At the root by the caller's rights, below it like the whole that it is part of. */
const partOf = (attribute: Attribute, { part }: Scope, context: SettleContext): Part =>
  part ?? { telling: context.telling(attribute), sent: context.isSent(attribute) };

/** A value: what the body gives for an attribute, or what it does not; or one entry of it. */
interface Spot {
  readonly from: 'body' | 'stored';
  readonly attribute: Attribute;
  readonly entry?: string;
}

function at({ from, attribute, entry }: Spot, scope: Scope, context: SettleContext): Place {
  const { telling, sent } = partOf(attribute, scope, context);
  const path = [...scope.path, attribute.name, ...(entry === undefined ? [] : [entry])];
  const where = { path, draft: context.draft, issues: context.issues };
  if (telling === 'nothing' || (telling === 'shown' && isHidden(attribute))) return untoldPlace(where);
  return from === 'body' && sent ? sentPlace(where) : storedPlace(where);
}

/** A required value that is not there; `label` names its type in the message about null. */
function reportMissing(value: null | undefined, label: string, to: Place, context: SettleContext): void {
  if (context.draft) return;
  if (value === null || context.missingIsNull) to.reportNull(label);
  else to.report(`${to.label} must be defined.`);
}

function scalar(attribute: ScalarAttribute, raw: unknown, to: Place, context: SettleContext): unknown {
  if (raw === undefined || raw === null) {
    if (attribute.required) reportMissing(raw, attribute.type.label, to, context);
    return null;
  }
  const value = attribute.type.accept(raw, attribute.def, to) ?? null;
  return attribute.def.type === 'password' && typeof value === 'string' ? context.hash(value) : value;
}

const instances = (value: unknown): readonly Stored[] =>
  Array.isArray(value) ? value.filter(isObject) : isObject(value) ? [value] : [];

/** The stored instance that an id in the body means. Throws for one of another attribute (protocol 12.8). */
function storedInstance(
  id: unknown,
  attribute: ComponentAttribute | ZoneAttribute,
  component: Component,
  scope: Scope,
): Stored | null {
  if (id === undefined || id === null || scope.stored === null) return null;
  const candidates = [scope.stored, ...scope.versions].flatMap((version) =>
    instances(version[attribute.name]),
  );
  const wanted = typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id;
  const found = candidates.find(
    (instance) =>
      instance['id'] === wanted &&
      (attribute.kind === 'component' || instance['__component'] === component.uid),
  );
  if (found === undefined)
    throw new ContentError(
      'ApplicationError',
      `Some of the provided components in ${attribute.name} are not related to the entity`,
    );
  return found;
}

function instance(
  given: GivenInstance,
  attribute: ComponentAttribute | ZoneAttribute,
  outer: Scope,
  context: SettleContext,
): Stored {
  const { path, ...scope } = outer;
  const stored = storedInstance(given.id, attribute, given.component, outer);
  const identity =
    stored === null ? context.newInstance() : { id: stored['id'], documentId: stored['documentId'] };
  const versions = scope.versions
    .flatMap((version) => instances(version[attribute.name]))
    .filter((item) => item['id'] === identity.id);
  const part = partOf(attribute, outer, context);
  const inner: Scope = { path, given: given.values, stored, versions, part };
  const kind = attribute.kind === 'zone' ? { __component: given.component.uid } : {};
  return { ...identity, ...kind, ...settleComponent(given.component, inner, { ...context, complete: true }) };
}

/** An instance's values; what is null is left out of the stored JSON. */
function settleComponent(component: Component, scope: Scope, context: SettleContext): Stored {
  const { values, lists } = settleModel(component, scope, context);
  const result: Record<string, unknown> = {};
  for (const attribute of component.attributes.values()) {
    if (attribute.kind === 'relation') {
      const list = lists.get(attribute) ?? storedList(scope.stored, attribute);
      if (list.length > 0) result[attribute.name] = attribute.many ? list : list[0];
      continue;
    }
    const value = values.has(attribute) ? values.get(attribute) : scope.stored?.[attribute.name];
    if (value !== null && value !== undefined && !(attribute.kind === 'scalar' && attribute.system))
      result[attribute.name] = value;
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
  const settled = given.instances.flatMap((item, i) => {
    const path = [...scope.path, attribute.name, String(i)];
    if (item !== null) return [instance(item, attribute, { ...scope, path }, context)];
    reportEntry(raw[i], attribute, at({ from: 'body', attribute, entry: String(i) }, scope, context));
    return [];
  });
  // An id sent twice means one instance.
  return [...new Map(settled.map((item) => [item['id'], item])).values()];
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
  return instance(item, attribute, { ...scope, path: [...scope.path, attribute.name] }, context);
}

/** Stored instances are checked again when they are about to be published. */
function checkStored(
  attribute: ComponentAttribute | ZoneAttribute,
  scope: Scope,
  context: SettleContext,
): void {
  const to = at({ from: 'stored', attribute }, scope, context);
  const items = instances(scope.stored?.[attribute.name]);
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
      settleComponent(component, { path, given: new Map(), stored: item, versions: [], part }, context);
  });
}

function settleScalar(
  attribute: ScalarAttribute,
  given: Given | undefined,
  scope: Scope,
  context: SettleContext,
): unknown {
  if (given?.kind === 'scalar')
    return scalar(attribute, given.raw, at({ from: 'body', attribute }, scope, context), context);
  const to = at({ from: 'stored', attribute }, scope, context);
  // A uid that is made from another attribute may be left out.
  if (scope.stored === null && attribute.def.generate === true) return null;
  if (scope.stored === null) return scalar(attribute, attribute.def.default, to, context);
  // A stored password is a hash, which says nothing about the rules for passwords.
  const stored = scope.stored[attribute.name];
  const checkable =
    context.complete && !(attribute.def.type === 'password' && stored !== null && stored !== undefined);
  if (checkable) scalar(attribute, stored ?? (context.missingIsNull ? null : undefined), to, context);
  return undefined;
}

function settleModel(model: Model, scope: Scope, context: SettleContext): Settled {
  const values = new Map<ScalarAttribute | ComponentAttribute | ZoneAttribute, unknown>();
  const lists = new Map<RelationAttribute, readonly string[]>();
  const settleOne = (attribute: Attribute, given: Given | undefined): void => {
    if (attribute.kind === 'relation') {
      if (given?.kind !== 'relation' || given.input.kind === 'keep') return;
      const stored = storedList(scope.stored, attribute);
      lists.set(
        attribute,
        settleList({
          given,
          stored,
          resolver: context.resolver(given, stored),
          path: [...scope.path, attribute.name],
          sent: partOf(attribute, scope, context).sent,
        }),
      );
    } else if (attribute.kind === 'scalar') {
      if (attribute.system) return;
      const value = settleScalar(attribute, given, scope, context);
      if (value !== undefined) values.set(attribute, value);
    } else if (given?.kind === 'embedded') {
      values.set(
        attribute,
        attribute.many ? manyInstances(given, scope, context) : oneInstance(given, scope, context),
      );
    } else if (context.complete) checkStored(attribute, scope, context);
  };
  for (const [name, attribute] of model.attributes) settleOne(attribute, scope.given.get(name));
  return { values, lists };
}

/**
 * Settles a document. `stored` holds the draft's values and relation lists, null on create; `versions` those
 * of its other state. Problems of values go to `context.issues`; relations and component ids that are wrong
 * throw at once.
 */
export const settle = (type: ContentType, document: Omit<Scope, 'path'>, context: SettleContext): Settled =>
  settleModel(type, { path: [], ...document }, context);
