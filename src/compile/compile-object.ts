/**
 * ObjectPlan → the select list of one JSON object; children as correlated sub-queries, whatever their depth.
 */
import type { ChildPlan, ItemsPlan, ObjectPlan } from '../plan/plan.js';
import { ATTRIBUTES, COMPONENT } from '../schema/naming.js';
import { alias, type Identifier, join, quote, type Sql, sql } from '../sql.js';
import { compileFilter, whereOf } from './compile-filter.js';
import { compileOrder } from './compile-order.js';
import { type Context, heldJson, type JsonScope, listOf, rowOf, type Scope, answered } from './scope.js';
import { shownTargetsOf, type Targets, targetsOf } from './targets.js';

const named = (value: Sql, name: Identifier): Sql => sql`${value} as ${quote(name)}`;

/** Documents keep only their identity beside `attributes` in the v4 shape (protocol section 17). */
const IDENTITY = 2;

/** The select list of an object: its fields and populated children. */
export function compileObject(plan: ObjectPlan, scope: Scope, context: Context): Sql {
  const fields = plan.fields.map((attribute) => named(answered(scope, attribute), attribute.name));
  const children = plan.children.map((child) =>
    named(compileChild(child, scope, context), child.attribute.name),
  );
  if (context.format === 'flat' || plan.model.model === 'component')
    return join([...fields, ...children], ', ');
  const rest = [...fields.slice(IDENTITY), ...children];
  const inner = alias('j', context.next());
  const attributes =
    rest.length === 0
      ? sql`'{}'::json`
      : sql`(select row_to_json(${inner}.*) from (select ${join(rest, ', ')}) ${inner})`;
  return join([...fields.slice(0, IDENTITY), named(attributes, ATTRIBUTES)], ', ');
}

function orderBy(items: ItemsPlan, targets: Targets, context: Context): Sql {
  const keys = compileOrder(items.order, targets.scope, context).map(
    ({ value, direction }) => sql`${value} ${direction}`,
  );
  if (targets.position !== null) keys.push(targets.position);
  return keys.length === 0 ? sql`` : sql` order by ${join(keys, ', ')}`;
}

/** Relations and media are wrapped in `data` in the v4 shape; components are not. */
const wrap = (value: Sql, child: ChildPlan, context: Context): Sql =>
  context.format === 'v4' && child.attribute.linked ? sql`json_build_object('data', ${value})` : value;

// Whole rows are `j.*`: a bare `j` would be an attribute of that name first.
function itemsOf(child: Extract<ChildPlan, { kind: 'items' }>, scope: Scope, context: Context): Sql {
  const targets = shownTargetsOf(scope, child.attribute, context);
  const conditions = [...targets.conditions];
  if (child.where !== null) conditions.push(compileFilter(child.where, targets.scope, context));
  const j = alias('j', context.next());
  const list = compileObject(child.object, targets.scope, context);
  const rows = sql`select ${list} from ${targets.from}${whereOf(conditions)}`;
  if (!child.attribute.many) return sql`(select row_to_json(${j}.*) from (${rows} limit 1) ${j})`;
  return sql`(select coalesce(json_agg(${j}.*), '[]') from (${rows}${orderBy(child, targets, context)}) ${j})`;
}

function countOf(child: Extract<ChildPlan, { kind: 'count' }>, scope: Scope, context: Context): Sql {
  const targets = targetsOf(scope, child.attribute, context);
  const conditions = [...targets.conditions];
  if (child.where !== null) conditions.push(compileFilter(child.where, targets.scope, context));
  const counted = sql`json_build_object('count', (select count(*) from ${targets.from}${whereOf(conditions)}))`;
  return context.format === 'v4' && child.attribute.linked
    ? sql`json_build_object('attributes', ${counted})`
    : counted;
}

/** One branch of a zone: instances of one component, with its own fields, filter and children. */
function branch(
  items: ItemsPlan,
  scope: JsonScope,
  context: Context,
): { readonly test: Sql; readonly value: Sql } {
  const uid = quote(scope.component.uid, 'string');
  const kind = sql`${scope.value}->>'__component'`;
  const conditions = [sql`${kind} = ${uid}`];
  if (items.where !== null) conditions.push(compileFilter(items.where, scope, context));
  const j = alias('j', context.next());
  const list = join([compileObject(items.object, scope, context), named(kind, COMPONENT)], ', ');
  return {
    test: sql`(${join(conditions, ' and ')})`,
    value: sql` when ${uid} then (select row_to_json(${j}.*) from (select ${list}) ${j})`,
  };
}

function zoneOf(child: Extract<ChildPlan, { kind: 'zone' }>, scope: Scope, context: Context): Sql {
  const instance = alias('c', context.next());
  const inner = { kind: 'json', value: sql`${instance}.v`, row: rowOf(scope) } as const;
  const branches = [...child.items].map(([component, items]) =>
    branch(items, { ...inner, component }, context),
  );
  if (branches.length === 0) return sql`'[]'::json`;
  const values = join(
    branches.map(({ value }) => value),
    ' ',
  );
  const tests = join(
    branches.map(({ test }) => test),
    ' or ',
  );
  const from = sql`jsonb_array_elements(${listOf(heldJson(scope, child.attribute))}) with ordinality ${instance}(v, n)`;
  return sql`(select coalesce(json_agg(case ${instance}.v->>'__component'${values} end order by ${instance}.n), '[]') from ${from} where ${tests})`;
}

function compileChild(child: ChildPlan, scope: Scope, context: Context): Sql {
  switch (child.kind) {
    case 'items':
      return wrap(itemsOf(child, scope, context), child, context);
    case 'count':
      return wrap(countOf(child, scope, context), child, context);
    case 'zone':
      return zoneOf(child, scope, context);
  }
}
