/** The hooks of one write: before and after inside its transaction, committed once it has succeeded. */
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import type { Database } from '../database/database.js';
import type { Runner } from '../database/runner.js';
import { isObject } from '../query/read-raw.js';
import type { ContentEvent, HookAction, HookMoment, Hooks } from './hooks.js';

/** What a write is about, as hooks are told. */
export interface HookSubject {
  readonly type: string;
  readonly documentId: string | null;
  readonly locale: string;
  readonly caller: Caller;
  readonly actions: readonly HookAction[];
}

type Show = (runner: Runner, documentId: string | null) => Promise<Readonly<Record<string, unknown>> | null>;

const logger = new Logger('ContentHooks');

export class HookRun {
  private document: Readonly<Record<string, unknown>> | null = null;
  private written: string | null = null;

  constructor(
    private readonly base: { readonly hooks: Hooks; readonly database: Database },
    private readonly subject: HookSubject,
    private readonly show: Show,
  ) {}

  private get hooks(): Hooks {
    return this.base.hooks;
  }

  /** Whether a hook may change the data of this write. */
  get changesData(): boolean {
    return this.hooks.any(['before'], this.subject.type, this.subject.actions);
  }

  /** Whether a hook will run inside the transaction. */
  get insideTransaction(): boolean {
    return this.hooks.any(['before', 'after'], this.subject.type, this.subject.actions);
  }

  /**
   * Runs the hooks that come first. The body that they leave behind, and the keys that they have added to its
   * data: what a hook makes of a value that was sent needs the sender's right to send one. A retry starts
   * from the request's own body again.
   */
  async before(
    runner: Runner,
    raw: unknown,
  ): Promise<{ readonly data: unknown; readonly changed: ReadonlySet<string> }> {
    if (!this.changesData) return { data: raw, changed: new Set() };
    const sent = isObject(raw) && isObject(raw['data']) ? raw['data'] : {};
    const body = structuredClone(isObject(raw) ? raw : {}) as Record<string, unknown>;
    const data = isObject(body['data']) ? (body['data'] as Record<string, unknown>) : {};
    await this.run('before', { data, em: runner.em });
    const added = Object.keys(data).filter((key) => !Object.hasOwn(sent, key));
    return { data: raw === null ? null : body, changed: new Set(added) };
  }

  /**
   * Runs the hooks inside the transaction after the write, and keeps what those after the commit are shown.
   */
  async after(runner: Runner, documentId: string | null): Promise<void> {
    this.written = documentId;
    const { type, actions } = this.subject;
    if (!this.hooks.any(['after', 'committed'], type, actions)) return;
    this.document = actions.includes('delete') ? null : await this.show(runner, documentId);
    await this.run('after', { data: {}, em: runner.em });
  }

  /** Runs the hooks after the commit: at once, or when the host's own transaction has succeeded. */
  async committed(joined: SqlEntityManager | undefined): Promise<void> {
    const run = (): Promise<void> =>
      this.run('committed', { data: {}, em: null }).catch((error: unknown) => logger.error(error));
    if (joined === undefined) return run();
    if (this.hooks.any(['committed'], this.subject.type, this.subject.actions))
      this.base.database.afterCommit(joined, run);
  }

  private async run(moment: HookMoment, rest: Pick<ContentEvent, 'data' | 'em'>): Promise<void> {
    const { type, locale, caller, actions, documentId } = this.subject;
    for (const action of actions) {
      for (const hook of this.hooks.of(moment, type, action)) {
        await hook({
          type,
          action,
          documentId: this.written ?? documentId,
          locale,
          caller,
          document: this.document,
          ...rest,
        });
      }
    }
  }
}
