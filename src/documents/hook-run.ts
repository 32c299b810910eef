/** The hooks of one write: before and after inside its transaction, committed once it has succeeded. */
import { isDeepStrictEqual } from 'node:util';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import type { Database } from '../database/database.js';
import type { Runner } from '../database/runner.js';
import { isObject } from '../json.js';
import type { ContentEvent, HookAction, HookFunction, HookMoment, Hooks } from './hooks.js';

/** What a write is about, as hooks are told. */
export interface HookSubject {
  readonly type: string;
  readonly documentId: string | null;
  readonly locale: string;
  readonly caller: Caller;
  readonly actions: readonly HookAction[];
}

/** What the hooks before a write leave behind. */
export interface Changed {
  readonly body: unknown;
  /** The keys of its data that they have set or changed. */
  readonly changed: ReadonlySet<string>;
}

interface HookCall {
  readonly hook: HookFunction;
  readonly event: ContentEvent;
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

  /** Whether any hook will run around this write. */
  get listening(): boolean {
    return this.hooks.any(['before', 'after', 'committed'], this.subject.type, this.subject.actions);
  }

  /** Whether a hook will run inside the transaction. */
  get insideTransaction(): boolean {
    return this.hooks.any(['before', 'after'], this.subject.type, this.subject.actions);
  }

  /**
   * Runs the hooks that come first, on a copy of the request's body: a retry starts from the body itself
   * again. `raw` is the body, checked for its size and keys before anything copies it, or null where there is
   * none.
   */
  async before(runner: Runner, raw: unknown): Promise<Changed> {
    if (!this.changesData) return { body: raw, changed: new Set() };
    const sent = isObject(raw) && isObject(raw['data']) ? raw['data'] : {};
    const data = structuredClone(sent) as Record<string, unknown>;
    await this.run('before', { data, em: runner.em });
    const changed = Object.keys(data).filter(
      (key) => !Object.hasOwn(sent, key) || !isDeepStrictEqual(data[key], sent[key]),
    );
    return { body: raw === null ? null : { data }, changed: new Set(changed) };
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
    if (joined === undefined) return this.runCommitted();
    if (this.hooks.any(['committed'], this.subject.type, this.subject.actions))
      this.base.database.afterCommit(joined, () => this.runCommitted());
  }

  /** What is done is done: a hook that fails silences none of those after it. */
  private async runCommitted(): Promise<void> {
    for (const { hook, event } of this.calls('committed', { data: {}, em: null })) {
      try {
        await hook(event);
      } catch (error) {
        const { type, action, documentId } = event;
        const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
        logger.error(`A hook after the ${action} of ${type} ${documentId ?? ''} has failed: ${cause}`);
      }
    }
  }

  private async run(moment: HookMoment, rest: Pick<ContentEvent, 'data' | 'em'>): Promise<void> {
    for (const { hook, event } of this.calls(moment, rest)) await hook(event);
  }

  /** The hooks of a moment in their order, each with what it is told. */
  private calls(moment: HookMoment, rest: Pick<ContentEvent, 'data' | 'em'>): HookCall[] {
    const { type, locale, caller, actions } = this.subject;
    const { document } = this;
    const documentId = this.written ?? this.subject.documentId;
    return actions.flatMap((action) =>
      this.hooks
        .of(moment, type, action)
        .map((hook) => ({ hook, event: { type, action, documentId, locale, caller, document, ...rest } })),
    );
  }
}
