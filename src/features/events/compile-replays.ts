/** Statements that send events to a reader again. */
import { eventTablesOf } from '../../content/model/event-tables.js';
import type { ContentType } from '../../content/model/model.js';
import { param, print, quote, type Sql, sql, type Statement } from '../../kernel/sql.js';
import { IS_HANDLED } from './compile-readers.js';
import { actionsOf, type EventName } from './logged-event.js';

/** Reader, and the events that it names; all without `events` or `types`. */
export interface Replayed {
  readonly reader: string;
  readonly events?: readonly EventName[] | undefined;
  readonly types?: readonly string[] | undefined;
}

/** Returns the condition that a reader names an event `e`. */
function isNamed({ singularApiId }: ContentType, { events, types }: Replayed): Sql {
  const { ofEntries, ofFiles } = actionsOf(events);
  return sql`(${param(types ?? null)}::text[] is null or e.type = any(${param(types ?? null)}::text[]))
    and e.action = any(case when e.type = ${param(singularApiId)}::text then ${param(ofFiles)}::text[]
      else ${param(ofEntries)}::text[] end)`;
}

/** Makes events due now that were given up: one (`event`), or all. */
export function compileReplay(file: ContentType, replayed: Replayed, event: string | null): Statement {
  const tables = eventTablesOf(file);
  return print(sql`update ${quote(tables.delivery)} d set failed_at = null, attempts = 0, due_at = null
    from ${quote(tables.event)} e
    where d.reader = ${param(replayed.reader)}::text and d.failed_at is not null and e.id = d.event_id
      and ${isNamed(file, replayed)}
      and (${param(event)}::bigint is null or e.id = ${param(event)}::bigint) returning 1`);
}

/** Parks the events of the log since a time again, so that they are delivered again. */
export function compileReplaySince(file: ContentType, replayed: Replayed, since: string): Statement {
  const tables = eventTablesOf(file);
  const name = param(replayed.reader);
  return print(sql`insert into ${quote(tables.delivery)} as d (reader, event_id, type, document_id, attempts)
    select r.name, e.id, e.type, e.document_id, 0 from ${quote(tables.event)} e, ${quote(tables.reader)} r
    where r.name = ${name}::text and e.at >= ${param(since)}::timestamptz and ${isNamed(file, replayed)}
      and ${IS_HANDLED}
    on conflict (reader, event_id) do update set failed_at = null, attempts = 0, due_at = null returning 1`);
}
