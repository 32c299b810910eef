/** Check at the start, in one statement: the database has the tables and columns of the model. */
import type { MikroORM } from '@mikro-orm/core';
import { param, print, sql } from '../../kernel/sql.js';
import type { Row, Runner } from '../../pool/runner.js';

/** Statement that any reachable database can run. */
export const PING = print(sql`select 1`);

const quoted = (name: string): string => `"${name}"`;

interface ExpectedColumn {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

function expectedColumns(orm: MikroORM): ExpectedColumn[] {
  const ours = [...orm.getMetadata()].filter(({ className }) => className.startsWith('Content_'));
  return ours.flatMap(({ tableName, schema, props }) => {
    const table = [schema, tableName]
      .filter((part) => part !== undefined)
      .map(quoted)
      .join('.');
    return props.flatMap(({ fieldNames = [], columnTypes = [] }) =>
      fieldNames.map((column, i) => ({ table, column, type: (columnTypes[i] ?? '').replace(/\(.*\)/, '') })),
    );
  });
}

const listNames = (names: readonly string[]): string => [...new Set(names)].join(', ');

export interface TableProblems {
  readonly tables: readonly string[];
  readonly isNew: boolean;
}

export async function checkTables(orm: MikroORM, run: Runner['run']): Promise<TableProblems> {
  const all = expectedColumns(orm);
  const wanted = param(JSON.stringify(all));
  const rows = await run(
    print(sql`select e."table", e."column", e.type, to_regclass(e."table") is null as gone,
        a.attname is null as missing, format_type(a.atttypid, null) as found
      from json_to_recordset(${wanted}::json) e("table" text, "column" text, type text)
      left join pg_attribute a on a.attrelid = to_regclass(e."table") and a.attname = e."column"
        and a.attnum > 0 and not a.attisdropped
      where a.attname is null or a.atttypid <> to_regtype(e.type)`),
  );
  const at = ({ table, column }: Row): string => `${String(table)}.${quoted(String(column))}`;
  const missing = rows
    .filter((row) => row['missing'] === true)
    .map((row) => (row['gone'] === true ? String(row['table']) : at(row)));
  const others = rows
    .filter((row) => row['missing'] !== true)
    .map((row) => `${at(row)} (${String(row['found'])} instead of ${String(row['type'])})`);
  const sentence = (what: string, names: readonly string[]): string[] =>
    names.length === 0
      ? []
      : [`The database ${what} ${listNames(names)}: requests that need them fail with 503`];
  return {
    tables: [...sentence('lacks', missing), ...sentence('has other types for', others)],
    isNew: rows.length === all.length && rows.every((row) => row['gone'] === true),
  };
}
