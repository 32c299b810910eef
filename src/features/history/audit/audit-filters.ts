/** Filters of the audit log, in the form of filters on content. */
import { toBoolean } from '../../../content/model/formats.js';
import { SCALAR_TYPES, type ScalarType } from '../../../content/model/scalar-types.js';
import { type OperatorName, operatorOf } from '../../../content/query/operators.js';
import type { Filter } from '../../../content/query/query.js';
import { invalidKey, type Source, validationError } from '../../../kernel/errors.js';
import { join, param, type Sql, sql } from '../../../kernel/sql.js';

export const SOURCE: Source = { source: 'query', param: 'filters' };

interface Field {
  readonly column: Sql;
  readonly type: ScalarType;
}

const field = (column: Sql, type: keyof typeof SCALAR_TYPES = 'string'): Field => ({
  column,
  type: SCALAR_TYPES[type],
});

/** Columns of an entry by the path of their values in responses. */
const FIELDS: ReadonlyMap<string, Field> = new Map([
  ['id', field(sql`e.id`, 'biginteger')],
  ['at', field(sql`e.at`, 'datetime')],
  ['action', field(sql`e.action`)],
  ['status', field(sql`e.status`, 'integer')],
  ['type', field(sql`e.type`)],
  ['documentId', field(sql`e.document_id`)],
  ['locale', field(sql`e.locale`)],
  ['by.kind', field(sql`e.actor`)],
  ['by.id', field(sql`e.actor_id`)],
  ['requestId', field(sql`e.request_id`)],
  ['address', field(sql`e.address`)],
]);

const wrong = (op: OperatorName, path: string, expected: string): Error =>
  validationError(`Invalid value for ${op} at ${path}: expected ${expected}`, { key: op, path, ...SOURCE });

/** Prints one comparison. Throws a 400 for an operator or a value that the field does not support. */
function compare({ column, type }: Field, { op, operand }: Operation, path: string): Sql {
  const operator = operatorOf(op);
  if (operator.applies === 'json' || (operator.applies === 'textual' && !type.textual))
    throw invalidKey(op, { at: path, path }, SOURCE);
  if (operator.operand === 'flag') {
    const isOn = toBoolean(operand);
    if (isOn === undefined) throw wrong(op, path, 'true or false');
    const printed = operator.sql(column, sql`null`);
    return isOn ? printed : sql`not (${printed})`;
  }
  const list: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  if (operator.operand === 'list')
    return operator.sql(column, sql`${param(list.map((one) => type.operand(one)))}${type.castList}`);
  const count = operator.operand === 'pair' ? 2 : 1;
  if (list.length !== count) throw wrong(op, path, count === 1 ? 'one value' : 'two values');
  if (operator.compares === 'text') {
    const text = String(type.operand(list[0]));
    return operator.sql(sql`${column}::text`, sql`${param(operator.pattern?.(text) ?? text)}::text`);
  }
  const values = list.map((one) => sql`${param(type.operand(one))}${type.cast}`);
  return operator.sql(column, join(values, ' and '));
}

type Operation = Extract<Filter, { kind: 'operator' }>;

/** Prints filters as a condition on an entry `e`. Throws a 400 for other names. */
export function compileFilters(filter: Filter | null, path = ''): Sql {
  if (filter === null) return sql`true`;
  switch (filter.kind) {
    case 'group': {
      const parts = filter.parts.map((part) => compileFilters(part, path));
      if (parts.length === 0) return filter.op === '$and' ? sql`true` : sql`false`;
      return sql`(${join(parts, filter.op === '$and' ? ' and ' : ' or ')})`;
    }
    case 'not':
      return sql`not coalesce(${compileFilters(filter.of, path)}, false)`;
    case 'member': {
      const at = path === '' ? filter.key : `${path}.${filter.key}`;
      if (![...FIELDS.keys()].some((known) => known === at || known.startsWith(`${at}.`)))
        throw invalidKey(filter.key, { at: path, path: at }, SOURCE);
      return compileFilters(filter.of, at);
    }
    case 'operator': {
      const known = FIELDS.get(path);
      if (known === undefined) throw invalidKey(filter.op, { at: path, path: path || null }, SOURCE);
      return compare(known, filter, path);
    }
  }
}
