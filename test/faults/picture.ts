/**
 * Content of a database in two forms: exactly, and without the differences between two runs of the same
 * write.
 */

export type RunSql = (text: string, values?: unknown[]) => Promise<Record<string, any>[]>;

/** Columns by table. */
export type Tables = ReadonlyMap<string, readonly string[]>;

/** Tables of content, without the change log. */
export async function tablesOf(sql: RunSql): Promise<Tables> {
  const rows =
    await sql(`select table_name as name, json_agg(column_name order by ordinal_position) as columns
    from information_schema.columns where table_schema = 'public'
      and table_name not in ('content_change', 'content_total') group by 1 order by 1`);
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

export async function save(sql: RunSql, tables: Tables): Promise<void> {
  await sql('drop schema if exists saved cascade');
  await sql('create schema saved');
  for (const table of tables.keys()) await sql(`create table saved."${table}" as table public."${table}"`);
}

/** Restores the saved content. The triggers of TRUNCATE report the change to caches and counts. */
export async function restore(sql: RunSql, tables: Tables): Promise<void> {
  const names = [...tables.keys()].map((table) => `public."${table}"`);
  const fill = [...tables.keys()].map(
    (table) => `insert into public."${table}" select * from saved."${table}"`,
  );
  await sql(
    `begin; truncate ${names.join()}; set local session_replication_role = replica; ${fill.join('; ')}; commit`,
  );
}

/** Returns a checksum of all rows of all tables. */
export async function checksum(sql: RunSql, tables: Tables): Promise<string> {
  const parts = [...tables.keys()].map(
    (table) =>
      `(select coalesce(md5(string_agg(t::text, '|' order by t::text collate "C")), '') from public."${table}" t)`,
  );
  const [row] = await sql(`select md5(${parts.join(` || ',' || `)}) as sum`);
  return String(row?.['sum']);
}

interface Row {
  [column: string]: any;
}

const ranks = (rows: readonly Row[], column: string, group: (row: Row) => string): void => {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(group(row), [...(groups.get(group(row)) ?? []), row]);
  for (const members of groups.values()) {
    members.sort((a, b) => a[column] - b[column]);
    members.forEach((row, i) => (row[column] = i));
  }
};

/** Ids of component instances are new in every run. */
const withoutIds = (value: unknown, label: (id: string) => string): unknown => {
  if (Array.isArray(value)) return value.map((item) => withoutIds(item, label));
  if (typeof value === 'string') return label(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'id' && key !== 'documentId')
      .map(([key, item]) => [key, withoutIds(item, label)]),
  );
};

/**
 * Returns all rows with names instead of ids and ranks instead of positions. `known` are the earlier document
 * ids; others are new ones, numbered by the text of their first row.
 */
export async function picture(
  sql: RunSql,
  tables: Tables,
  known: ReadonlySet<string>,
): Promise<Record<string, string[]>> {
  const all = new Map<string, Row[]>();
  for (const [table] of tables) all.set(table, await sql(`select * from public."${table}" order by 1`));
  // A revision is a digest of content, including the ids of instances.
  for (const rows of all.values()) for (const row of rows) delete row['revision'];
  const label = (id: unknown): any =>
    typeof id === 'string' && /^[a-z][a-z0-9]{23}$/.test(id) && !known.has(id) ? 'new' : id;
  const owners = new Map<string, Row>();
  for (const [table, rows] of all)
    for (const row of rows) if ('document_id' in row) owners.set(`${table}#${row['id']}`, { ...row });

  const shown: Record<string, string[]> = {};
  for (const [table, rows] of all) {
    const document = tables.get(table)?.includes('document_id') === true;
    for (const row of rows) {
      if (document || !('owner_document_id' in row)) continue;
      row['state'] = `${row['locale']} ${row['published']}`;
      row['owner'] = `${label(row['owner_document_id'])} ${row['state']}`;
    }
    for (const column of tables.get(table) ?? []) {
      if (!/position$/.test(column)) continue;
      const related = column.replace(/_position$/, '_document_id');
      if (column === 'position') ranks(rows, column, (row) => row['owner']);
      else if (column === 'inverse_position')
        ranks(rows, column, (row) => `${row['target_document_id']} ${row['state']}`);
      // Without a target a position is meaningless.
      else
        ranks(rows, column, (row) =>
          row[related] === null ? `${row['id']}` : `${row[related]} ${row['locale']} ${row['published']}`,
        );
    }
    shown[table] = rows
      .map((row) =>
        JSON.stringify(
          Object.entries(row).map(([column, value]) => {
            if (column === 'id') return '';
            if (value instanceof Date) return 'time';
            return withoutIds(value, label);
          }),
        ),
      )
      .sort();
  }
  return shown;
}
