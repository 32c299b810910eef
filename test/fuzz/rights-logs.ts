/** Entries of the event log and of the audit log about the writes of the fuzzer of rights. */
import { isDeepStrictEqual } from 'node:util';
import type { Version } from './rights-model.ts';

type Query = (text: string) => Promise<Record<string, any>[]>;

/** A version before and after a write; undefined where it does not exist. */
export type Change = readonly [before: Version | undefined, after: Version | undefined];

/** Actions by document. */
type Entries = ReadonlyMap<string, readonly string[]>;

const LOGS = ['content_event', 'content_audit'] as const;

/** Id of the last entry of both logs, which share a sequence. */
export async function lastEntry(sql: Query): Promise<string> {
  const [row] = await sql(`select max(id) as last from (${LOGS.map(idsOf).join(' union all ')}) x`);
  return String(row?.['last'] ?? 0);
}

const idsOf = (log: string): string => `(select id from ${log} order by id desc limit 1)`;

async function entriesAfter(sql: Query, log: string, last: string): Promise<Entries> {
  const found = new Map<string, string[]>();
  for (const { id, action } of await sql(
    `select document_id as id, action from ${log} where id > ${last} and document_id is not null order by id`,
  ))
    found.set(id, [...(found.get(id) ?? []), action]);
  return found;
}

/** Actions of which one must stand for a change. Entries of drafts have any action. */
function actionsOf([before, after]: Change): readonly string[] | null {
  if ((after ?? before)?.published !== true) return null;
  if (after === undefined) return ['unpublish', 'delete'];
  return before === undefined ? ['publish', 'create'] : ['publish', 'update', 'create'];
}

/** Whether the document of the change has only lost the target of its one-to-one relation to another one. */
const isLoss = ([before, after]: Change): boolean =>
  after !== undefined && after.seal === null && isDeepStrictEqual({ ...before, seal: null }, after);

function isLogged(change: Change, entries: Entries): boolean {
  const [before, after] = change;
  const found = entries.get((after ?? before)?.documentId ?? '') ?? [];
  const actions = actionsOf(change);
  return found.some((action) => actions === null || actions.includes(action));
}

/** Returns the changes since an entry that one of the logs lacks. */
export async function unloggedIn(sql: Query, last: string, changes: readonly Change[]): Promise<string[]> {
  const problems: string[] = [];
  for (const log of LOGS) {
    const entries = await entriesAfter(sql, log, last);
    const missing = changes.filter((change) => !isLoss(change) && !isLogged(change, entries));
    problems.push(...missing.map((change) => `${log} has no entry for ${JSON.stringify(change)}`));
  }
  return problems;
}
