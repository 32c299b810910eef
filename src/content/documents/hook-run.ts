/** Hooks of one write: `before` and `after` run in its transaction, `committed` after the commit. */
import { stackOf } from '../../kernel/errors.js';
import { isDeepStrictEqual } from 'node:util';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import type { Database } from '../store/database.js';
import type { Runner } from '../../pool/runner.js';
import { isObject } from '../../kernel/json.js';
import type { ContentEvent, HookAction, HookFunction, HookMoment, Hooks } from './hooks.js';

export interface HookSubject {
  readonly type: string;
  readonly documentId: string | null;
  readonly locale: string;
  readonly caller: Caller;
  readonly requestId: string | null;
  readonly actions: readonly HookAction[];
}

export interface ChangedBody {
  readonly body: unknown;
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

  get changesData(): boolean {
    return this.hooks.any(['before'], this.subject.type, this.subject.actions);
  }

  get listening(): boolean {
    return this.hooks.any(['before', 'after', 'committed'], this.subject.type, this.subject.actions);
  }

  get insideTransaction(): boolean {
    return this.hooks.any(['before', 'after'], this.subject.type, this.subject.actions);
  }

  /**
   * Runs the hooks before the write on a copy of the body, so that a retry starts from the original. `raw` is
   * the body after the checks of its size and keys, or null without a body.
   */
  async before(runner: Runner, raw: unknown): Promise<ChangedBody> {
    if (!this.changesData) return { body: raw, changed: new Set() };
    // A former attempt is rolled back.
    this.written = null;
    this.document = null;
    const sent: Readonly<Record<string, unknown>> = isObject(raw) && isObject(raw['data']) ? raw['data'] : {};
    const data: Record<string, unknown> = structuredClone(sent);
    await this.run('before', { data, em: runner.em });
    const changed = Object.keys(data).filter(
      (key) => !Object.hasOwn(sent, key) || !isDeepStrictEqual(data[key], sent[key]),
    );
    return { body: raw === null ? null : { data }, changed: new Set(changed) };
  }

  async after(runner: Runner, documentId: string | null): Promise<void> {
    this.written = documentId;
    const { type, actions } = this.subject;
    if (!this.hooks.any(['after', 'committed'], type, actions)) return;
    this.document = actions.includes('delete') ? null : await this.show(runner, documentId);
    await this.run('after', { data: {}, em: runner.em });
  }

  async committed(joined: SqlEntityManager | undefined): Promise<void> {
    if (joined === undefined) return this.runCommitted();
    if (this.hooks.any(['committed'], this.subject.type, this.subject.actions))
      this.base.database.afterCommit(joined, () => this.runCommitted());
  }

  /** Logs the error of a hook and continues with the next, because the write is already committed. */
  private async runCommitted(): Promise<void> {
    for (const { hook, event } of this.calls('committed', { data: {}, em: null })) {
      try {
        await this.hooks.run('committed', hook, event);
      } catch (error) {
        const { type, action, documentId, requestId } = event;
        const cause = stackOf(error);
        const by = requestId === null ? '' : ` by request ${requestId}`;
        logger.error(`A hook after the ${action} of ${type} ${documentId ?? ''}${by} has failed: ${cause}`);
      }
    }
  }

  private async run(moment: HookMoment, rest: Pick<ContentEvent, 'data' | 'em'>): Promise<void> {
    for (const { hook, event } of this.calls(moment, rest)) await this.hooks.run(moment, hook, event);
  }

  private calls(moment: HookMoment, rest: Pick<ContentEvent, 'data' | 'em'>): HookCall[] {
    const { type, locale, caller, requestId, actions } = this.subject;
    const { document } = this;
    const documentId = this.written ?? this.subject.documentId;
    return actions.flatMap((action) =>
      this.hooks.of(moment, type, action).map((hook) => ({
        hook,
        event: { type, action, documentId, locale, caller, requestId, document, ...rest },
      })),
    );
  }
}
