import { defineCollectionType } from 'nestjs-content-api';
import { webhookType } from 'nestjs-content-api/events';
import { lookUntil } from '../support/look-until.ts';

const memo = defineCollectionType({
  singularApiId: 'memo',
  pluralApiId: 'memos',
  attributes: { title: { type: 'string' } },
});

/** Content types of the application that the command line loads. */
export const contentTypes = [memo, webhookType];

/** Repeats `write` until `work` has ended. Throws the error of either. */
export async function writeDuring(work: () => Promise<void>, write: () => Promise<unknown>): Promise<void> {
  let isOver = false;
  const working = work().finally(() => {
    isOver = true;
  });
  // Its error is thrown below.
  working.catch(() => undefined);
  while (!isOver) await write();
  await working;
}

/** Event of a memo for {@link logEvents}. */
interface LoggedEvent {
  readonly documentId: string;
  readonly action: 'update' | 'delete';
  /** Defaults to the transaction of the statement. */
  readonly transaction?: string;
}

/** Statement that inserts events of a memo into the log, as other processes would. */
export const logEvents = (count: number, { documentId, action, transaction }: LoggedEvent): string =>
  `insert into content_event (id, xid, at, type, document_id, locale, action, actor, attributes, published)
   select nextval('content_counts_id_seq'),
     ${transaction === undefined ? 'pg_current_xact_id()' : `'${transaction}'`}, now(), 'memo',
     '${documentId}', '', '${action}', 'system', '[]', ${action === 'delete'} from generate_series(1, ${count}) n`;

/** Waits until a list has a length, and returns it. Fails with the last list. */
export async function eventually<T>(
  look: () => readonly T[] | Promise<readonly T[]>,
  length: number,
): Promise<readonly T[]> {
  const found = await lookUntil(look, (list) => list.length === length);
  expect(found).toHaveLength(length);
  return found;
}
