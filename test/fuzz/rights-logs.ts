/** Logs of the writes of the fuzzer of rights: events, audit log, and what hooks noted. */
import { isDeepStrictEqual } from 'node:util';
import type { Version } from './rights-model.ts';

type Query = (text: string) => Promise<Record<string, any>[]>;

/** A version before and after a write; undefined where it does not exist. */
export type Change = readonly [before: Version | undefined, after: Version | undefined];

/** Stands for documents that have no id yet. */
export const NEW = 'new';

/** Actions by document. */
export type Entries = ReadonlyMap<string, readonly string[]>;

const LOGS = ['content_event', 'content_audit'] as const;

/** Id of the last entry of both logs, which share a sequence. */
export async function lastEntry(sql: Query): Promise<string> {
  const [row] = await sql(`select max(id) as last from (${LOGS.map(idsOf).join(' union all ')}) x`);
  return String(row?.['last'] ?? 0);
}

const idsOf = (log: string): string => `(select id from ${log} order by id desc limit 1)`;

async function entriesOf(sql: Query, log: string, last: string): Promise<Entries> {
  const found = new Map<string, string[]>();
  for (const { id, action } of await sql(
    `select document_id as id, action from ${log} where id > ${last} and document_id is not null order by id`,
  ))
    found.set(id, [...(found.get(id) ?? []), action]);
  return found;
}

/** Returns the entries of both logs after one of them. */
export async function entriesAfter(sql: Query, last: string): Promise<ReadonlyMap<string, Entries>> {
  const found = new Map<string, Entries>();
  for (const log of LOGS) found.set(log, await entriesOf(sql, log, last));
  return found;
}

/** Actions of which one must stand for a change. Entries of drafts have any action. */
function actionsOf([before, after]: Change): readonly string[] | null {
  if ((after ?? before)?.published !== true) return null;
  // To hooks, a new locale is an update.
  return after === undefined ? ['unpublish', 'delete'] : ['publish', 'update', 'create'];
}

/** Whether the document of the change has only lost the target of its one-to-one relation to another one. */
const isLoss = ([before, after]: Change): boolean =>
  after !== undefined && after.seal === null && isDeepStrictEqual({ ...before, seal: null }, after);

function isLogged(change: Change, entries: Entries): boolean {
  const [before, after] = change;
  const id = (after ?? before)?.documentId ?? '';
  const found = [...(entries.get(id) ?? []), ...(entries.get(NEW) ?? [])];
  const actions = actionsOf(change);
  return found.some((action) => actions === null || actions.includes(action));
}

/** Returns the changes that one of the logs lacks. */
export const unloggedIn = (logs: ReadonlyMap<string, Entries>, changes: readonly Change[]): string[] =>
  [...logs].flatMap(([log, entries]) =>
    changes
      .filter((change) => !isLoss(change) && !isLogged(change, entries))
      .map((change) => `${log} has no entry for ${JSON.stringify(change)}`),
  );
