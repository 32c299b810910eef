/** Streams of events that a caller has open in two worlds while documents change. */
import { LiveClient } from '../events/live-client.ts';
import { lookUntil } from '../support/look-until.ts';
import type { Reply } from './apps.ts';
import type { RunSql } from './content.ts';
import { NEW_ROWS } from './restorable.ts';

/** Milliseconds until an event must have arrived. */
const PATIENCE = 15_000;

/** Bearer token of a caller who sees every event. */
export const SEES_ALL = 'sees-all';

export interface StreamRequest {
  readonly caller: string;
  readonly type: string;
  /** Path of the type below `/api`. */
  readonly route: string;
  readonly query: string;
}

/** World whose events are streamed. */
export interface StreamedWorld {
  readonly url: string;
  readonly sql: RunSql;
}

interface Streamed {
  readonly id: string;
}

/** Returns whether a condition holds in time. */
export const until = (isDone: () => boolean | Promise<boolean>): Promise<boolean> =>
  lookUntil(isDone, Boolean, PATIENCE);

/** Streams in one world: that of the caller, and that of a caller who sees everything. */
class WorldStreams {
  private readonly sql: RunSql;
  private readonly type: string;
  private readonly own: LiveClient;
  private readonly all: LiveClient;

  private constructor(sql: RunSql, type: string, [own, all]: readonly [LiveClient, LiveClient]) {
    this.sql = sql;
    this.type = type;
    this.own = own;
    this.all = all;
  }

  static async open({ url, sql }: StreamedWorld, request: StreamRequest): Promise<WorldStreams> {
    const open = (query: string, bearer: string): Promise<LiveClient> =>
      LiveClient.open(`${url}/api/live/${request.route}?${query}`, undefined, {
        authorization: `Bearer ${bearer}`,
      });
    const [own, all] = await Promise.all([
      open(request.query, request.caller),
      open('status=draft&locale=*', SEES_ALL),
    ]);
    if (own.response.statusCode === 200) await own.first();
    const { statusCode } = all.response;
    if (statusCode !== 200) throw new Error(`the stream of ${request.route} has status ${statusCode}`);
    await all.first();
    return new WorldStreams(sql, request.type, [own, all]);
  }

  /** Messages of the caller after the first one, without their ids. */
  reply(masked: (text: string) => string): Reply {
    const messages = this.messages.map((message) => ({ ...message, id: null }));
    return {
      status: this.own.response.statusCode ?? 0,
      headers: {},
      body: masked(JSON.stringify(messages)),
      milliseconds: 0,
    };
  }

  /** Waits until the other caller has the last event of the type. The caller gets its own at about that time. */
  async settle(): Promise<void> {
    const [last] = await this.sql(
      `select max(id)::text as id from content_event where type = $1 and id >= ${NEW_ROWS}`,
      [this.type],
    );
    const id = last?.['id'];
    if (typeof id !== 'string') return;
    const isThere = (): boolean =>
      (this.all.of('message') as Streamed[]).some((one) => one.id === `evt_${id}`);
    if (!(await until(isThere))) throw new Error(`event ${id} of ${this.type} has not arrived`);
  }

  get messages(): readonly Streamed[] {
    return this.own.of('message') as Streamed[];
  }

  close(): void {
    this.own.close();
    this.all.close();
  }
}

/** Streams with the same request in two worlds. */
export class PairedStreams {
  readonly request: StreamRequest;
  private readonly worlds: readonly [WorldStreams, WorldStreams];

  private constructor(request: StreamRequest, worlds: readonly [WorldStreams, WorldStreams]) {
    this.request = request;
    this.worlds = worlds;
  }

  static async open(
    worlds: readonly [StreamedWorld, StreamedWorld],
    request: StreamRequest,
  ): Promise<PairedStreams> {
    const [alpha, omega] = worlds;
    return new PairedStreams(
      request,
      await Promise.all([WorldStreams.open(alpha, request), WorldStreams.open(omega, request)]),
    );
  }

  /**
   * Waits until both streams have sent the same. Returns what they have sent if they differ.
   *
   * @param masked - returns a text without what may differ
   */
  async difference(masked: (text: string) => string): Promise<readonly [Reply, Reply] | null> {
    const [alpha, omega] = this.worlds;
    await Promise.all([alpha.settle(), omega.settle()]);
    const replies = (): readonly [Reply, Reply] => [alpha.reply(masked), omega.reply(masked)];
    const isEqual = (): boolean => {
      const [a, b] = replies();
      return a.status === b.status && a.body === b.body;
    };
    return (await until(isEqual)) ? null : replies();
  }

  /** Number of messages of the caller. */
  get count(): number {
    return this.worlds[0].messages.length;
  }

  close(): void {
    for (const world of this.worlds) world.close();
  }
}
