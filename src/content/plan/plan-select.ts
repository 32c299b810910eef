/** Plans `fields`, `sort` and `populate`: the object tree of a response, limited to readable content. */
import { invalidKey, overLimit, validationError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { POPULATE_SOURCE } from '../query/parse-populate.js';
import type { Fields, Populate, PopulateItem, Query } from '../query/query.js';
import { isAuthor } from '../model/authors.js';
import { leadsToFiles } from '../model/media-names.js';
import type { Attribute, Model, MorphAttribute, ScalarAttribute, Schema } from '../model/model.js';
import { isUidOf, typeUid } from '../model/naming.js';
import type { ContentLimits } from '../../kernel/settings.js';
import {
  type ChildPlan,
  type Condition,
  isMixed,
  type ItemsPlan,
  type MixedAttribute,
  type ObjectPlan,
} from './plan.js';
import { type AskedBy, hidden, planFilter, unknownKey } from './plan-filter.js';
import { planSort } from './plan-sort.js';
import { isFor, kindsOf, nextModel, populatable } from './populate-paths.js';
import { lookUp, type Rights } from './rights.js';

export interface SelectContext {
  readonly rights: Rights;
  readonly limits: ContentLimits;
  readonly schema: Schema;
  readonly budget: { nodes: number };
}

/** Returns the model's own list if all of it is readable, so that equal plans share one object. */
function shownTo(model: Model, rights: Rights): readonly ScalarAttribute[] {
  const all = model.shown.every((attribute) => rights.mayRead(model, attribute));
  return all ? model.shown : model.shown.filter((attribute) => rights.mayRead(model, attribute));
}

/** Returns `id` and `documentId`, then the default or requested fields (protocol section 3). */
function planFields(fields: Fields, model: Model, { rights, source }: AskedBy): readonly ScalarAttribute[] {
  if (fields === null) return shownTo(model, rights);
  const named = (fields === '*' ? [] : fields).filter((key) => key !== '*');
  const chosen = named.map((key) => {
    const attribute = lookUp(model, key, rights);
    if (attribute === undefined) throw unknownKey(key, [], source);
    if (attribute === 'hidden' || attribute.kind !== 'scalar') throw hidden([key], source);
    return attribute;
  });
  if (fields === '*' || fields.includes('*')) return shownTo(model, rights);
  const identity = model.shown.slice(0, 2);
  return [...new Set([...identity, ...chosen])];
}

const invalidAt = (key: string, at: string): Error =>
  invalidKey(key, { at: at === key ? '' : at, path: at }, POPULATE_SOURCE);

function planWhere(item: PopulateItem, model: Model, context: SelectContext): Condition | null {
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

const enter = (context: SelectContext, attribute: Attribute): SelectContext => ({
  ...context,
  rights: context.rights.enter(attribute),
});

function itemsPlan(item: PopulateItem, model: Model, context: SelectContext): ItemsPlan {
  return {
    where: planWhere(item, model, context),
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
  dotted: false,
  raw: true,
} as const;

/** Plans `populate=*`: every readable attribute except authors, one level, dynamic zones last. */
function everything(model: Model, context: SelectContext): ChildPlan[] {
  const names = [...model.attributes.values()].filter(
    (attribute) => attribute.kind !== 'scalar' && !attribute.private && !isAuthor(attribute),
  );
  const ordered = [
    ...names.filter(({ kind }) => kind !== 'zone'),
    ...names.filter(({ kind }) => kind === 'zone'),
  ];
  return ordered.flatMap(({ name }) => planItem({ ...PLAIN, key: name, at: name }, model, context));
}

/** Throws the 400 for text under a populate key. Nested names need the object form. */
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

/** Throws a 400 for options that polymorphic items do not support. */
function checkMixedItem(item: PopulateItem, attribute: MixedAttribute, model: Model): void {
  const limited = item.fields !== null || item.filters !== null || item.sort.length > 0;
  const whole = item.populate.kind === 'all' || item.count;
  const found = isObject(item.raw) && item.on === null && (limited || !whole);
  const listed = isObject(item.raw) && item.populate.kind === 'items';
  if (listed) throw invalidKey('populate', { at: item.at, path: item.at }, POPULATE_SOURCE);
  if (found || item.text !== null || item.raw === '*') {
    const named = `${model.uid}.${attribute.name} (${model.model === 'type' ? typeUid(model) : model.uid})`;
    throw validationError(
      `Invalid nested populate for ${named}. Expected a fragment ("on") or "count" ` +
        `but found ${JSON.stringify(item.raw)}`,
      { key: item.key, path: item.at, ...POPULATE_SOURCE },
    );
  }
}

const nameOfKind = (kind: Model): string => (kind.model === 'type' ? typeUid(kind) : kind.uid);

/** Plans the items of all readable types; empty if no type is readable. */
function mixedItems(item: PopulateItem, attribute: MixedAttribute, context: SelectContext): ChildPlan[] {
  const inside = enter(context, attribute);
  const asked =
    item.on === null ? everyKind(item, attribute, inside) : fragmentsOf(item.on, attribute, inside);
  const maySee = (kind: Model): boolean =>
    !attribute.linked ||
    (kind.model === 'type' &&
      context.rights.mayEnter(attribute, kind) &&
      maySeeHolders(attribute, kind, inside));
  const counted = item.count;
  const seen = [...asked].filter(([kind]) => maySee(kind));
  const items = new Map(seen.map(([kind, plan]) => [kind, counted ? countOnly(plan) : plan]));
  return kindsOf(attribute).some(maySee) ? [{ kind: 'mixed', attribute, items, counted }] : [];
}

/**
 * Whether the caller may see which documents of a type contain a file: only if all attributes with files are
 * readable.
 */
const maySeeHolders = ({ join }: MorphAttribute, type: Model, { rights }: SelectContext): boolean =>
  join.kind !== 'holders' ||
  [...type.attributes.values()].every((held) => !leadsToFiles(held) || rights.mayRead(type, held));

/** Removes the fields and children of items that are only counted. */
const countOnly = (items: ItemsPlan): ItemsPlan => ({
  ...items,
  object: { ...items.object, fields: [], children: [] },
});

/** Plans items of every type: plain, with `*`, or with a dot path that at least one type has. */
function everyKind(
  item: PopulateItem,
  attribute: MixedAttribute,
  context: SelectContext,
): Map<Model, ItemsPlan> {
  const path = item.populate.kind === 'items' ? item.populate : null;
  const kinds = kindsOf(attribute);
  for (const below of path?.items ?? []) {
    if (!kinds.some((kind) => populatable(kind, below.key) !== null))
      throw invalidKey(below.key, { at: below.at, path: below.at }, POPULATE_SOURCE);
  }
  return new Map(
    kinds.map((kind) => {
      const own: Populate =
        path === null
          ? item.populate
          : { kind: 'items', items: path.items.filter((one) => isFor(kind, one, kinds)) };
      const at = nameOfKind(kind);
      return [kind, itemsPlan({ ...PLAIN, key: at, at, populate: own }, kind, context)];
    }),
  );
}

/** Returns the type that a name under `on` refers to, even if the attribute never has items of it. */
function itemType(name: string, { linked }: MixedAttribute, { schema }: SelectContext): Model | undefined {
  if (!linked) return schema.components.get(name);
  return [...schema.types.values()].find((type) => isUidOf(type, name));
}

function fragmentsOf(
  on: readonly PopulateItem[],
  attribute: MixedAttribute,
  context: SelectContext,
): Map<Model, ItemsPlan> {
  const items = new Map<Model, ItemsPlan>();
  for (const fragment of on) {
    const kind = itemType(fragment.key, attribute, context);
    if (kind === undefined)
      throw invalidKey(fragment.key, { at: fragment.at, path: fragment.at }, POPULATE_SOURCE);
    if (fragment.text !== null) refuseText(fragment, kind);
    refuseUnknownKeys(fragment);
    const plan = itemsPlan(fragment, kind, context);
    if (!fragment.off && kindsOf(attribute).includes(kind)) items.set(kind, plan);
  }
  return items;
}

function spend(context: SelectContext): void {
  context.budget.nodes -= 1;
  const allowed = context.limits.populateNodes;
  if (context.budget.nodes < 0)
    throw overLimit('populateNodes', allowed, 'Too many populated attributes in one request');
}

/** Whether populating a hidden attribute is ignored instead of refused. */
function isLeftOut(model: Model, key: string): boolean {
  const attribute = model.attributes.get(key);
  return (
    attribute?.kind === 'relation' && attribute.def.type === 'relation' && attribute.def.leftOut === true
  );
}

/** Whether a relation starts at a file, which dotted paths may not follow (protocol 4.9). */
const isOfFile = ({ linked }: Attribute, model: Model): boolean =>
  linked && model.model === 'type' && model.internal;

function planItem(item: PopulateItem, model: Model, context: SelectContext): ChildPlan[] {
  const attribute = lookUp(model, item.key, null);
  if (attribute === 'hidden' && isLeftOut(model, item.key)) return [];
  if (attribute === undefined || attribute === 'hidden' || attribute.kind === 'scalar')
    throw invalidAt(item.key, item.at);
  if (item.dotted && isOfFile(attribute, model)) throw invalidAt(item.key, item.at);
  spend(context);
  const seen = !item.off && context.rights.mayRead(model, attribute);
  if (isMixed(attribute)) {
    checkMixedItem(item, attribute, model);
    refuseUnknownKeys(item);
    return mixedItems(item, attribute, context).filter(() => seen);
  }
  const target = nextModel(attribute);
  if (item.text !== null) refuseText(item, target);
  refuseUnknownKeys(item);
  if (item.on !== null) {
    const [first] = item.on;
    throw first === undefined
      ? invalidKey('on', { at: item.at, path: item.at }, POPULATE_SOURCE)
      : invalidKey(first.key, { at: first.at, path: first.at }, POPULATE_SOURCE);
  }
  const plan = itemsPlan(item, target, enter(context, attribute));
  // Forbidden attributes are omitted only after the request was validated (D9, contract "Errors" 3).
  if (!seen || (attribute.kind === 'relation' && !context.rights.mayEnter(attribute, attribute.target)))
    return [];
  const counted = item.count && (attribute.many || (attribute.kind === 'relation' && !attribute.media));
  return counted
    ? [{ kind: 'count', attribute, where: plan.where }]
    : [{ kind: 'items', attribute, ...plan }];
}

/** Plans the populated children of one object. A name requested twice is populated once. */
function planPopulate(populate: Populate, model: Model, context: SelectContext): ChildPlan[] {
  if (populate.kind === 'none') return [];
  if (populate.kind === 'all') return everything(model, context);
  return populate.items.flatMap((item) => planItem(item, model, context));
}

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
