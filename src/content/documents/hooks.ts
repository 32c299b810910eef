/** Hooks around writes: decorated methods of the application's providers, discovered at start. */
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Reflector } from '@nestjs/core';
import type { Caller } from '../access/caller.js';
import { WRITE_EVENTS, type WriteEvent } from '../plan/write-plan.js';
import { refusalOf } from './host-errors.js';
import { among, noSuchType } from '../model/suggest.js';
import type { DataFor, ShownTo, Subject } from '../../types/face.js';
import type { HookedId, IsRegistered } from '../../types/registry.js';

const HOOK_ACTIONS = WRITE_EVENTS;

export type HookAction = WriteEvent;

/**
 * `before` and `after` run inside the transaction and may refuse by throwing; `committed` runs after the
 * commit.
 */
export type HookMoment = 'before' | 'after' | 'committed';

/** Calls of hooks since the start. */
export interface HookCount {
  /** `read` for hooks before reads. */
  readonly moment: HookMoment | 'read';
  runs: number;
  failures: number;
  milliseconds: number;
}

const countOf = (moment: HookCount['moment']): HookCount => ({
  moment,
  runs: 0,
  failures: 0,
  milliseconds: 0,
});

/**
 * Argument of a hook. With a registered model, `ContentEvent<'article'>` has the type's own data and
 * document.
 *
 * @publicApi
 */
export interface ContentEvent<T extends Subject = object> {
  readonly type: T extends string ? T : string;
  readonly action: HookAction;
  /** Null before a create. */
  readonly documentId: string | null;
  readonly locale: string;
  readonly caller: Caller;
  /** Id of the HTTP request, also in its `X-Request-Id`; null if code of the application writes. */
  readonly requestId: string | null;
  /** Data of the body before create and update, which the hook may change. Otherwise empty. */
  readonly data: DataFor<T>;
  /** Document after create, update and publish, with one level populated and without private attributes. */
  readonly document: ShownTo<T> | null;
  /** Entity manager of the transaction; null after the commit. */
  readonly em: SqlEntityManager | null;
}

export type HookFunction = (event: ContentEvent) => unknown;

export interface HookMetadata {
  readonly moment: HookMoment;
  readonly type: string;
  readonly actions: readonly HookAction[];
}

export const Hook = Reflector.createDecorator<HookMetadata>({ key: 'content:hook' });

type EventOf<K> = ContentEvent<K extends Subject ? K : object>;

/** Decorator of a method; with a registered model, the method must accept the event of its type. */
type HookDecorator<K extends HookedId> = IsRegistered extends true
  ? <H extends (event: EventOf<K>) => unknown>(
      target: object,
      name: string | symbol,
      method: TypedPropertyDescriptor<H>,
    ) => void
  : MethodDecorator;

const hook = (moment: HookMoment, type: string, actions: readonly HookAction[]): MethodDecorator =>
  Hook({ moment, type, actions });

/**
 * Runs a provider's method inside the transaction, before anything is written. It may change `event.data`. An
 * error refuses the write, and a ContentError or HttpException becomes the response. `type` is a
 * `singularApiId` or `'*'`. An unknown type or action, or no action, prevents the start.
 *
 * It runs after the caller's permission on this document and the keys of the body were checked. It never runs
 * for an unknown document or without permission.
 *
 * @publicApi
 */
export const BeforeContent = <const K extends HookedId>(
  type: K,
  ...actions: HookAction[]
): HookDecorator<K> => hook('before', type, actions);

/**
 * Runs a provider's method inside the transaction, after the write. An error rolls the write back.
 *
 * @publicApi
 */
export const AfterContent = <const K extends HookedId>(type: K, ...actions: HookAction[]): HookDecorator<K> =>
  hook('after', type, actions);

/**
 * Runs a provider's method after the commit, never after a rollback. An error is logged and fails no request.
 *
 * @publicApi
 */
export const OnContentCommitted = <const K extends HookedId>(
  type: K,
  ...actions: HookAction[]
): HookDecorator<K> => hook('committed', type, actions);

const READ_ACTIONS = ['find', 'findOne'] as const;

/** Action of a read; a single type has `find` only. */
export type ReadAction = (typeof READ_ACTIONS)[number];

/**
 * Argument of a hook before a read.
 *
 * @publicApi
 */
export interface ContentReadEvent {
  readonly type: string;
  readonly action: ReadAction;
  /** Null for lists and single types. The document may not exist. */
  readonly documentId: string | null;
  readonly caller: Caller;
  /** Id of the HTTP request; null if code of the application reads. */
  readonly requestId: string | null;
}

export type ReadHookFunction = (event: ContentReadEvent) => unknown;

export interface ReadHookMetadata {
  readonly type: string;
  readonly actions: readonly ReadAction[];
}

export const ReadHook = Reflector.createDecorator<ReadHookMetadata>({ key: 'content:read-hook' });

/**
 * Runs a provider's method before a read of a type, also if the response is cached. An error refuses the
 * read. It runs after the permission and the query were checked, and not for populated documents.
 *
 * @publicApi
 */
export const BeforeContentRead = (type: HookedId, ...actions: ReadAction[]): MethodDecorator =>
  ReadHook({ type, actions });

export const readHookMistakes = (
  where: string,
  { type, actions }: ReadHookMetadata,
  types: readonly string[],
): string[] => mistakesOf(where, { type, types, actions, known: READ_ACTIONS });

export class Hooks {
  private readonly functions: (HookMetadata & { readonly run: HookFunction })[] = [];
  private readonly counted = {
    before: countOf('before'),
    after: countOf('after'),
    committed: countOf('committed'),
    read: countOf('read'),
  };
  private readonly reads: (ReadHookMetadata & { readonly run: ReadHookFunction })[] = [];

  get counts(): readonly HookCount[] {
    return Object.values(this.counted);
  }

  /** Runs a hook and counts it. Throws its error; an HttpException becomes a ContentError. */
  async run<E>(moment: HookCount['moment'], hook: (event: E) => unknown, event: E): Promise<void> {
    const count = this.counted[moment];
    const since = performance.now();
    try {
      await hook(event);
    } catch (error) {
      count.failures += 1;
      throw refusalOf(error);
    } finally {
      count.runs += 1;
      count.milliseconds += performance.now() - since;
    }
  }

  add(metadata: HookMetadata, run: HookFunction): void {
    this.functions.push({ ...metadata, run });
  }

  addReadHook(metadata: ReadHookMetadata, run: ReadHookFunction): void {
    this.reads.push({ ...metadata, run });
  }

  /** Whether a read has hooks, so that other reads wait for nothing. */
  hasReadHooks(type: string, action: ReadAction): boolean {
    return this.reads.length > 0 && this.readsOf(type, action).length > 0;
  }

  async runReadHooks(event: ContentReadEvent): Promise<void> {
    for (const { run } of this.readsOf(event.type, event.action)) await this.run('read', run, event);
  }

  private readsOf(type: string, action: ReadAction): Hooks['reads'] {
    return this.reads.filter(
      (one) => (one.type === '*' || one.type === type) && one.actions.includes(action),
    );
  }

  of(moment: HookMoment, type: string, action: HookAction): readonly HookFunction[] {
    return this.functions
      .filter(
        (item) =>
          item.moment === moment &&
          (item.type === '*' || item.type === type) &&
          item.actions.includes(action),
      )
      .map(({ run }) => run);
  }

  any(moments: readonly HookMoment[], type: string, actions: readonly HookAction[]): boolean {
    return this.functions.some(
      (item) =>
        moments.includes(item.moment) &&
        (item.type === '*' || item.type === type) &&
        actions.some((action) => item.actions.includes(action)),
    );
  }
}

/**
 * Returns the mistakes that keep a hook from ever running; they prevent the start. `types` are all types of
 * the application.
 */
export function hookMistakes(
  where: string,
  { type, actions }: HookMetadata,
  types: readonly string[],
): string[] {
  return mistakesOf(where, { type, types, actions, known: HOOK_ACTIONS });
}

interface NamedActions {
  readonly type: string;
  readonly types: readonly string[];
  readonly actions: readonly string[];
  readonly known: readonly string[];
}

function mistakesOf(where: string, { type, types, actions, known: names }: NamedActions): string[] {
  const known = ['*', ...types].includes(type);
  const unknown = actions.filter((action) => !names.includes(action));
  return [
    ...(known ? [] : [`${where}: ${noSuchType(type, types)}`]),
    ...(actions.length > 0 ? [] : [`${where}: names no action, so it would never run${among('', names)}`]),
    ...unknown.map((action) => `${where}: "${action}" is not an action${among(action, names)}`),
  ];
}
