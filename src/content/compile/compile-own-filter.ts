/** Lists of rows of the library's own tables: filters, order and pages in the form of those of content. */
import { toBoolean } from '../model/formats.js';
import { SCALAR_TYPES, type ScalarType } from '../model/scalar-types.js';
import { type OperatorName, operatorOf } from '../query/operators.js';
import { parseSort } from '../query/parse-fields.js';
import type { Filter, Pagination } from '../query/query.js';
import { invalidKey, placed, type Source, validationError } from '../../kernel/errors.js';
import { join, param, print, type Sql, sql, type Statement } from '../../kernel/sql.js';

export const FILTERS: Source = { source: 'query', param: 'filters' };

interface Field {
  readonly column: Sql;
  readonly type: ScalarType;
}

/** Columns by the path of their values in responses. */
export type OwnFields = ReadonlyMap<string, Field>;

export const ownField = (column: Sql, type: keyof typeof SCALAR_TYPES = 'string'): Field => ({
  column,
  type: SCALAR_TYPES[type],
});

const wrong = (op: OperatorName, path: string, expected: string): Error =>
  validationError(`Invalid value for ${op} at ${path}: expected ${expected}`, { key: op, path, ...FILTERS });

/** Converts a value. Adds the place of the value to the error. */
function operandOf(type: ScalarType, raw: unknown, path: string): unknown {
  try {
    return type.operand(raw);
  } catch (error) {
    throw placed(error, { key: path.split('.').at(-1), path, ...FILTERS });
  }
}

/** Prints one comparison. Throws a 400 for an operator or a value that the field does not support. */
function compare({ column, type }: Field, { op, operand }: Operation, path: string): Sql {
  const operator = operatorOf(op);
  if (operator.applies === 'json' || (operator.applies === 'textual' && !type.textual))
    throw invalidKey(op, { at: path, path }, FILTERS);
  if (operator.operand === 'flag') {
    const isOn = toBoolean(operand);
    if (isOn === undefined) throw wrong(op, path, 'true or false');
    const printed = operator.sql(column, sql`null`);
    return isOn ? printed : sql`not (${printed})`;
  }
  const list: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  if (operator.operand === 'list')
    return operator.sql(column, sql`${param(list.map((one) => operandOf(type, one, path)))}${type.castList}`);
  const count = operator.operand === 'pair' ? 2 : 1;
  if (list.length !== count) throw wrong(op, path, count === 1 ? 'one value' : 'two values');
  if (operator.compares === 'text') {
    const text = String(operandOf(type, list[0], path));
    return operator.sql(sql`${column}::text`, sql`${param(operator.pattern?.(text) ?? text)}::text`);
  }
  const values = list.map((one) => sql`${param(operandOf(type, one, path))}${type.cast}`);
  return operator.sql(column, join(values, ' and '));
}

type Operation = Extract<Filter, { kind: 'operator' }>;

/** Prints filters as a condition on columns. Throws a 400 for other names. */
export function compileOwnFilter(filter: Filter | null, fields: OwnFields, path = ''): Sql {
  if (filter === null) return sql`true`;
  switch (filter.kind) {
    case 'group': {
      const parts = filter.parts.map((part) => compileOwnFilter(part, fields, path));
      if (parts.length === 0) return filter.op === '$and' ? sql`true` : sql`false`;
      return sql`(${join(parts, filter.op === '$and' ? ' and ' : ' or ')})`;
    }
    case 'not':
      return sql`not coalesce(${compileOwnFilter(filter.of, fields, path)}, false)`;
    case 'member': {
      const at = path === '' ? filter.key : `${path}.${filter.key}`;
      if (![...fields.keys()].some((name) => name === at || name.startsWith(`${at}.`)))
        throw invalidKey(filter.key, { at: path, path: at }, FILTERS);
      return compileOwnFilter(filter.of, fields, at);
    }
    case 'operator': {
      const field = fields.get(path);
      if (field === undefined) throw invalidKey(filter.op, { at: path, path: path || null }, FILTERS);
      return compare(field, filter, path);
    }
  }
}

const SORT: Source = { source: 'query', param: 'sort' };

/** Prints the order of a `sort` parameter. Throws a 400 for other names. */
export function compileOwnOrder(raw: unknown, fields: OwnFields): Sql[] {
  return parseSort(raw, SORT).map(({ path, descending }) => {
    const at = path.join('.');
    const field = fields.get(at);
    if (field === undefined) throw invalidKey(path.at(-1) ?? at, { at: '', path: at }, SORT);
    return descending ? sql`${field.column} desc` : field.column;
  });
}

/** List of the rows of a table. */
export interface OwnList {
  readonly table: Sql;
  /** Name of a row in the other parts. */
  readonly alias: Sql;
  /** Row in the form of responses, as JSON. */
  readonly shown: Sql;
  /** Columns that filters name. */
  readonly fields: OwnFields;
  /**
   * Prints the order of a `sort` parameter; it ends with a unique column. Throws a 400 for an unknown key.
   */
  readonly order: (sort: unknown) => readonly Sql[];
}

export interface OwnPage extends Pick<Pagination, 'start' | 'limit' | 'withCount'> {
  readonly where: Sql;
  readonly order: readonly Sql[];
}

/** Selects a page of rows as `data`, a JSON text, with the `total` of all pages if it is wanted. */
export function compileOwnPage({ table, alias, shown }: OwnList, page: OwnPage): Statement {
  const { where, start, limit, withCount } = page;
  const rows = sql`${table} ${alias} where ${where}`;
  const order = join(page.order, ', ');
  const total = withCount ? sql`(select count(*) from ${rows})` : sql`null::int8`;
  // An offset would print the rows of the earlier pages.
  const pageRows = sql`select ${alias}.* from ${rows} order by ${order}
    limit ${param(limit)}::int8 offset ${param(start)}::int8`;
  return print(sql`select (select coalesce(json_agg(${shown} order by ${order}), '[]')
        from (${pageRows}) ${alias})::text as data,
      ${total} as total`);
}
