/** `fields`, `sort` and `populate` → the shape of the answer, narrowed to what the caller may see. */
import { invalidKey, overLimit, validationError } from '../errors.js';
import { isObject } from '../json.js';
import { POPULATE_SOURCE } from '../query/parse-populate.js';
import type { Fields, Populate, PopulateItem, Query, SortKey } from '../query/query.js';
import type { Attribute, Component, Model, ScalarAttribute, ZoneAttribute } from '../schema/model.js';
import type { ContentLimits } from '../settings.js';
import type { ChildPlan, Condition, Hop, ItemsPlan, ObjectPlan, OrderKey } from './plan.js';
import { type AskedBy, enterHop, hidden, planFilter, unknown } from './plan-filter.js';
import { lookUp, type Rights } from './rights.js';

/** What the walk carries along. */
export interface SelectContext {
  readonly rights: Rights;
  readonly limits: ContentLimits;
  /** All components, for the names under `on`. */
  readonly components: ReadonlyMap<string, Component>;
  /** Nodes left of the populate budget. */
  readonly budget: { nodes: number };
}

/** What sort keys are planned in. */
interface SortContext extends AskedBy {
  readonly limits: ContentLimits;
}

/** The model's own list where nothing is narrowed, so that its plan stays one object. */
function shownTo(model: Model, rights: Rights): readonly ScalarAttribute[] {
  const all = model.shown.every((attribute) => rights.mayRead(model, attribute));
  return all ? model.shown : model.shown.filter((attribute) => rights.mayRead(model, attribute));
}

/** `id` and `documentId` first, then the default fields or the ones asked for (protocol section 3). */
function planFields(fields: Fields, model: Model, { rights, source }: AskedBy): readonly ScalarAttribute[] {
  if (fields === null) return shownTo(model, rights);
  const named = (fields === '*' ? [] : fields).filter((key) => key !== '*');
  const chosen = named.map((key) => {
    const attribute = lookUp(model, key, rights);
    if (attribute === undefined) throw unknown(key, [], source);
    if (attribute === 'hidden' || attribute.kind !== 'scalar') throw hidden([key], source);
    return attribute;
  });
  if (fields === '*' || fields.includes('*')) return shownTo(model, rights);
  const identity = model.shown.slice(0, 2);
  return [...new Set([...identity, ...chosen])];
}

/** Sort keys with their way to the attribute (protocol 7.4–7.11). */
export function planSort(keys: readonly SortKey[], root: Model, context: SortContext): OrderKey[] {
  const { limits, source } = context;
  if (keys.length > limits.sortKeys) throw overLimit('sortKeys', limits.sortKeys, 'Too many sort keys');
  return keys.flatMap(({ path, descending }) => {
    // Publication state is a version rule, not an attribute: sorting by it is accepted and changes nothing
    // (7.12).
    if (path.length === 1 && path[0] === 'status' && root.model === 'type' && root.draftAndPublish) return [];
    const hops: Hop[] = [];
    let model = root;
    let { rights } = context;
    for (const [depth, key] of path.entries()) {
      const here = path.slice(0, depth + 1);
      const attribute = lookUp(model, key, rights);
      if (attribute === undefined) throw unknown(key, path.slice(0, depth), source);
      if (attribute === 'hidden' || attribute.kind === 'zone') throw hidden(here, source);
      const last = depth === path.length - 1;
      if (attribute.kind === 'scalar') {
        if (!last) throw unknown(path[depth + 1] ?? '', here, source);
        return [{ hops, attribute, descending }];
      }
      if (last) throw hidden(here, source);
      model = enterHop(attribute, here, { rights, source });
      rights = rights.enter(attribute);
      hops.push(attribute);
    }
    return [];
  });
}

const invalidAt = (key: string, at: string): Error =>
  invalidKey(key, { at: at === key ? '' : at, path: at }, POPULATE_SOURCE);

function where(item: PopulateItem, model: Model, context: SelectContext): Condition | null {
  if (item.filters === null) return null;
  return planFilter(item.filters, {
    model,
    attribute: null,
    open: true,
    path: [],
    negated: false,
    rights: context.rights,
    source: POPULATE_SOURCE,
  });
}

/** The same walk, inside what an attribute leads to. */
const enter = (context: SelectContext, attribute: Attribute): SelectContext => ({
  ...context,
  rights: context.rights.enter(attribute),
});

/** What is shown of the documents or instances that an attribute leads to. */
function itemsPlan(item: PopulateItem, model: Model, context: SelectContext): ItemsPlan {
  return {
    where: where(item, model, context),
    order: planSort(item.sort, model, { ...context, source: POPULATE_SOURCE }),
    object: {
      model,
      fields: planFields(item.fields, model, { rights: context.rights, source: POPULATE_SOURCE }),
      children: planPopulate(item.populate, model, context),
    },
  };
}

const PLAIN = {
  off: false,
  text: null,
  unknown: [],
  fields: null,
  filters: null,
  sort: [],
  populate: { kind: 'none' },
  count: false,
  on: null,
  raw: true,
} as const;

/** `populate=*`: every readable attribute, one level; zones last. */
function everything(model: Model, context: SelectContext): ChildPlan[] {
  const names = [...model.attributes.values()].filter(
    (attribute) => attribute.kind !== 'scalar' && !attribute.private,
  );
  const ordered = [
    ...names.filter(({ kind }) => kind !== 'zone'),
    ...names.filter(({ kind }) => kind === 'zone'),
  ];
  return ordered.flatMap(({ name }) => planItem({ ...PLAIN, key: name, at: name }, model, context));
}

/** The text under a key reads as a list of names to populate there, which only the object form can say. */
function refuseText(item: PopulateItem, target: Model): never {
  const text = item.text ?? '';
  const known = lookUp(target, text, null);
  const nested = known !== undefined && known !== 'hidden' && known.kind !== 'scalar';
  const at = nested ? `${item.at}.${text}` : item.at;
  throw invalidKey(text, { at, path: at }, POPULATE_SOURCE);
}

function refuseUnknownKeys(item: PopulateItem): void {
  const [first] = item.unknown;
  if (first !== undefined) throw invalidKey(first, { at: item.at, path: item.at }, POPULATE_SOURCE);
}

/** Refuses what could be said of a component, and not of a zone, whose instances are of several. */
function checkZoneItem(item: PopulateItem, zone: ZoneAttribute, model: Model): void {
  const found = isObject(item.raw) && item.on === null && item.populate.kind !== 'all' && !item.count;
  const listed = isObject(item.raw) && item.populate.kind === 'items';
  if (listed) throw invalidKey('populate', { at: item.at, path: item.at }, POPULATE_SOURCE);
  if (found || item.text !== null || item.raw === '*') {
    const named = `${model.uid}.${zone.name} (api::${model.uid}.${model.uid})`;
    throw validationError(
      `Invalid nested populate for ${named}. Expected a fragment ("on") or "count" but found ${JSON.stringify(item.raw)}`,
      { key: item.key, path: item.at, ...POPULATE_SOURCE },
    );
  }
}

function zoneItems(item: PopulateItem, zone: ZoneAttribute, context: SelectContext): ChildPlan[] {
  const inside = enter(context, zone);
  const items = item.on === null ? wholeZone(item, zone, inside) : fragmentsOf(item.on, zone, inside);
  return [{ kind: 'zone', attribute: zone, items }];
}

/** Every component of the zone: plain, each with `*`, or along a dot path that at least one of them knows. */
function wholeZone(
  item: PopulateItem,
  zone: ZoneAttribute,
  context: SelectContext,
): Map<Component, ItemsPlan> {
  const path = item.populate.kind === 'items' ? item.populate : null;
  for (const below of path?.items ?? []) {
    const known = zone.components.some((component) => isPopulatable(component, below.key));
    if (!known) throw invalidKey(below.key, { at: below.at, path: below.at }, POPULATE_SOURCE);
  }
  return new Map(
    zone.components.map((component) => {
      const own: Populate =
        path === null
          ? item.populate
          : { kind: 'items', items: path.items.filter(({ key }) => isPopulatable(component, key)) };
      return [
        component,
        itemsPlan({ ...PLAIN, key: component.uid, at: component.uid, populate: own }, component, context),
      ];
    }),
  );
}

function isPopulatable(model: Model, key: string): boolean {
  const attribute = lookUp(model, key, null);
  return attribute !== undefined && attribute !== 'hidden' && attribute.kind !== 'scalar';
}

function fragmentsOf(
  on: readonly PopulateItem[],
  zone: ZoneAttribute,
  context: SelectContext,
): Map<Component, ItemsPlan> {
  const items = new Map<Component, ItemsPlan>();
  for (const fragment of on) {
    const component = context.components.get(fragment.key);
    if (component === undefined)
      throw invalidKey(fragment.key, { at: fragment.at, path: fragment.at }, POPULATE_SOURCE);
    if (fragment.text !== null) refuseText(fragment, component);
    refuseUnknownKeys(fragment);
    const plan = itemsPlan(fragment, component, context);
    if (!fragment.off && zone.components.includes(component)) items.set(component, plan);
  }
  return items;
}

function spend(context: SelectContext): void {
  context.budget.nodes -= 1;
  const allowed = context.limits.populateNodes;
  if (context.budget.nodes < 0)
    throw overLimit('populateNodes', allowed, 'Too many populated attributes in one request');
}

/** Whether populating a hidden attribute is no error. */
function isLeftOut(model: Model, key: string): boolean {
  const attribute = model.attributes.get(key);
  return (
    attribute?.kind === 'relation' && attribute.def.type === 'relation' && attribute.def.leftOut === true
  );
}

function planItem(item: PopulateItem, model: Model, context: SelectContext): ChildPlan[] {
  const attribute = lookUp(model, item.key, null);
  if (attribute === 'hidden' && isLeftOut(model, item.key)) return [];
  if (attribute === undefined || attribute === 'hidden' || attribute.kind === 'scalar')
    throw invalidAt(item.key, item.at);
  spend(context);
  const seen = !item.off && context.rights.mayRead(model, attribute);
  if (attribute.kind === 'zone') {
    checkZoneItem(item, attribute, model);
    return zoneItems(item, attribute, context).filter(() => seen);
  }
  const target = attribute.kind === 'component' ? attribute.component : attribute.target;
  if (item.text !== null) refuseText(item, target);
  refuseUnknownKeys(item);
  if (item.on !== null) {
    const [first] = item.on;
    throw first === undefined
      ? invalidKey('on', { at: item.at, path: item.at }, POPULATE_SOURCE)
      : invalidKey(first.key, { at: first.at, path: first.at }, POPULATE_SOURCE);
  }
  const plan = itemsPlan(item, target, enter(context, attribute));
  // The forbidden is left out only after its request was found well-formed (D9, contract "Errors" 3).
  if (!seen || (attribute.kind === 'relation' && !context.rights.mayEnter(attribute))) return [];
  const counted = item.count && (attribute.many || (attribute.kind === 'relation' && !attribute.media));
  return counted
    ? [{ kind: 'count', attribute, where: plan.where }]
    : [{ kind: 'items', attribute, ...plan }];
}

/** The populated children of one object. A name asked for twice is populated once. */
function planPopulate(populate: Populate, model: Model, context: SelectContext): ChildPlan[] {
  if (populate.kind === 'none') return [];
  if (populate.kind === 'all') return everything(model, context);
  return populate.items.flatMap((item) => planItem(item, model, context));
}

/** The root object of an answer. */
export function planObject(
  { fields, populate }: Pick<Query, 'fields' | 'populate'>,
  model: Model,
  context: SelectContext,
): ObjectPlan {
  return {
    model,
    fields: planFields(fields, model, {
      rights: context.rights,
      source: { source: 'query', param: 'fields' },
    }),
    children: planPopulate(populate, model, context),
  };
}
