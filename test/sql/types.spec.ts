/**
 * Types of SQL templates: a placeholder takes a fragment or a parameter, never a string. `npm run typecheck`
 * checks this file.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { alias, identifier, join, param, print, quote, type Sql, sql } from '../../src/kernel/sql.ts';

const text = 'x; drop table articles' as string;

/** Never called: each line below an expected error must be one. */
export function refused(): unknown[] {
  return [
    // @ts-expect-error -- a text is not SQL
    sql`select ${text}`,
    // @ts-expect-error -- nor is a literal
    sql`select ${'x'}`,
    // @ts-expect-error -- nor a number
    sql`select ${1}`,
    // @ts-expect-error -- nor nothing
    sql`select ${undefined}`,
    // @ts-expect-error -- nor a list of fragments
    sql`select ${[sql`a`]}`,
    // @ts-expect-error -- a template is not called with a text
    sql(text),
    // @ts-expect-error -- only `identifier` makes names
    quote(text),
    // @ts-expect-error -- not even from a constant
    quote('name'),
    // @ts-expect-error -- separators are a closed list
    join([sql`a`], text),
    // @ts-expect-error -- texts are not fragments
    join([text], ', '),
    // @ts-expect-error -- kinds of aliases are a closed list
    alias(text, 1),
    // @ts-expect-error -- and their numbers are numbers
    alias('t', text),
    // @ts-expect-error -- what is printed is a fragment
    print(text),
  ];
}

const sources = (folder: URL): URL[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? sources(new URL(`${entry.name}/`, folder)) : [new URL(entry.name, folder)],
  );

describe('SQL', () => {
  it('takes values as parameters only', () => {
    expect(print(sql`select ${param(text)}, ${sql`(${param(1)})`}`)).toEqual({
      text: 'select $1, ($2)',
      values: [text, 1],
      names: [],
    });
  });

  it('prints one object as one parameter', () => {
    const same = param('x');
    expect(print(sql`${same} ${param('x')} ${same}`)).toMatchObject({ text: '$1 $2 $1', values: ['x', 'x'] });
  });

  it.each(['x"', "x'", 'x y', 'x;', '', '1x', 'x\u0000', 'ü', 'x'.repeat(64), 'x--\n', '$1', 'x(', '\\'])(
    'refuses the name %j',
    (name) => {
      expect(() => identifier(name)).toThrow('cannot be used as a name in SQL');
    },
  );

  it('lists the names that a statement quotes, in order', () => {
    const [a, b] = [identifier('a'), identifier('other.b')];
    const statement = print(
      sql`select ${quote(a)} from ${quote(b)} where ${quote(a, 'string')} = ${param(1)}`,
    );
    expect(statement.names).toEqual(['a', 'other.b', 'a']);
  });

  it('quotes names as identifiers or constants', () => {
    const name = identifier('shared.seo-meta_1');
    const all = [quote(identifier('title')), quote(name), quote(name, 'string'), quote(name, 'reference')];
    expect(all.map((one: Sql) => print(one).text)).toEqual([
      '"title"',
      '"shared"."seo-meta_1"',
      `'shared.seo-meta_1'`,
      `'"shared"."seo-meta_1"'`,
    ]);
  });

  it('is built in one file, and names only in the schema', () => {
    const files = sources(new URL('../../src/', import.meta.url)).map((file) => ({
      path: file.pathname.replace(/^.*\/src\//, ''),
      code: readFileSync(file, 'utf8'),
    }));
    const those = (pattern: RegExp): string[] =>
      files
        .filter(({ code }) => pattern.test(code))
        .map(({ path }) => path)
        .sort();
    expect(those(/new Sql\(/)).toEqual(['kernel/sql.ts']);
    expect(those(/as (unknown|any|never) as (Sql|Identifier|Param)\b|(as|is) Identifier\b/)).toEqual([
      'kernel/sql.ts',
    ]);
    expect(
      those(/\bidentifier\((?!'|[A-Z_]+\))/).filter(
        (path) => !path.startsWith('content/model/') && path !== 'kernel/sql.ts',
      ),
    ).toEqual([]);
  });
});
