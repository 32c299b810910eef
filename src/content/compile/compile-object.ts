/** Prints the select list of a JSON object, with children as correlated sub-queries. */
import type { ChildPlan, ItemsPlan, ObjectPlan, ReadPlan } from '../plan/plan.js';
import type { Model } from '../model/model.js';
import { ATTRIBUTES, STATE } from '../model/naming.js';
import { unsignedUrl } from './unsigned-urls.js';
import { alias, type Identifier, join, quote, type Sql, sql } from '../../kernel/sql.js';
import { compileFilter, whereOf } from './compile-filter.js';
import { compileOrder } from './compile-order.js';
import { compileState } from './compile-state.js';
import { type MixedItems, mixedItems } from './mixed-items.js';
import { answered, type Context, type RowScope, type Scope } from './scope.js';
import { shownTargetsOf, type Targets, targetsOf } from './targets.js';

const aliased = (value: Sql, name: Identifier): Sql => sql`${value} as ${quote(name)}`;

/** Identity fields that the v4 shape puts next to `attributes` (protocol section 17). */
const IDENTITY = 2;

/** Prints the members of a document at the root of a response. */
export const compileDocument = ({ object, state }: ReadPlan, row: RowScope, context: Context): Sql =>
  objectOf(
    { plan: object, kind: state === null ? [] : [aliased(compileState(state, row, context), STATE)] },
    row,
    context,
  );

const compileObject = (plan: ObjectPlan, scope: Scope, context: Context): Sql =>
  objectOf({ plan, kind: [] }, scope, context);

interface ObjectMembers {
  readonly plan: ObjectPlan;
  readonly kind: readonly Sql[];
}

function objectOf({ plan, kind }: ObjectMembers, scope: Scope, context: Context): Sql {
  const fields = plan.fields.map((attribute) =>
    aliased(unsignedUrl(attribute, scope, context) ?? answered(scope, attribute), attribute.name),
  );
  const children = plan.children.map((child) =>
    aliased(compileChild(child, scope, context), child.attribute.name),
  );
  if (context.format === 'flat' || plan.model.model === 'component')
    return join([...fields, ...children, ...kind], ', ');
  const rest = [...fields.slice(IDENTITY), ...children, ...kind];
  const inner = alias('j', context.next());
  const attributes =
    rest.length === 0
      ? sql`'{}'::json`
      : sql`(select row_to_json(${inner}.*) from (select ${join(rest, ', ')}) ${inner})`;
  return join([...fields.slice(0, IDENTITY), aliased(attributes, ATTRIBUTES)], ', ');
}

function orderBy(items: ItemsPlan, targets: Targets, context: Context): Sql {
  const keys = compileOrder(items.order, targets.scope, context).map(
    ({ value, direction }) => sql`${value} ${direction}`,
  );
  if (targets.position !== null) keys.push(targets.position);
  return keys.length === 0 ? sql`` : sql` order by ${join(keys, ', ')}`;
}

/** Wraps relations and media in `data` for the v4 shape; components are not wrapped. */
const wrap = (value: Sql, child: ChildPlan, context: Context): Sql =>
  context.format === 'v4' && child.attribute.linked ? sql`json_build_object('data', ${value})` : value;

// A whole row is `j.*`, since a bare `j` could be an attribute of that name.
function itemsOf(child: Extract<ChildPlan, { kind: 'items' }>, scope: Scope, context: Context): Sql {
  const targets = shownTargetsOf(scope, child.attribute, context);
  const conditions = [...targets.conditions];
  if (child.where !== null) conditions.push(compileFilter(child.where, targets.scope, context));
  const j = alias('j', context.next());
  const list = compileObject(child.object, targets.scope, context);
  const rows = sql`select ${list} from ${targets.from}${whereOf(conditions)}`;
  if (!child.attribute.many) return sql`(select row_to_json(${j}.*) from (${rows} limit 1) ${j})`;
  return sql`(select coalesce(json_agg(${j}.*), '[]')
    from (${rows}${orderBy(child, targets, context)}) ${j})`;
}

function countOf(child: Extract<ChildPlan, { kind: 'count' }>, scope: Scope, context: Context): Sql {
  const targets = targetsOf(scope, child.attribute, context);
  const conditions = [...targets.conditions];
  if (child.where !== null) conditions.push(compileFilter(child.where, targets.scope, context));
  const count = sql`(select count(*) from ${targets.from}${whereOf(conditions)})`;
  return countObject(count, child, context);
}

const countObject = (count: Sql, { attribute }: ChildPlan, { format }: Context): Sql => {
  const object = sql`json_build_object('count', ${count})`;
  return format === 'v4' && attribute.linked ? sql`json_build_object('attributes', ${object})` : object;
};

type MixedPlan = Extract<ChildPlan, { kind: 'mixed' }>;

function branch([kind, items]: readonly [Model, ItemsPlan], mixed: MixedItems, context: Context): Sql {
  const { name, label, from, scope, ...shown } = mixed.ofKind(kind);
  const conditions = [...shown.conditions];
  if (items.where !== null) conditions.push(compileFilter(items.where, scope, context));
  const j = alias('j', context.next());
  const list = objectOf({ plan: items.object, kind: [aliased(label, mixed.key)] }, scope, context);
  return sql`when ${name} then (select row_to_json(${j}.*)
    from (select ${list}${from}${whereOf(conditions)}) ${j})`;
}

/** Selects visible items: `v`, in the order of `n`. `offset 0` prevents a second evaluation. */
function shownItems({ attribute, items }: MixedPlan, scope: Scope, context: Context): Sql {
  const mixed = mixedItems(attribute, scope, context);
  const item = alias('k', context.next());
  if (items.size === 0) return sql`(select null::json as v, 0 as n) ${item} where false`;
  const branches = [...items].map((one) => branch(one, mixed, context));
  const value = sql`case ${mixed.kind} ${join(branches, ' ')} end`;
  const all = sql`select ${value} as v, ${mixed.position} as n
    from ${mixed.from}${whereOf(mixed.conditions)} offset 0`;
  return sql`(${all}) ${item} where ${item}.v is not null`;
}

function mixedOf(child: MixedPlan, scope: Scope, context: Context): Sql {
  const shown = shownItems(child, scope, context);
  if (child.counted) return countObject(sql`(select count(*) from ${shown})`, child, context);
  if (!child.attribute.many) return sql`(select v from ${shown} order by n limit 1)`;
  return sql`(select coalesce(json_agg(v order by n), '[]') from ${shown})`;
}

function compileChild(child: ChildPlan, scope: Scope, context: Context): Sql {
  switch (child.kind) {
    case 'items':
      return wrap(itemsOf(child, scope, context), child, context);
    case 'count':
      return wrap(countOf(child, scope, context), child, context);
    case 'mixed':
      return wrap(mixedOf(child, scope, context), child, context);
  }
}
