/**
 * Computes the document after a write from input and stored values: defaults, merged components, relation
 * lists. Collects all errors before anything is written.
 */
import { ContentError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { byKind } from '../model/by-kind.js';
import type { DocumentCheck } from '../model/checks.js';
import type { ValueContext } from '../model/value-context.js';
import type {
  Attribute,
  Component,
  ContentType,
  EmbeddedAttribute,
  LinkedAttribute,
  ScalarAttribute,
} from '../model/model.js';
import { componentOf, type GivenInstance, type GivenInstances, NOTHING_GIVEN } from './given.js';
import { storedList } from './plan-list.js';
import {
  contextOf,
  type Part,
  partOf,
  reportMissing,
  type Level,
  type PlanContext,
  planRelation,
  planScalar,
} from './plan-value.js';
import {
  instancesOf,
  type StoredValues,
  StoredInstances,
  unknownMembers,
  keepUnknown,
} from './stored-instances.js';

export interface WriteValues {
  readonly values: ReadonlyMap<ScalarAttribute | EmbeddedAttribute, unknown>;
  readonly lists: ReadonlyMap<LinkedAttribute, readonly string[]>;
}

/** Plans an instance of a body. Refuses the id of another attribute's instance (protocol 12.8). */
function instance(
  { component, id, values }: GivenInstance,
  { attribute, level, known, part, context }: Container,
  path: readonly string[],
): StoredValues {
  const named = id !== undefined && id !== null && level.stored !== null;
  const found = named ? known.find(id, component.uid) : undefined;
  if (named && found === undefined && !context.restores) {
    const message = `Some of the provided components in ${attribute.name} are not related to the entity`;
    context.refusals.push({ error: new ContentError('ApplicationError', message), path: [...path, 'id'] });
    return {};
  }
  const stored = found?.stored ?? null;
  const identity =
    stored === null ? context.newInstance() : { id: stored['id'], documentId: stored['documentId'] };
  const inner: Level = {
    path,
    within: { attribute, component, outer: level.within },
    given: values,
    stored,
    versions: found?.versions ?? [],
    part,
  };
  const planned: Record<string, unknown> = { ...unknownMembers(component, stored), ...identity };
  if (attribute.named) planned['__component'] = component.uid;
  return planComponent(planned, inner, { component, context });
}

interface Container {
  readonly attribute: EmbeddedAttribute;
  readonly level: Level;
  readonly known: StoredInstances;
  readonly part: Part;
  readonly context: PlanContext;
}

/** Instances of a body are checked as a whole: they must be complete. */
const containerOf = ({ attribute }: GivenInstances, level: Level, context: PlanContext): Container => ({
  attribute,
  level,
  known: new StoredInstances(attribute, level),
  part: partOf(attribute, level, context),
  context: { ...context, complete: true },
});

function linkedMember(attribute: LinkedAttribute, level: Level, context: PlanContext): unknown {
  const list = planRelation(attribute, level, context) ?? storedList(level.stored, attribute);
  return attribute.many && list.length > 0 ? list : list[0];
}

const embeddedMember = (attribute: EmbeddedAttribute, level: Level, context: PlanContext): unknown =>
  plannedOrStored(attribute, orNothing(planInstances(attribute, level, context)), level);

const memberOf = byKind<Attribute, [Level, PlanContext], unknown>({
  scalar: (attribute, level, context) =>
    plannedOrStored(attribute, planScalar(attribute, level, context), level),
  component: embeddedMember,
  zone: embeddedMember,
  relation: linkedMember,
  morph: linkedMember,
});

const plannedOrStored = ({ name }: Attribute, planned: unknown, { stored }: Level): unknown =>
  planned === undefined ? stored?.[name] : planned;

interface PlannedComponent {
  readonly component: Component;
  readonly context: PlanContext;
}

/** Plans the values of an instance. Null values are omitted from the stored JSON. */
function planComponent(
  planned: Record<string, unknown>,
  level: Level,
  { component, context }: PlannedComponent,
): StoredValues {
  for (const attribute of component.attributes.values()) {
    if (attribute.system) continue;
    const value = memberOf(attribute, level, context);
    if (value !== null && value !== undefined) planned[attribute.name] = value;
  }
  return planned;
}

export function checkCount(items: readonly unknown[], attribute: EmbeddedAttribute, at: ValueContext): void {
  const { min, max } = attribute.def;
  const needed = attribute.required || items.length > 0;
  if (!at.draft && min !== undefined && needed && items.length < min)
    at.report(`${at.label} field must have at least ${min} items`, items);
  if (max !== undefined && items.length > max)
    at.report(`${at.label} field must have less than or equal to ${max} items`, items);
}

function reportEntry(raw: unknown, attribute: EmbeddedAttribute, at: ValueContext): void {
  if (!isObject(raw)) return at.reportType('object', null, raw === null ? undefined : raw);
  if (!attribute.named) return;
  const kind = raw['__component'];
  if (kind === undefined || kind === null)
    return at.report(`${at.label}.__component is a required field`, undefined, ['__component']);
  const allowed = attribute.components.map(({ uid }) => uid).join(', ');
  at.report(`${at.label}.__component must be one of the following values: ${allowed}`, kind, ['__component']);
}

function manyInstances(given: GivenInstances, level: Level, context: PlanContext): unknown {
  const { attribute, raw } = given;
  const at = contextOf({ from: 'body', attribute }, level, context);
  if (!Array.isArray(raw)) return at.reportType('array', raw);
  checkCount(raw, attribute, at);
  const holder = containerOf(given, level, context);
  const planned = given.instances.flatMap((item, i) => {
    const path = [...level.path, attribute.name, String(i)];
    if (item !== null) return [instance(item, holder, path)];
    reportEntry(raw[i], attribute, contextOf({ from: 'body', attribute, entry: String(i) }, level, context));
    return [];
  });
  // Equal ids mean one instance; the last entry applies. Instances of two components can have one id.
  const byId = new Map<unknown, StoredValues>();
  for (const item of planned)
    byId.set(attribute.named ? `${String(item['__component'])} ${String(item['id'])}` : item['id'], item);
  const list = byId.size === planned.length ? planned : [...byId.values()];
  return keepUnknown(list, attribute, level.stored);
}

function oneInstance(given: GivenInstances, level: Level, context: PlanContext): unknown {
  const { attribute, raw } = given;
  const at = contextOf({ from: 'body', attribute }, level, context);
  if (raw === null) {
    if (attribute.required) reportMissing(at, { value: null, label: 'object' }, context);
    return null;
  }
  const [item] = given.instances;
  if (item === undefined || item === null) return at.reportType('object', raw);
  const holder = containerOf(given, level, context);
  return instance(item, holder, [...level.path, attribute.name]);
}

function checkStored(attribute: EmbeddedAttribute, level: Level, context: PlanContext): void {
  const at = contextOf({ from: 'stored', attribute }, level, context);
  const list = instancesOf(level.stored?.[attribute.name]);
  const items = attribute.many ? list : list.slice(0, 1);
  if (attribute.many) {
    if (attribute.required && level.stored === null)
      reportMissing(at, { value: undefined, label: 'array' }, { ...context, missingIsNull: false });
    else checkCount(items, attribute, at);
  } else if (items.length === 0 && attribute.required)
    reportMissing(at, { value: undefined, label: 'object' }, context);
  const part = partOf(attribute, level, context);
  items.forEach((item, i) => {
    const component = componentOf(attribute, item);
    const path = [...level.path, attribute.name, ...(attribute.many ? [String(i)] : [])];
    if (component !== undefined)
      planComponent(
        {},
        {
          path,
          within: { attribute, component, outer: level.within },
          given: NOTHING_GIVEN,
          stored: item,
          versions: [],
          part,
        },
        { component, context },
      );
  });
}

function planInstances(attribute: EmbeddedAttribute, level: Level, context: PlanContext): unknown {
  const given = level.given.embedded.get(attribute.name);
  if (given !== undefined)
    return attribute.many ? manyInstances(given, level, context) : oneInstance(given, level, context);
  if (context.complete) checkStored(attribute, level, context);
  return undefined;
}

interface Planning {
  readonly level: Level;
  readonly context: PlanContext;
  readonly values: Map<ScalarAttribute | EmbeddedAttribute, unknown>;
  readonly lists: Map<LinkedAttribute, readonly string[]>;
}

function setDefined<A>(into: Map<A, unknown>, attribute: A, value: unknown): void {
  if (value !== undefined) into.set(attribute, value);
}

/** An empty list is stored as null, so that both have the same revision. */
const orNothing = (planned: unknown): unknown =>
  Array.isArray(planned) && planned.length === 0 ? null : planned;

const planInstancesInto = (attribute: EmbeddedAttribute, { level, context, values }: Planning): void =>
  setDefined(values, attribute, orNothing(planInstances(attribute, level, context)));

const planLinksInto = (attribute: LinkedAttribute, { level, context, lists }: Planning): void =>
  setDefined(lists, attribute, planRelation(attribute, level, context));

const planInto = byKind<Attribute, [Planning], void>({
  scalar: (attribute, { level, context, values }) =>
    setDefined(values, attribute, planScalar(attribute, level, context)),
  component: planInstancesInto,
  zone: planInstancesInto,
  relation: planLinksInto,
  morph: planLinksInto,
});

/** Attributes whose values a check of the type receives: all in `storage.ruled` but passwords. */
const checkedAttributes = ({ attributes, storage }: ContentType): (ScalarAttribute | EmbeddedAttribute)[] => {
  const hasRules = (one: Attribute): one is ScalarAttribute | EmbeddedAttribute =>
    storage.ruled.has(one.name) && one.def.type !== 'password';
  return [...attributes.values()].filter(hasRules);
};

/** Reports the messages of the type's own check. */
function validateWhole(
  type: ContentType,
  validate: DocumentCheck,
  { level, context, values }: Planning,
): void {
  const checked = checkedAttributes(type);
  const valueOf = (attribute: ScalarAttribute | EmbeddedAttribute): unknown =>
    values.get(attribute) ?? (values.has(attribute) ? null : (level.stored?.[attribute.name] ?? null));
  const found = validate(Object.fromEntries(checked.map((one) => [one.name, valueOf(one)])));
  if (typeof found === 'string')
    return void context.issues.push({ path: [], message: found, name: 'ValidationError' });
  for (const [name, message] of Object.entries(found ?? {})) {
    const attribute = checked.find((one) => one.name === name);
    if (attribute === undefined)
      throw new Error(`validate of ${type.singularApiId} names "${name}", which is none of its values`);
    const from = values.has(attribute) ? 'body' : 'stored';
    contextOf({ from, attribute }, level, context).report(message, valueOf(attribute));
  }
}

/**
 * Plans a document. `stored` has the draft's values and relation lists, null on create; `versions` the values
 * of its other state.
 * Errors of values go to `context.issues`, errors of relations and component ids to `context.refusals`.
 */
export function planValues(
  type: ContentType,
  document: Omit<Level, 'path' | 'within'>,
  context: PlanContext,
): WriteValues {
  const level: Level = { path: [], within: null, ...document };
  const planning: Planning = { level, context, values: new Map(), lists: new Map() };
  for (const attribute of type.attributes.values()) if (!attribute.system) planInto(attribute, planning);
  if (type.validate !== null && !context.draft) validateWhole(type, type.validate, planning);
  return { values: planning.values, lists: planning.lists };
}
