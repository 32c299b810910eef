/**
 * The only way SQL comes into being. A fragment is literal text from this code base, identifiers that the
 * schema made, and parameters; the types leave no fourth way, so nothing that a client sent can become SQL
 * text.
 */

declare const identifierBrand: unique symbol;

/** A name of a table, column or attribute. Only `identifier()` makes one, and only the schema calls it. */
export type Identifier = string & { readonly [identifierBrand]: true };

/** PostgreSQL cuts longer names silently, which would make two of them one. */
export const MAX_IDENTIFIER_BYTES = 63;

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

/**
 * Admits a name of the model as an identifier; a table's may have its schema before a dot. Throws on anything
 * that the model check should have refused.
 */
export function identifier(name: string): Identifier {
  if (
    !IDENTIFIER.test(name) ||
    name.split('.').some((part) => Buffer.byteLength(part) > MAX_IDENTIFIER_BYTES)
  ) {
    throw new Error(`"${name}" cannot be used as a name in SQL`);
  }
  return name as Identifier;
}

/**
 * A parameter: how its value is read from what the statement is sent for. Printing the same object twice
 * reuses its number.
 */
export class Param {
  constructor(readonly read: (source: never) => unknown) {}
}

/** An SQL fragment: an immutable sequence of text, parameters and other fragments. */
export class Sql {
  constructor(readonly parts: readonly (string | Param | Sql)[]) {}
}

/** A tagged template: literal text is ours, every hole is a fragment or a parameter, never a string. */
export function sql(strings: TemplateStringsArray, ...holes: readonly (Sql | Param)[]): Sql {
  const parts: (string | Param | Sql)[] = [strings[0] ?? ''];
  for (let i = 0; i < holes.length; i += 1) parts.push(holes[i] as Sql | Param, strings[i + 1] ?? '');
  return new Sql(parts);
}

/** A value sent beside the text, as `$n`. */
export const param = (value: unknown): Param => new Param(() => value);

/** A value that is known once the statement is sent, as `$n`, so that its text can be kept. */
export const slot = <S>(read: (source: S) => unknown): Param => new Param(read);

/** Names are those of the model: as many as it has. */
const NAMES = new Map<Identifier, string>();

function quoted(name: Identifier): string {
  const known = NAMES.get(name);
  if (known !== undefined) return known;
  const text = `"${name.replaceAll('.', '"."')}"`;
  NAMES.set(name, text);
  return text;
}

/** The ways to quote a name. */
const QUOTED = {
  identifier: quoted,
  string: (name: Identifier): string => `'${name}'`,
  reference: (name: Identifier): string => `'${quoted(name)}'`,
  bare: (name: Identifier): string => `"${name.slice(name.indexOf('.') + 1)}"`,
};

/**
 * The one quoting function: a name of the model as an identifier (`"x"`), as a string constant (`'x'`), as an
 * identifier in one (`'"x"'`), or as an identifier without its schema.
 */
export const quote = (name: Identifier, as: keyof typeof QUOTED = 'identifier'): Sql =>
  new Sql([QUOTED[as](name)]);

const LOWER_CASE = /^[a-z][a-z_]*$/;

/** One of the library's own names, which need no quotes. Throws on one that may. */
export function plain(name: Identifier): Sql {
  if (!LOWER_CASE.test(name)) throw new Error(`"${name}" has to be quoted in SQL`);
  return new Sql([name]);
}

/** The alias of the n-th table of a statement. */
export const alias = (kind: 't' | 'l' | 'c' | 'k' | 'j', n: number): Sql => new Sql([`${kind}${n}`]);

const PLAIN_WORD = /^[A-Za-z0-9_.:-]*$/;

/**
 * A whole number or a plain word of the settings or the model, which no request can change, as literal text:
 * the planner knows it, also in a plan for all parameters. Throws on a word that would need quoting.
 */
export function constant(value: number | string): Sql {
  if (typeof value === 'number') return new Sql([String(Math.trunc(value))]);
  if (!PLAIN_WORD.test(value)) throw new Error(`"${value}" cannot be used as a constant in SQL`);
  return new Sql([`'${value}'`]);
}

const TYPE_NAME = /^[a-z][a-z0-9_]*(\(\d+(,\d+)?\))?$/;

/** A type of the database by its name. Throws on what is none. */
export function typeName(name: string): Sql {
  if (!TYPE_NAME.test(name)) throw new Error(`"${name}" is no type in SQL`);
  return new Sql([name]);
}

/** Fragments with a separator between them. */
export function join(
  fragments: readonly Sql[],
  separator: ', ' | ' and ' | ' or ' | ' ' | ' || ' | '; ',
): Sql {
  const parts: (string | Sql)[] = [];
  fragments.forEach((fragment, i) => (i === 0 ? parts.push(fragment) : parts.push(separator, fragment)));
  return new Sql(parts);
}

/** The rows of several queries; of one at least. */
export const union = (queries: readonly Sql[]): Sql =>
  queries.slice(1).reduce((all, next) => sql`${all} union all ${next}`, queries[0] as Sql);

/** A printed statement, ready for the driver. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether nobody reads its rows, so that they need no description. */
  readonly silent?: boolean;
}

/** The same statement, of which nobody reads what it returns. */
export const silently = ({ text, values }: Statement): Statement => ({ text, values, silent: true });

/** A statement without values. */
export const constantStatement = (
  text:
    | 'begin isolation level read committed'
    | 'commit'
    | 'rollback'
    | 'set local lock_timeout = 100'
    | 'savepoint content_schedule'
    | 'rollback to savepoint content_schedule',
): Statement => ({ text, values: [], silent: true });

/** A statement without its values: its text, and how each of them is read from what it is sent for. */
export interface Template<S> {
  readonly text: string;
  readonly slots: readonly ((source: S) => unknown)[];
}

/** Prints a fragment whose values come later: one walk, parameters numbered in the order of the text. */
export function template<S>(root: Sql): Template<S> {
  const slots: ((source: S) => unknown)[] = [];
  const numbers = new Map<Param, number>();
  let text = '';
  const walk = (fragment: Sql): void => {
    for (const part of fragment.parts) {
      if (typeof part === 'string') text += part;
      else if (part instanceof Sql) walk(part);
      else {
        let n = numbers.get(part);
        if (n === undefined) {
          n = slots.push(part.read as (source: S) => unknown);
          numbers.set(part, n);
        }
        text += `$${n}`;
      }
    }
  };
  walk(root);
  return { text, slots };
}

/** A statement with the values of what it is sent for. */
export const fill = <S>({ text, slots }: Template<S>, source: S): Statement => ({
  text,
  values: slots.map((read) => read(source)),
});

/** Prints a fragment whose values are known. */
export const print = (root: Sql): Statement => fill(template(root), null);

/** The quotes of the blocks and functions of a script. */
const BODY = '$content$';

/** A value as a constant. A text cannot end the body that it stands in. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return quoted.includes(BODY) ? `(${quoted.replaceAll(BODY, "$content'||'$")})` : quoted;
}

/**
 * Prints a fragment without parameters, for files of SQL: what stands in them comes from definitions, nothing
 * from a request.
 */
export function script(root: Sql): string {
  const walk = (fragment: Sql): string =>
    fragment.parts
      .map((part) => {
        if (typeof part === 'string') return part;
        return part instanceof Sql ? walk(part) : literal(part.read(null as never));
      })
      .join('');
  return walk(root);
}
