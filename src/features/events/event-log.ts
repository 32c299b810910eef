import { Inject, Injectable } from '@nestjs/common';
import {
  checkedAs,
  isCount,
  isFlag,
  isListOf,
  isNullOr,
  isShape,
  isText,
  type Tests,
} from '../../kernel/json.js';
import { fill, type Template } from '../../kernel/sql.js';
import { CONTENT_SCHEMA, type ContentType, type Schema } from '../../content/model/model.js';
import { BackgroundWork } from '../../content/store/background-work.js';
import { OWN_TRANSACTION, Database } from '../../content/store/database.js';
import { WRITE_EVENTS } from '../../content/plan/write-plan.js';
import type { Row } from '../../pool/runner.js';
import { compileForget, compileNews, compileNextEvents, type Cursor } from './compile-events.js';
import { compileIsForeign, compileRebase } from './compile-readers.js';
import { ACTORS, type EventRow, eventOf, type LoggedEvent } from './logged-event.js';

/** Number of events that are read at once. */
const BATCH = 200;
/** Number of events that one statement deletes. */
const FORGOTTEN = 10_000;

export interface News {
  readonly events: readonly LoggedEvent[];
  /** Position after these events. */
  readonly cursor: Cursor;
  /** Whether there are more events up to now. */
  readonly more: boolean;
}

interface DueRow extends EventRow {
  /** Number of earlier attempts. */
  readonly attempts: number;
}

const isAction = (value: unknown): value is EventRow['action'] =>
  WRITE_EVENTS.some((action) => action === value);
const isActor = (value: unknown): value is EventRow['actor'] => ACTORS.some((kind) => kind === value);
const EVENT_MEMBERS: Tests<EventRow> = {
  id: isText,
  at: isText,
  type: isText,
  document_id: isText,
  locale: isText,
  action: isAction,
  actor: isActor,
  actor_id: isNullOr(isText),
  request_id: isNullOr(isText),
  attributes: isListOf(isText),
  published: isNullOr(isFlag),
};
const areEvents = isListOf(isShape<EventRow>(EVENT_MEMBERS));
const areDue = isListOf(isShape<DueRow>({ ...EVENT_MEMBERS, attempts: isCount }));

const eventRowsIn = (text: unknown): readonly EventRow[] =>
  checkedAs(JSON.parse(String(text)), areEvents, 'The event log');

/** Reads due events. Throws an Error for a value of another form. */
export const dueRowsIn = (text: unknown): readonly DueRow[] =>
  checkedAs(JSON.parse(String(text)), areDue, 'The list of due events');

/** Reads the event log by snapshots: no event is skipped, whenever its transaction commits. */
@Injectable()
export class EventLog {
  readonly file: ContentType;
  private readonly news: Template<Pick<Cursor, 'base'>>;
  private readonly rest: Template<Cursor>;

  constructor(
    @Inject(CONTENT_SCHEMA) schema: Schema,
    @Inject(Database) readonly database: Database,
    @Inject(BackgroundWork) private readonly background: BackgroundWork,
  ) {
    this.file = schema.file;
    this.news = compileNews(this.file, BATCH + 1);
    this.rest = compileNextEvents(this.file, BATCH + 1);
  }

  eventOf(row: EventRow): LoggedEvent {
    return eventOf(row, this.file.singularApiId);
  }

  /** Returns the next events after a position, in order of their ids. */
  async after(cursor: Cursor): Promise<News> {
    const { target, base } = cursor;
    const [row = {}] = await this.database.run(
      target === null ? fill(this.news, { base }) : fill(this.rest, cursor),
    );
    const rows = eventRowsIn(row['events']);
    const events = rows.slice(0, BATCH).map((one) => this.eventOf(one));
    const upTo = target ?? String(row['snapshot']);
    const last = rows[BATCH - 1];
    if (rows.length <= BATCH || last === undefined)
      return { events, cursor: { base: upTo, target: null, after: '0' }, more: false };
    return { events, cursor: { base, target: upTo, after: last.id }, more: true };
  }

  /** Makes a log usable that was restored from another server: its transaction ids mean nothing here. */
  async rebase(): Promise<void> {
    const question = compileIsForeign(this.file);
    const isForeign = ([row]: readonly Row[]): boolean => row?.['is_foreign'] === true;
    if (!isForeign(await this.database.run(question))) return;
    await this.database.transaction(async (runner) => {
      const [lock, ...statements] = compileRebase(this.file);
      if (lock !== undefined) await runner.run(lock);
      if (isForeign(await runner.run(question)))
        for (const statement of statements) await runner.run(statement);
    }, OWN_TRANSACTION);
  }

  /** Deletes events that are older than a number of days. */
  async forget(days: number): Promise<void> {
    for (let last = FORGOTTEN; last === FORGOTTEN && !this.background.isStopping;)
      last = (await this.database.run(compileForget(this.file, days, FORGOTTEN))).length;
  }
}
