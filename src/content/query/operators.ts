/** Operators of filters (protocol section 5): operands and SQL. */
import { type Sql, sql } from '../../kernel/sql.js';

/** Operand of an operator. A list for a `one` operator matches any of its values (protocol 5.26). */
export type OperandShape = 'one' | 'list' | 'pair' | 'flag';

export interface Operator {
  readonly operand: OperandShape;
  /** Operand type: a value of the attribute's type, or text that is compared with the attribute's text. */
  readonly compares: 'value' | 'text';
  /** Converts a text operand to a pattern. */
  readonly pattern?: (value: string) => string;
  /** Operator for an operand without a value, `filters[title][$eq]`; other operators refuse it. */
  readonly ofNull?: '$null' | '$notNull';
  /** Attributes that the operator supports. */
  readonly applies: 'all' | 'textual' | 'json';
  /** `left` is the attribute, `right` the operand: a parameter with a cast. */
  readonly sql: (left: Sql, right: Sql) => Sql;
  /** Form of the condition that a trigram index of the attribute serves, and that is slower without one. */
  readonly byTrigrams?: (left: Sql, right: Sql) => Sql;
}

const compare = (print: Operator['sql'], ofNull?: Operator['ofNull']): Operator => ({
  operand: 'one',
  compares: 'value',
  applies: 'all',
  sql: print,
  ...(ofNull === undefined ? {} : { ofNull }),
});
const list = (print: Operator['sql']): Operator => ({
  operand: 'list',
  compares: 'value',
  applies: 'all',
  sql: print,
});
const text = (
  applies: 'all' | 'textual',
  print: Operator['sql'],
  pattern = (value: string): string => value,
): Operator => ({
  operand: 'one',
  compares: 'text',
  applies,
  sql: print,
  pattern,
});

/** Escapes `%`, `_` and `\` (protocol 5.21). */
const literal = (value: string): string => value.replace(/[\\%_]/g, '\\$&');
const contains = (value: string): string => `%${literal(value)}%`;
const startsWith = (value: string): string => `${literal(value)}%`;
const endsWith = (value: string): string => `%${literal(value)}`;

const like: Operator['sql'] = (l, r) => sql`${l} like ${r}`;
const notLike: Operator['sql'] = (l, r) => sql`${l} not like ${r}`;
const likei: Operator['sql'] = (l, r) => sql`lower(${l}) like lower(${r})`;
const notLikei: Operator['sql'] = (l, r) => sql`lower(${l}) not like lower(${r})`;
/** Folds both sides as `lower` does. */
const ilike: Operator['sql'] = (l, r) => sql`${l} ilike ${r}`;

const insensitive = (pattern: (value: string) => string): Operator => ({
  ...text('all', likei, pattern),
  byTrigrams: ilike,
});

export const OPERATORS = Object.freeze({
  $eq: compare((l, r) => sql`${l} = ${r}`, '$null'),
  $ne: compare((l, r) => sql`${l} <> ${r}`, '$notNull'),
  $lt: compare((l, r) => sql`${l} < ${r}`),
  $lte: compare((l, r) => sql`${l} <= ${r}`),
  $gt: compare((l, r) => sql`${l} > ${r}`),
  $gte: compare((l, r) => sql`${l} >= ${r}`),
  $in: list((l, r) => sql`${l} = any(${r})`),
  $notIn: list((l, r) => sql`${l} <> all(${r})`),
  $between: { operand: 'pair', compares: 'value', applies: 'all', sql: (l, r) => sql`${l} between ${r}` },
  $null: { operand: 'flag', compares: 'value', applies: 'all', sql: (l) => sql`${l} is null` },
  $notNull: { operand: 'flag', compares: 'value', applies: 'all', sql: (l) => sql`${l} is not null` },
  $eqi: text('all', (l, r) => sql`lower(${l}) = lower(${r})`),
  $nei: text('all', (l, r) => sql`lower(${l}) <> lower(${r})`),
  $contains: text('textual', like, contains),
  $notContains: text('textual', notLike, contains),
  $containsi: insensitive(contains),
  $notContainsi: text('all', notLikei, contains),
  $startsWith: text('textual', like, startsWith),
  $startsWithi: insensitive(startsWith),
  $endsWith: text('textual', like, endsWith),
  $endsWithi: insensitive(endsWith),
  $jsonSupersetOf: { operand: 'one', compares: 'value', applies: 'json', sql: (l, r) => sql`${l} @> ${r}` },
} satisfies Readonly<Record<string, Operator>>);

export type OperatorName = keyof typeof OPERATORS;

export const operatorOf = (name: OperatorName): Operator => OPERATORS[name];

export const isOperator = (key: string): key is OperatorName => Object.hasOwn(OPERATORS, key);

/** Whether a key is an operator that takes true or false. */
export const isFlag = (key: string): boolean => isOperator(key) && operatorOf(key).operand === 'flag';
