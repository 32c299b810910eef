/** Removes a person from documents, stored versions, logs, releases and the open forms of the desk. */
import { auditTableOf } from '../../content/model/audit-table.js';
import { AUTHORS, CREATOR } from '../../content/model/authors.js';
import { eventTablesOf } from '../../content/model/event-tables.js';
import { historyTableOf } from '../../content/model/history-table.js';
import { presenceTableOf } from '../../content/model/presence-table.js';
import { releaseTablesOf } from '../../content/model/release-tables.js';
import { requestKeyTableOf } from '../../content/model/request-keys.js';
import type { Schema } from '../../content/model/model.js';
import type { Database } from '../../content/store/database.js';
import { runUnlimited } from '../../content/store/run-unlimited.js';
import { constant, type Identifier, join, param, print, quote, type Sql, sql } from '../../kernel/sql.js';

const CREATOR_NAME = constant(CREATOR);

interface Part {
  readonly what: string;
  readonly table: Identifier;
  readonly rows: Sql;
  /** Assignments; null to delete the rows. */
  readonly sets: Sql | null;
}

export interface ErasedPart {
  readonly what: string;
  readonly count: number;
}

/** Author columns of the types with `authors`. */
const authorsOf = (types: Schema['types'], id: Sql): readonly Part[] =>
  [...types.values()].flatMap(({ singularApiId, table, storage }) => {
    const columns = AUTHORS.flatMap((name) => storage.columnOf.get(name) ?? []).map(({ name }) =>
      quote(name),
    );
    if (columns.length === 0) return [];
    const sets = columns.map((column) => sql`${column} = nullif(${column}, ${id})`);
    return [
      {
        what: `versions of "${singularApiId}" with the user as author, without the id now`,
        table,
        rows: join(
          columns.map((column) => sql`${column} = ${id}`),
          ' or ',
        ),
        sets: join(sets, ', '),
      },
    ];
  });

const releasesOf = (file: Schema['file'], id: Sql): readonly Part[] =>
  [
    [sql`created_by`, sql`created_by_id`, 'created'] as const,
    [sql`released_by`, sql`released_by_id`, 'published'] as const,
  ].map(([by, byId, done]) => ({
    what: `releases ${done} by the user, without the id now`,
    table: releaseTablesOf(file).release,
    rows: sql`${by} = 'user' and ${byId} = ${id}`,
    sets: sql`${byId} = null`,
  }));

function partsOf({ file, types }: Schema, user: string): readonly Part[] {
  const id = sql`${param(user)}::text`;
  const byUser = sql`actor = 'user' and actor_id = ${id}`;
  const [history, audit] = [historyTableOf(file), auditTableOf(file)];
  return [
    {
      what: 'stored versions of the account, deleted',
      table: history,
      rows: sql`type = 'user' and document_id = ${id}`,
      sets: null,
    },
    {
      what: 'stored versions and deletions by the user, without the id now',
      table: history,
      rows: byUser,
      sets: sql`actor_id = null`,
    },
    {
      what: 'stored versions that the user has created, without the id now',
      table: history,
      rows: sql`content->${CREATOR_NAME}->>0 = ${id}`,
      sets: sql`content = content - ${CREATOR_NAME}::text`,
    },
    {
      what: 'audit entries by the user, without the id and the address now',
      table: audit,
      rows: byUser,
      sets: sql`actor_id = null, address = null`,
    },
    {
      // Callers who register or ask for a mail are public, or the application itself in their request: the
      // address is that of the person.
      what: 'audit entries about the account, without its id and the address of its public caller now',
      table: audit,
      rows: sql`document_id = ${id} and (type is null or type = 'user')`,
      sets: sql`document_id = null, address = case when actor not in ('public', 'system') then address end`,
    },
    {
      what: 'logged events by the user, without the id now',
      table: eventTablesOf(file).event,
      rows: byUser,
      sets: sql`actor_id = null`,
    },
    {
      what: 'forms that the user has open at the desk, deleted',
      table: presenceTableOf(file),
      rows: sql`editor = ${id}`,
      sets: null,
    },
    {
      // Without its `view`, a response is repeated without its content.
      what: 'stored responses to requests with an Idempotency-Key that show the user, without data now',
      table: requestKeyTableOf(file),
      rows: sql`strpos(answer, ${id}) > 0`,
      sets: sql`answer = (answer::jsonb - 'view' || '{"data":"null"}')::text`,
    },
    ...releasesOf(file, id),
    ...authorsOf(types, id),
  ];
}

/**
 * Removes a user in one transaction, however long that takes; with `dryRun`, only counts. Returns what it has
 * removed, or would.
 */
export async function eraseUser(
  database: Database,
  schema: Schema,
  { user, dryRun }: { readonly user: string; readonly dryRun: boolean },
): Promise<readonly ErasedPart[]> {
  const erased: ErasedPart[] = [];
  await runUnlimited(database, async (runner) => {
    erased.length = 0;
    for (const { what, table, rows, sets } of partsOf(schema, user)) {
      const found = sql`select count(*) as count from ${quote(table)} where ${rows}`;
      const [row] = await runner.run(print(found));
      if (!dryRun)
        await runner.run(
          print(
            sets === null
              ? sql`delete from ${quote(table)} where ${rows}`
              : sql`update ${quote(table)} set ${sets} where ${rows}`,
          ),
        );
      erased.push({ what, count: Number(row?.['count'] ?? 0) });
    }
  });
  return erased;
}
