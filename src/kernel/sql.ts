/**
 * Builder of all SQL. A fragment consists of literal text from this code base, identifiers of the schema, and
 * parameters. The types allow nothing else, so client input cannot become SQL text.
 */

declare const identifierBrand: unique symbol;

/**
 * Name of a table, column or attribute. Only `identifier()` creates one, and only from names of the model.
 */
export type Identifier = string & { readonly [identifierBrand]: true };

/** PostgreSQL silently truncates longer names, so two names could become equal. */
export const MAX_IDENTIFIER_BYTES = 63;

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

const isIdentifier = (name: string): name is Identifier =>
  IDENTIFIER.test(name) && name.split('.').every((part) => Buffer.byteLength(part) <= MAX_IDENTIFIER_BYTES);

/**
 * Returns a name of the model as an identifier; a table name may have its schema before a dot. Throws on a
 * name that the model check should have rejected.
 */
export function identifier(name: string): Identifier {
  if (!isIdentifier(name)) throw new Error(`"${name}" cannot be used as a name in SQL`);
  return name;
}

/**
 * Parameter, with a function that reads its value from the source of a statement. Printing the same object
 * twice reuses its number.
 */
export class Param {
  constructor(readonly read: (source: never) => unknown) {}
}

class Name {
  constructor(
    readonly name: Identifier,
    readonly text: string,
  ) {}
}

/** Fragment that differs between a statement of one write and a statement of many. */
class Forms {
  constructor(
    readonly one: Sql,
    readonly many: Sql,
  ) {}
}

type Part = string | Name | Param | Sql | Forms;

/** SQL fragment: an immutable sequence of text, names, parameters and other fragments. */
export class Sql {
  constructor(readonly parts: readonly Part[]) {}
}

/**
 * Template tag. Literal text is trusted; each placeholder must be a fragment or a parameter, never a string.
 */
export function sql(strings: TemplateStringsArray, ...holes: readonly (Sql | Param)[]): Sql {
  const parts: Part[] = [strings[0] ?? ''];
  for (const [i, hole] of holes.entries()) parts.push(hole, strings[i + 1] ?? '');
  return new Sql(parts);
}

/** Prints `one` in a statement of one write, and `many` in one over the rows `g` of several writes. */
export const forms = (one: Sql, many: Sql): Sql => new Sql([new Forms(one, many)]);

/** Prints a fragment only in a statement over the rows `g` of several writes. */
export const inMany = (many: Sql): Sql => forms(sql``, many);

/** Parameter with a known value, as `$n`. */
export const param = (value: unknown): Param => new Param(() => value);

/** Parameter whose value is read when the statement is sent, as `$n`, so that the text can be cached. */
export const slot = <S>(read: (source: S) => unknown): Param => new Param(read);

/** Cache of quoted names; bounded by the size of the model. */
const NAMES = new Map<Identifier, string>();

function quoteIdentifier(name: Identifier): string {
  const cached = NAMES.get(name);
  if (cached !== undefined) return cached;
  const text = `"${name.replaceAll('.', '"."')}"`;
  NAMES.set(name, text);
  return text;
}

const QUOTE = {
  identifier: quoteIdentifier,
  string: (name: Identifier): string => `'${name}'`,
  reference: (name: Identifier): string => `'${quoteIdentifier(name)}'`,
  bare: (name: Identifier): string => `"${name.slice(name.indexOf('.') + 1)}"`,
};

/**
 * Quotes a name; no other function does. The forms are `"x"`, a string constant `'x'`, an identifier in a
 * string `'"x"'`, and an identifier without its schema.
 */
export const quote = (name: Identifier, as: keyof typeof QUOTE = 'identifier'): Sql =>
  new Sql([new Name(name, QUOTE[as](name))]);

const LOWER_CASE = /^[a-z][a-z_]*$/;

/** Returns a name of the library that needs no quotes. Throws if it may need quotes. */
export function plain(name: Identifier): Sql {
  if (!LOWER_CASE.test(name)) throw new Error(`"${name}" must be quoted in SQL`);
  return new Sql([name]);
}

export const alias = (kind: 't' | 'l' | 'c' | 'k' | 'j', n: number): Sql => new Sql([`${kind}${n}`]);

const PLAIN_WORD = /^[A-Za-z0-9_.:-]*$/;

/**
 * Returns an integer or word of the settings or model as literal text; never pass request input. The planner
 * sees its value even in a generic plan. Throws on a word that would need quoting.
 */
export function constant(value: number | string): Sql {
  if (typeof value === 'number') return new Sql([String(Math.trunc(value))]);
  if (!PLAIN_WORD.test(value)) throw new Error(`"${value}" cannot be used as a constant in SQL`);
  return new Sql([`'${value}'`]);
}

const TYPE_NAME = /^[a-z][a-z0-9_]*(\(\d+(,\d+)?\))?$/;

/** Returns a type name as a fragment. Throws if it is invalid. */
export function typeName(name: string): Sql {
  if (!TYPE_NAME.test(name)) throw new Error(`"${name}" is not a type name in SQL`);
  return new Sql([name]);
}

export function join(
  fragments: readonly Sql[],
  separator: ', ' | ' and ' | ' or ' | ' ' | ' || ' | '; ',
): Sql {
  const parts: (string | Sql)[] = [];
  fragments.forEach((fragment, i) => (i === 0 ? parts.push(fragment) : parts.push(separator, fragment)));
  return new Sql(parts);
}

/** Joins at least one query by `union all`. */
export const union = (queries: readonly Sql[]): Sql =>
  queries.reduce((all, next) => sql`${all} union all ${next}`);

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether the caller ignores the rows, so that they need no row description. */
  readonly silent?: boolean;
  readonly names?: readonly Identifier[];
  /** Merges statements of the same template; undefined if they cannot be merged. */
  readonly merger?: Merger | undefined;
  /** Source of the values of a statement with a merger. */
  readonly source?: unknown;
}

/** Makes one statement of several. Its rows have the number of their statement as `item`, from 1 on. */
export interface Merger {
  merge(statements: readonly Statement[]): Statement;
}

/** Marks a statement whose rows the caller ignores. */
export const silently = ({ text, values, merger, source }: Statement): Statement => ({
  text,
  values,
  silent: true,
  merger,
  source,
});

/** Statement text, with a reader for the value of each parameter. */
export interface Template<S> {
  readonly text: string;
  readonly names: readonly Identifier[];
  readonly slots: readonly ((source: S) => unknown)[];
  readonly merger?: Merger;
}

const LABEL = /^[A-Za-z][\w.-]*$/;

/**
 * Returns a leading comment, which the statistics and logs of the database show. `label` is made of names of
 * the model; never pass request input. Throws if it could end the comment.
 */
export function commentOf(label: string): string {
  if (!LABEL.test(label)) throw new Error(`"${label}" cannot be used as a comment in SQL`);
  return `/* ${label} */ `;
}

/** Adds a leading comment to a printed statement. */
export const withLabel = (label: string, statement: Statement): Statement => ({
  ...statement,
  text: commentOf(label) + statement.text,
});

export interface Printing {
  readonly many: boolean;
  /** Text of a parameter. */
  readonly place: (param: Param) => string;
}

/** Prints a fragment in one pass. */
export function printFragment(root: Sql, { many, place }: Printing): Pick<Template<never>, 'text' | 'names'> {
  const names: Identifier[] = [];
  let text = '';
  const walk = (fragment: Sql): void => {
    for (const part of fragment.parts) {
      if (typeof part === 'string') text += part;
      else if (part instanceof Sql) walk(part);
      else if (part instanceof Param) text += place(part);
      else if (part instanceof Forms) walk(many ? part.many : part.one);
      else {
        text += part.text;
        names.push(part.name);
      }
    }
  };
  walk(root);
  return { text, names };
}

/**
 * Prints a fragment for one source; parameters are numbered in the order of the text. The text begins with
 * `label` as a comment.
 */
export function template<S>(root: Sql, label?: string): Template<S> {
  const slots: ((source: S) => unknown)[] = [];
  const numbers = new Map<Param, number>();
  const place = (param: Param): string => {
    const n = numbers.get(param) ?? slots.push(param.read as (source: S) => unknown);
    numbers.set(param, n);
    return `$${n}`;
  };
  const { text, names } = printFragment(root, { many: false, place });
  return { text: label === undefined ? text : commentOf(label) + text, names, slots };
}

/** Returns the names that a fragment quotes. */
export const namesIn = (root: Sql): readonly Identifier[] => template(root).names;

export function fill<S>({ text, names, slots, merger }: Template<S>, source: S): Statement {
  const values = slots.map((read) => read(source));
  return merger === undefined ? { text, names, values } : { text, names, values, merger, source };
}

export const print = (root: Sql): Statement => fill(template(root), null);

/** Dollar quotes of blocks and functions in a script. */
const BODY = '$content$';

/** Returns a value as a literal that cannot end the surrounding dollar quotes. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return quoted.includes(BODY) ? `(${quoted.replaceAll(BODY, "$content'||'$")})` : quoted;
}

/** Prints a fragment without parameters, for SQL files. Values come from definitions, never from requests. */
export function script(root: Sql): string {
  const walk = (fragment: Sql): string =>
    fragment.parts
      .map((part) => {
        if (typeof part === 'string') return part;
        if (part instanceof Name) return part.text;
        if (part instanceof Forms) return walk(part.one);
        return part instanceof Sql ? walk(part) : literal(part.read(null as never));
      })
      .join('');
  return walk(root);
}
