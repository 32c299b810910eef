/**
 * Converts filter syntax to a condition: resolves names, applies permissions, converts values, and pushes
 * `$not` down to comparisons.
 */
import { ContentError, invalidKey, overLimit, type Source, validationError } from '../../kernel/errors.js';
import { isSingle } from '../../kernel/json.js';
import { operatorOf, type OperatorName } from '../query/operators.js';
import type { Filter } from '../query/query.js';
import { OpenOperand } from '../query/text-shape.js';
import type { Model, ScalarAttribute } from '../model/model.js';
import { scalarOf } from '../model/scalar-of.js';
import { toBoolean } from '../model/formats.js';
import { type Condition, type Hop, isSearched } from './plan.js';
import { lookUp, type Rights } from './rights.js';

export interface AskedBy {
  readonly rights: Rights;
  readonly source: Source;
}

export interface FilterScope extends AskedBy {
  readonly model: Model;
  readonly attribute: ScalarAttribute | null;
  readonly open: boolean;
  readonly path: readonly string[];
  readonly negated: boolean;
}

/** Parses `$null` and `$notNull`: any text except the spellings of false is true (protocol 5.22). */
function flag(raw: unknown): boolean {
  if (Array.isArray(raw)) return raw.length > 0 && raw[0] !== null;
  if (raw === null || raw === '') return false;
  return toBoolean(raw) ?? true;
}

type Comparison = Pick<Extract<Condition, { kind: 'compare' }>, 'attribute' | 'op' | 'negated'>;

function convert(raw: unknown, { attribute, op }: Comparison, scope: FilterScope): unknown {
  const row = operatorOf(op);
  const path = scope.path.join('.');
  try {
    if (!isSingle(raw) || raw === null)
      throw validationError(`Invalid value for ${op}: expected a single value`);
    if (row.compares === 'value') return attribute.type.operand(raw);
    const text = raw instanceof Date ? raw.toISOString() : String(raw);
    if (text.includes('\u0000'))
      throw validationError('Invalid value: expected a string without NUL characters');
    return row.pattern === undefined ? text : row.pattern(text);
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    const named = error.message.startsWith('Invalid value') ? `${error.message}, at ${path}` : error.message;
    throw validationError(named, { key: scope.path.at(-1) ?? op, path, ...scope.source });
  }
}

function checkApplies(attribute: ScalarAttribute, op: OperatorName, scope: FilterScope): void {
  const { applies } = operatorOf(op);
  const json = attribute.type.column === 'jsonb';
  if (applies === 'all' || (applies === 'json' ? json : attribute.type.textual)) return;
  const path = scope.path.join('.');
  throw validationError(
    `${op} does not apply to ${path}, which is not ${applies === 'json' ? 'JSON' : 'text'}`,
    { key: op, path, ...scope.source },
  );
}

const compare = ({ attribute, op, negated }: Comparison, operands: readonly unknown[]): Condition => ({
  kind: 'compare',
  attribute,
  op,
  operands,
  negated,
});

function operator(op: OperatorName, raw: unknown, scope: FilterScope): Condition {
  const { attribute, negated } = scope;
  if (attribute === null)
    throw invalidKey(op, { at: scope.path.join('.'), path: scope.path.join('.') || null }, scope.source);
  checkApplies(attribute, op, scope);
  const comparison = { attribute, op, negated };
  const { operand, ofNull } = operatorOf(op);
  const value = (single: unknown): unknown =>
    single instanceof OpenOperand
      ? single.with((sent) => convert(sent, comparison, scope))
      : convert(single, comparison, scope);
  const planOperand = (single: unknown): Condition =>
    single === null && ofNull !== undefined
      ? compare({ ...comparison, op: ofNull }, [])
      : compare(comparison, [value(single)]);
  switch (operand) {
    case 'flag':
      return compare({ ...comparison, op: flag(raw) === (op === '$null') ? '$null' : '$notNull' }, []);
    case 'list': {
      if (raw instanceof OpenOperand && raw.origin === 'granted list')
        return compare(comparison, [value(raw)]);
      const list = Array.isArray(raw) ? raw : [raw];
      return compare(comparison, [list.map(value)]);
    }
    case 'pair': {
      const pair = Array.isArray(raw) && raw.length === 2 ? raw.map(value) : undefined;
      if (pair !== undefined) return compare(comparison, pair);
      throw validationError(`${op} at ${scope.path.join('.')} takes exactly two values`, {
        key: op,
        path: scope.path.join('.'),
        ...scope.source,
      });
    }
    case 'one': {
      if (!Array.isArray(raw)) return planOperand(raw);
      return { kind: negated ? 'all' : 'any', parts: raw.map(planOperand) };
    }
  }
}

const not = (value: boolean | null): boolean | null => (value === null ? null : !value);

/** Results of operators on a missing row; other operators give null. */
const RESULTS_ON_MISSING_ROW: ReadonlyMap<string, boolean> = new Map([
  ['$null', true],
  ['$notNull', false],
]);

/** Evaluates a condition for a missing row: all attributes null, three-valued (protocol 5.35b). */
function ofNothing(condition: Condition): boolean | null {
  switch (condition.kind) {
    case 'constant':
      return condition.value;
    case 'compare': {
      const known = RESULTS_ON_MISSING_ROW.get(condition.op) ?? null;
      return condition.negated ? not(known) : known;
    }
    case 'related':
      return condition.orNone;
    case 'own':
    case 'granted':
      return false;
    default: {
      const deciding = condition.kind === 'any';
      const values = condition.parts.map(ofNothing);
      if (values.includes(deciding)) return deciding;
      return values.includes(null) ? null : !deciding;
    }
  }
}

/** Steps through a relation or component. Throws the 400 for a relation that the caller may not enter. */
export function enterHop(hop: Hop, path: readonly string[], { rights, source }: AskedBy): Model {
  const { budget } = rights;
  budget.hops -= 1;
  if (path.length > budget.allowed.hopDepth)
    throw overLimit(
      'hopDepth',
      budget.allowed.hopDepth,
      `${path.slice(0, 3).join('.')}… leads through too many relations`,
    );
  if (budget.hops < 0)
    throw overLimit(
      'hops',
      budget.allowed.hops,
      'Too many relations in the filters and sorts of one request',
    );
  if (!hop.linked) return hop.component;
  if (!rights.mayEnter(hop, hop.target)) throw hidden(path, source);
  return hop.target;
}

export const hidden = (path: readonly string[], source: Source): ContentError =>
  invalidKey(path.at(-1) ?? '', { at: path.length > 1 ? path.join('.') : '', path: path.join('.') }, source);

export const unknownKey = (key: string, path: readonly string[], source: Source): ContentError =>
  invalidKey(key, { at: path.join('.'), path: path.join('.') || null }, source);

function member(key: string, of: Filter, scope: FilterScope): Condition {
  const path = [...scope.path, key];
  const attribute = scope.open ? lookUp(scope.model, key, scope.rights) : undefined;
  if (attribute === undefined) throw unknownKey(key, scope.path, scope.source);
  if (attribute === 'hidden' || !isSearched(attribute)) throw hidden(path, scope.source);
  if (attribute.kind === 'scalar') return planFilter(of, { ...scope, attribute, open: false, path });
  const model = enterHop(attribute, path, scope);
  const id = scalarOf(model, 'id');
  const where = planFilter(of, {
    ...scope,
    rights: scope.rights.enter(attribute),
    model,
    attribute: id,
    open: true,
    path,
  });
  return { kind: 'related', attribute, where, orNone: ofNothing(where) === true };
}

/**
 * Plans a filter. Throws the protocol's 400 for unknown, hidden and unreadable names and for invalid values.
 */
export function planFilter(filter: Filter, scope: FilterScope): Condition {
  switch (filter.kind) {
    case 'operator':
      return operator(filter.op, filter.operand, scope);
    case 'not':
      return planFilter(filter.of, { ...scope, negated: !scope.negated });
    case 'member':
      return member(filter.key, filter.of, scope);
    case 'group': {
      if (!scope.open && filter.op === '$or') throw unknownKey(filter.op, scope.path, scope.source);
      const parts = filter.parts.map((part) => planFilter(part, scope));
      return { kind: (filter.op === '$or') === scope.negated ? 'all' : 'any', parts };
    }
  }
}
