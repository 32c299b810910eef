/** Hooks of the host's around writes, as methods of its own providers; found by their decorators at start. */
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { SetMetadata } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { WRITE_EVENTS, type WriteEvent } from '../plan/write-plan.js';
import { among } from '../schema/suggest.js';
import type { DataFor, ShownTo, Subject } from '../typing/face.js';
import type { HookedId, IsRegistered } from '../typing/registry.js';

/** What hooks can be for. */
const HOOK_ACTIONS = WRITE_EVENTS;

export type HookAction = WriteEvent;

/**
 * `before` and `after` run inside the transaction and may refuse by throwing; `committed` runs when it has
 * succeeded.
 */
export type HookMoment = 'before' | 'after' | 'committed';

/**
 * What a hook is told. With a registered model, `ContentEvent<'article'>` has the type's own data and
 * document.
 *
 * @publicApi
 */
export interface ContentEvent<T extends Subject = object> {
  /** `singularApiId` of the type. */
  readonly type: T extends string ? T : string;
  readonly action: HookAction;
  /** Null before a create. */
  readonly documentId: string | null;
  readonly locale: string;
  readonly caller: Caller;
  /** Before create and update: the body's data, which the hook may change. Otherwise empty. */
  readonly data: DataFor<T>;
  /** After create, update and publish: the document with one level populated, without private attributes. */
  readonly document: ShownTo<T> | null;
  /** The transaction's entity manager; null once it is committed. */
  readonly em: SqlEntityManager | null;
}

export type HookFunction = (event: ContentEvent) => void | Promise<void>;

/** What a decorator leaves on a method. */
export interface HookMetadata {
  readonly moment: HookMoment;
  readonly type: string;
  readonly actions: readonly HookAction[];
}

export const HOOK_METADATA = 'content:hook';

type Told<K> = ContentEvent<K extends Subject ? K : object>;

/** Decorates a method; where a model is registered, only one that takes the event of its type. */
type HookDecorator<K extends HookedId> = IsRegistered extends true
  ? <H extends (event: Told<K>) => unknown>(
      target: object,
      name: string | symbol,
      method: TypedPropertyDescriptor<H>,
    ) => void
  : MethodDecorator;

const hook = (moment: HookMoment, type: string, actions: readonly HookAction[]): MethodDecorator =>
  SetMetadata(HOOK_METADATA, { moment, type, actions } satisfies HookMetadata);

/**
 * Runs a provider's method inside the transaction, before anything is written. It may change `event.data`;
 * throwing refuses the write, and a ContentError or HttpException becomes the answer. `type` is a
 * `singularApiId` or `'*'`; a type or action that does not exist, or no action at all, stops the start.
 *
 * It runs once the caller may write this very document, and their own body has been found free of refused
 * keys: never for an unknown document or somebody else's.
 *
 * @publicApi
 */
export const BeforeContent = <const K extends HookedId>(
  type: K,
  ...actions: HookAction[]
): HookDecorator<K> => hook('before', type, actions);

/**
 * Runs a provider's method inside the transaction, after the write; throwing undoes it.
 *
 * @publicApi
 */
export const AfterContent = <const K extends HookedId>(type: K, ...actions: HookAction[]): HookDecorator<K> =>
  hook('after', type, actions);

/**
 * Runs a provider's method once the transaction is committed, never after one that was rolled back. What it
 * throws is logged and fails no request.
 *
 * @publicApi
 */
export const OnContentCommitted = <const K extends HookedId>(
  type: K,
  ...actions: HookAction[]
): HookDecorator<K> => hook('committed', type, actions);

/** The hooks of an application. */
export class Hooks {
  private readonly functions: (HookMetadata & { readonly run: HookFunction })[] = [];

  add(metadata: HookMetadata, run: HookFunction): void {
    this.functions.push({ ...metadata, run });
  }

  /** The hooks for a moment of an action on a type, in the order they were registered. */
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

  /** Whether anybody listens at one of the moments. */
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
 * What is wrong with a decorated method, which stops the start: a hook that could never run. `types` are all
 * that exist in the application.
 */
export function hookMistakes(
  where: string,
  { type, actions }: HookMetadata,
  types: readonly string[],
): string[] {
  const known = ['*', ...types].includes(type);
  const unknown = actions.filter((action) => !HOOK_ACTIONS.includes(action));
  return [
    ...(known ? [] : [`${where}: "${type}" is not a content type${among(type, types)}`]),
    ...(actions.length > 0
      ? []
      : [`${where}: names no action, so it would never run${among('', HOOK_ACTIONS)}`]),
    ...unknown.map((action) => `${where}: "${action}" is not an action${among(action, HOOK_ACTIONS)}`),
  ];
}
