/** Whether the database has the tables and columns that statements will name; one statement at the start. */
import type { MikroORM } from '@mikro-orm/core';
import { param, print, sql } from '../sql.js';
import type { Runner } from './runner.js';

const quoted = (name: string): string => `"${name}"`;

/** The content's tables as statements name them, each with its columns. */
function expected(orm: MikroORM): Map<string, string[]> {
  const ours = [...orm.getMetadata()].filter(({ className }) => className.startsWith('Content_'));
  return new Map(
    ours.map(({ tableName, schema, props }) => [
      [schema, tableName]
        .filter((part) => part !== undefined)
        .map(quoted)
        .join('.'),
      props.flatMap(({ fieldNames }) => fieldNames ?? []),
    ]),
  );
}

/** What is missing, one sentence for all of it; empty when nothing is. */
export async function checkTables(orm: MikroORM, run: Runner['run']): Promise<string[]> {
  const tables = expected(orm);
  const rows = await run(
    print(sql`select t.name, (select json_agg(a.attname) from pg_attribute a
      where a.attrelid = to_regclass(t.name) and a.attnum > 0 and not a.attisdropped)::text as columns
      from unnest(${param([...tables.keys()])}::text[]) t(name)`),
  );
  const missing = rows.flatMap(({ name, columns }): string[] => {
    if (typeof columns !== 'string') return [String(name)];
    const known = new Set(JSON.parse(columns) as string[]);
    const wanted = tables.get(String(name)) ?? [];
    return wanted.filter((column) => !known.has(column)).map((column) => `${String(name)}.${quoted(column)}`);
  });
  if (missing.length === 0) return [];
  const advice = 'run the migrations, or orm.schema.update({ safe: true })';
  return [`The database lacks ${missing.join(', ')}: ${advice}. Until then requests for them answer 503`];
}
