/** Prints a condition. To-many conditions are EXISTS, so that they never duplicate rows. */
import { filledIn } from '../plan/open-operands.js';
import type { Decision, Formula, GrantedCondition, Rule } from '../access/decide.js';
import { planWhere } from '../plan/granted.js';
import type { Condition, ReadPlan, Search } from '../plan/plan.js';
import type { ScalarAttribute } from '../model/model.js';
import { type Operator, operatorOf } from '../query/operators.js';
import { join, param, type Sql, slot, sql } from '../../kernel/sql.js';
import { containment } from './compile-containment.js';
import { compileOwn } from './compile-own.js';
import { asText, comparable, type Context, newContext, rowOf, type RowScope, type Scope } from './scope.js';
import { inPlace, targetsOf } from './targets.js';

type Compare = Extract<Condition, { kind: 'compare' }>;

/** Returns how to print an operator on an attribute, which may have an index that needs another form. */
function printOf(operator: Operator, scope: Scope, attribute: ScalarAttribute): Operator['sql'] {
  const { byTrigrams, sql: print } = operator;
  const isIndexed = scope.kind === 'row' && scope.type.storage.trigrams.has(attribute);
  return isIndexed && byTrigrams !== undefined ? byTrigrams : print;
}

function compare(scope: Scope, condition: Compare): Sql {
  const { attribute, op, operands, negated } = condition;
  const operator = operatorOf(op);
  const { cast: one, castList } = scope.kind === 'row' ? attribute.type : attribute.type.member;
  const left = operator.compares === 'text' ? asText(scope, attribute) : comparable(scope, attribute);
  const castOne = operator.compares === 'text' ? sql`::text` : one;
  const cast = operator.operand === 'list' ? castList : castOne;
  const right = join(
    operands.map((value) => sql`${slot((plan: ReadPlan) => filledIn(value, plan))}${cast}`),
    ' and ',
  );
  const printed = printOf(operator, scope, attribute)(left, right);
  return negated ? sql`not (${printed})` : printed;
}

function compileRelated(
  scope: Scope,
  condition: Extract<Condition, { kind: 'related' }>,
  context: Context,
): Sql {
  const instance = inPlace(scope, condition.attribute);
  if (instance !== null) return compileFilter(condition.where, instance, context);
  const targets = targetsOf(scope, condition.attribute, context);
  const fence = context.optimizationFence();
  const inner = compileFilter(condition.where, targets.scope, context);
  const some = sql`exists (select 1 from ${targets.from}
    where ${join([...targets.conditions, inner], ' and ')}${fence})`;
  if (!condition.orNone) return some;
  const all = targetsOf(scope, condition.attribute, context);
  return sql`(${some} or not exists (select 1 from ${all.from}${whereOf(all.conditions)}))`;
}

export const whereOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`` : sql` where ${join(conditions, ' and ')}`;

export function compileFilter(condition: Condition, scope: Scope, context: Context): Sql {
  switch (condition.kind) {
    case 'constant':
      return condition.value ? sql`true` : sql`false`;
    case 'compare':
      return compare(scope, condition);
    case 'related': {
      const narrowed = containment(scope, condition);
      const found = compileRelated(scope, condition, context);
      return narrowed === null ? found : sql`(${narrowed} and ${found})`;
    }
    case 'own':
      return compileOwn(condition, rowOf(scope).alias);
    case 'granted':
      return compileGrantedCondition(
        condition,
        { row: rowOf(scope), published: context.version.published },
        context,
      );
    default: {
      if (condition.parts.length === 0) return condition.kind === 'all' ? sql`true` : sql`false`;
      const parts = condition.parts.map((part) => compileFilter(part, scope, context));
      return sql`(${join(parts, condition.kind === 'all' ? ' and ' : ' or ')})`;
    }
  }
}

/** Version that a rule is about, and its state. */
interface CheckedVersion {
  readonly row: RowScope;
  readonly published: boolean;
}

/**
 * Context of a rule: related documents are those of that version, in its state and locale. It ignores
 * the state, locale and limits of the request, which a caller could choose.
 */
const ruleContextOf = ({ row, published }: CheckedVersion, context: Context): Context => ({
  ...context,
  version: {
    published: published || !row.type.draftAndPublish,
    locale: { kind: 'any' },
    defaultLocale: context.version.defaultLocale,
    publication: null,
    storesDraft: false,
    withState: false,
  },
  chain: () => null,
  limited: () => [],
});

function compileFormula(formula: Formula, row: RowScope, context: Context): Sql {
  if (formula.kind === 'own') return compileOwn(formula, row.alias);
  if (formula.kind === 'where') return compileFilter(planWhere(formula), row, context);
  const parts = formula.parts.map((part) => compileFormula(part, row, context));
  return sql`(${join(parts, formula.kind === 'all' ? ' and ' : ' or ')})`;
}

const compileGrantedCondition = (
  { formula }: GrantedCondition,
  version: CheckedVersion,
  context: Context,
): Sql => compileFormula(formula, version.row, ruleContextOf(version, context));

export const compileRule = (rule: Rule, version: CheckedVersion, context: Context): Sql =>
  rule.kind === 'own' ? compileOwn(rule, version.row.alias) : compileGrantedCondition(rule, version, context);

function compileDecision(decision: Decision, version: CheckedVersion, context: Context): readonly Sql[] {
  if (decision === 'all') return [];
  return [decision === 'none' ? sql`false` : compileRule(decision, version, context)];
}

/** Context of a read, with the limits of its caller. */
export function readContext(plan: ReadPlan): Context {
  const context = newContext(plan);
  const { limits } = plan.version;
  if (limits === undefined) return context;
  return {
    ...context,
    limited: (row, published) =>
      compileDecision(limits(row.type, { root: row.root === true, published }), { row, published }, context),
  };
}

/** Prints `_q`: a case-insensitive substring of any searchable attribute (protocol section 6). */
export function compileSearch({ text, among }: Search, scope: Scope): Sql {
  const row = rowOf(scope);
  const numeric = text.trim() !== '' && Number.isFinite(Number(text));
  const isDigits = /^[0-9]*$/.test(text);
  const searched = among.filter(({ name, searchable, type, system }) => {
    if (!searchable || (system && name !== 'id' && name !== 'documentId')) return false;
    // The id has digits only. A text with others needs no condition on it, which no index could serve.
    if (name === 'id') return isDigits;
    return type.search === 'text' || (type.search === 'number' && numeric);
  });
  const needle = param(operatorOf('$containsi').pattern?.(text));
  const operator = operatorOf('$containsi');
  const matches = searched.map((attribute) =>
    printOf(operator, row, attribute)(asText(row, attribute), sql`${needle}::text`),
  );
  return sql`(${join(matches, ' or ')})`;
}
