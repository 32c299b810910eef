/** Execution of planned reads: cached, shared with equal reads, or run. */
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { compileAnswer, readLabelOf } from '../compile/compile-read.js';
import type { Disconnect } from '../../kernel/disconnect.js';
import type { Row } from '../../pool/runner.js';
import { notFound, overLimit } from '../../kernel/errors.js';
import { checkedAs, isFlag, isObject, isText, type Test } from '../../kernel/json.js';
import { type LoadedAnswer, ReadCache } from '../../cache/read-cache.js';
import { revealsDrafts } from '../plan/coverage.js';
import { isPlain, type ReadPlan } from '../plan/plan.js';
import { type Mark, MARK_HEADER } from '../query/mark.js';
import type { Statement, Template } from '../../kernel/sql.js';
import { runIn } from '../store/run-in.js';
import { Answer } from './answer.js';
import type { ContentReadEvent } from './hooks.js';
import type { DocumentsBase } from './documents-base.js';
import { etagOf } from './etag.js';
import { FilteredTotals, type CountedPage } from '../../cache/filtered-totals.js';
import type { Subject } from '../../cache/change-log.js';
import type { ChangeLogWorker } from '../../cache/change-log-worker.js';
import { heavyOf, readKeyOf, statementOf } from './plan-cache.js';
import { SharedReads, type SharedTraits } from '../../cache/shared-reads.js';
import { Dependencies } from '../../cache/dependencies.js';

export interface ReadFor {
  readonly disconnect?: Disconnect | null;
  /**
   * WAL position that the response must include, if a replica may be read; null for any. If omitted, the
   * response includes all that is committed.
   */
  readonly since?: Mark | null;
  /** Reader, for hooks; none for reads of the library itself. */
  readonly by?: Pick<ContentReadEvent, 'action' | 'caller' | 'requestId'>;
  /** Transaction in which to read: it has a connection, and the pool may have no other one. */
  readonly em?: SqlEntityManager | undefined;
}

interface LoadOptions {
  readonly isChecked: boolean;
  readonly since: Mark | null | undefined;
}

interface AnswerRow {
  readonly data: string | null;
  readonly over: boolean;
  readonly stamp?: string;
  /** Stamps of the versions of a written document, as JSON text. */
  readonly versions?: string | null;
  readonly total?: number | null;
  readonly server?: string;
  readonly snapshot?: string;
  readonly mark?: Mark | null;
}

const isAnswerRow: Test<AnswerRow> = (row): row is AnswerRow =>
  isObject(row) && isFlag(row['over']) && (row['data'] === null || isText(row['data']));

export const answerRowOf = ([row]: readonly Row[]): AnswerRow =>
  checkedAs(row, isAnswerRow, 'The row of a response');

interface RowAndCaching {
  readonly row: AnswerRow;
  readonly isCacheable: boolean;
}

export const tooLarge = (bytes: number): Error =>
  overLimit('responseBytes', bytes, 'The response is too large');

/**
 * Builds the response from a statement's row. Throws NotFoundError for an empty result and a 400 for too
 * large a response.
 */
export function answerIn(
  plan: ReadPlan,
  rows: readonly Row[],
  bytes: number,
): { answer: Answer; row: AnswerRow } {
  const row = answerRowOf(rows);
  if (row.over) throw tooLarge(bytes);
  if (row.data === null) throw notFound();
  return { answer: Answer.of(plan, row.data, row.total ?? null), row };
}

/** V8 stores a string with such a character in two bytes per character. */
const WIDE = /[\u0100-\uffff]/;

/** Bytes of a cached response in memory: its data, and the whole body that contains the data again. */
const bytesOf = ({ data }: Answer): number => 2 * data.length * (WIDE.test(data) ? 2 : 1);

export class Reads {
  private readonly shared = new SharedReads<LoadedAnswer<Answer>>();
  private readonly dependencies: Dependencies;
  readonly cache: ReadCache<Answer>;
  private readonly totals = new FilteredTotals((plan) => this.compile(plan));

  constructor(
    private readonly base: DocumentsBase,
    private readonly changeLog: ChangeLogWorker,
  ) {
    this.dependencies = new Dependencies(base.schema);
    this.cache = new ReadCache(changeLog.changeLog, base.settings.cache.bytes);
  }

  get caches(): boolean {
    return this.changeLog.isWhole && this.base.settings.cache.bytes > 0;
  }

  async answer(plan: ReadPlan, { disconnect = null, since: requested, em }: ReadFor): Promise<Answer> {
    if (em !== undefined) return this.answerIn(plan, em);
    const key = readKeyOf(plan);
    const since = this.base.database.hasReplicas ? requested : undefined;
    const share = key === null || since === undefined ? key : `${key} @${since ?? ''}`;
    let isBypassed = false;
    const bypass = (): Promise<LoadedAnswer<Answer>> => {
      isBypassed = true;
      return this.shared.read(share, disconnect, (traits) =>
        this.load(plan, traits, { isChecked: true, since }),
      );
    };
    if (key === null || !this.caches) return (await bypass()).answer;
    let isRead = false;
    // Cache entries must come from the primary, where the change log is polled.
    const load = (isChecked: boolean): Promise<LoadedAnswer<Answer>> => {
      isRead = true;
      return this.shared.read(key, disconnect, (traits) =>
        this.load(plan, traits, { isChecked, since: undefined }),
      );
    };
    const statement = this.print(plan);
    const subject = this.dependencies.of(plan, statement);
    const reading = (): Promise<Answer> => this.cache.read({ key, subject, load, bypass });
    const answer = await (this.base.telemetry.isOn
      ? this.traced(reading, () => !isRead && !isBypassed)
      : reading());
    // A replica may be behind the last poll, so its position stays.
    return isBypassed ? answer : this.marked(answer);
  }

  private async answerIn(plan: ReadPlan, em: SqlEntityManager): Promise<Answer> {
    const rows = await runIn(this.base.database, em).run(this.print(plan));
    const { answer, row } = answerIn(plan, rows, this.base.settings.limits.responseBytes);
    return (await this.loaded(plan, answer, { row, isCacheable: false })).answer;
  }

  private async traced(reading: () => Promise<Answer>, isHit: () => boolean): Promise<Answer> {
    const end = this.base.telemetry.scope().start('content.cache');
    try {
      const answer = await reading();
      end(undefined, { 'content.cache.hit': isHit() });
      return answer;
    } catch (error) {
      end(error);
      throw error;
    }
  }

  /**
   * Sets the position of the poll that confirmed a cached response, if it is later than the response's own. A
   * client that repeats the last position it received then never reads an older state.
   */
  private marked(answer: Answer): Answer {
    const { mark } = this.changeLog.changeLog;
    const own = answer.head?.headers[MARK_HEADER];
    return mark !== null && own !== undefined && own < mark
      ? answer.withHeaders({ [MARK_HEADER]: mark })
      : answer;
  }

  print(plan: ReadPlan): Statement {
    return statementOf(plan, (sharedPlan) => this.compile(sharedPlan));
  }

  /** Returns the label and the name of a read's statement, as the database shows them. */
  nameOf(plan: ReadPlan): string {
    return `${readLabelOf(plan)} ${this.base.database.nameOf(this.print(plan))}`;
  }

  private compile(plan: ReadPlan): Template<ReadPlan> {
    const { responseBytes: bytes } = this.base.settings.limits;
    const marked = this.base.database.hasReplicas;
    return compileAnswer(plan, { bytes, noted: this.changeLog.isWhole, cached: this.caches, marked });
  }

  /**
   * Maximum age in seconds for shared caches: the least of all types that the response depends on, and of the
   * signed URLs. Drafts have 0.
   */
  sharedMaxAge(plan: ReadPlan): number {
    if (plan.type.sharedMaxAge === 0 || revealsDrafts(plan.version)) return 0;
    const types = this.dependencies.typesOf(plan, this.print(plan));
    const readTypes = types.flatMap((name) => this.base.schema.types.get(name) ?? []);
    const ofFiles = this.base.links.seconds ?? Infinity;
    return Math.min(...readTypes.map((type) => (type.internal ? ofFiles : type.sharedMaxAge)));
  }

  /** Returns the dependencies of a read; null if it depends on drafts. */
  publishedSubject(plan: ReadPlan): Subject | null {
    return revealsDrafts(plan.version) ? null : this.dependencies.of(plan, this.print(plan));
  }

  private async load(
    plan: ReadPlan,
    shared: SharedTraits,
    { isChecked, since }: LoadOptions,
  ): Promise<LoadedAnswer<Answer>> {
    const { database } = this.base;
    const { changeLog } = this.changeLog;
    const { limits } = this.base.settings;
    const position = this.caches && changeLog.server !== null ? changeLog.position : null;
    const page = position === null || since !== undefined ? null : this.totals.find(plan);
    const shown = page === null ? null : await this.loadPage(plan, shared, page);
    if (shown !== null) return shown;
    const started = performance.now();
    const statement = this.print(plan);
    // A poll at the same time covers the changes that this read sees, so they do not make it stale later.
    const check = position === null || isChecked || isPlain(plan) ? null : changeLog.check();
    const traits = { ...shared, heavy: heavyOf(plan) };
    const reading =
      since === undefined ? database.run(statement, traits) : database.read(statement, traits, since);
    const rows = await reading;
    await check;
    const { answer, row } = answerIn(plan, rows, limits.responseBytes);
    // A response from another server than the polled one cannot be compared with the change log.
    const isCacheable =
      position !== null &&
      row.server === changeLog.server &&
      row.snapshot !== undefined &&
      !changeLog.hasMissed(this.dependencies.of(plan, statement), position, row.snapshot);
    if (this.changeLog.isWhole && typeof row.total === 'number') this.changeLog.totalWasRead();
    if (isCacheable && typeof row.total === 'number')
      this.totals.keep(plan, {
        total: row.total,
        position: changeLog.position,
        took: performance.now() - started,
      });
    return this.loaded(plan, answer, { row, isCacheable });
  }

  /**
   * Reads a page whose total is cached. It is correct if no dependency has changed between the count and the
   * end of the read. Returns null if one has, or if that is unknown.
   */
  private async loadPage(
    plan: ReadPlan,
    shared: SharedTraits,
    { cached, statement: pageAlone }: CountedPage,
  ): Promise<LoadedAnswer<Answer> | null> {
    const { changeLog } = this.changeLog;
    const statement = this.print(plan);
    const subject = this.dependencies.of(plan, statement);
    if (changeLog.hasChanged(subject, cached.position)) return null;
    const started = performance.now();
    const rows = await this.base.database.run(pageAlone, { ...shared, heavy: heavyOf(plan) });
    this.totals.noteDuration(plan, cached, performance.now() - started);
    const isPolled = await changeLog.check();
    const counted = rows.map((row) => ({ ...row, total: cached.total }));
    const { answer, row } = answerIn(plan, counted, this.base.settings.limits.responseBytes);
    if (!isPolled || row.server !== changeLog.server || changeLog.hasChanged(subject, cached.position))
      return null;
    return this.loaded(plan, answer, { row, isCacheable: true });
  }

  private async loaded(
    plan: ReadPlan,
    found: Answer,
    { row, isCacheable }: RowAndCaching,
  ): Promise<LoadedAnswer<Answer>> {
    const position = isCacheable ? this.changeLog.changeLog.position : null;
    const { stamp, total = null } = row;
    const { generation } = this.base.model;
    const tag = etagOf(plan, { stamp, data: found.data, total, generation });
    const tagged = found.withHeaders({ ETag: tag, ...(row.mark ? { [MARK_HEADER]: row.mark } : {}) });
    const { answer, until } = await this.base.links.in(tagged);
    return { answer, position, bytes: bytesOf(answer), until };
  }
}
