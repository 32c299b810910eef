/**
 * Providers of the host's that the library uses because they are marked: found by their decorators at the
 * start, in every module of the application, as hooks are.
 */
import { Inject, Injectable, type OnModuleInit, SetMetadata, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { AuthStrategy } from '../access/auth-strategy.js';
import { ContentAccess, type PermissionsSource } from '../access/content-access.js';
import type { MailSender } from '../accounts/users.options.js';
import { ContentModelError } from '../schema/content-model-error.js';

/** The decorators, each with the method that a provider must have for it. */
const MARKS = {
  ContentAuthStrategy: 'authenticate',
  ContentPermissionsSource: 'load',
  ContentMailSender: 'send',
} as const;

/** What stands behind each mark. */
interface Providers {
  readonly ContentAuthStrategy: AuthStrategy;
  readonly ContentPermissionsSource: PermissionsSource;
  readonly ContentMailSender: MailSender;
}

type Mark = keyof typeof MARKS;

const keyOf = (mark: Mark): string => `content:${mark}`;

const marking =
  <M extends Mark>(mark: M) =>
  (): ((target: Type<Providers[M]>) => void) =>
    SetMetadata(keyOf(mark), true);

/**
 * Makes a provider one of the strategies that are asked whose a request is, after those in
 * `auth.strategies`. For a class that implements {@link AuthStrategy}, in any module of the application. A
 * provider that is made per request stops the start.
 *
 * @publicApi
 */
export const ContentAuthStrategy = marking('ContentAuthStrategy');

/**
 * Makes a provider a source of grants, beside the one in `access.source`. For a class that implements
 * {@link PermissionsSource}, in any module of the application. A provider that is made per request stops the
 * start.
 *
 * @publicApi
 */
export const ContentPermissionsSource = marking('ContentPermissionsSource');

/**
 * Makes a provider the one that sends the mails about accounts, unless `UsersModule` was given a `mail`. For
 * a class that implements {@link MailSender}, in any module of the application. A second one, or one that is
 * made per request, stops the start.
 *
 * @publicApi
 */
export const ContentMailSender = marking('ContentMailSender');

/** Finds the providers with a mark. */
@Injectable()
export class Marked {
  constructor(@Inject(DiscoveryService) private readonly discovery: DiscoveryService) {}

  /**
   * The providers with a mark, in the order of the application's modules; to be asked once all are made.
   * Throws a ContentModelError for those that could not be used.
   */
  all<M extends Mark>(mark: M): Providers[M][] {
    const found = new Map<object, string[]>();
    for (const wrapper of this.discovery.getProviders()) {
      const instance: unknown = wrapper.instance;
      if (typeof instance !== 'object' || instance === null) continue;
      const { constructor: made } = instance;
      if (typeof made !== 'function' || Reflect.getMetadata(keyOf(mark), made) !== true) continue;
      const shared = !wrapper.isTransient && wrapper.isDependencyTreeStatic();
      found.set(instance, mistakesOf(instance, mark, shared));
    }
    const mistakes = [...found.values()].flat();
    if (mistakes.length > 0) throw new ContentModelError([...new Set(mistakes)], 'providers');
    return [...found.keys()] as Providers[M][];
  }

  /** The one provider with a mark, or null. Throws a ContentModelError where there are several. */
  one<M extends Mark>(mark: M): Providers[M] | null {
    const found = this.all(mark);
    if (found.length < 2) return found[0] ?? null;
    const names = found.map(({ constructor }) => constructor.name).join(', ');
    throw new ContentModelError([`@${mark}() stands on several providers: ${names}`], 'providers');
  }
}

/** Why a marked provider cannot be used. */
function mistakesOf(instance: object, mark: Mark, shared: boolean): string[] {
  const at = `${instance.constructor.name}: @${mark}()`;
  if (!shared) return [`${at} needs one instance for all requests, and this provider is made anew for each`];
  const method = MARKS[mark];
  const given = (instance as Readonly<Record<string, unknown>>)[method];
  return typeof given === 'function' ? [] : [`${at} needs a method "${method}"`];
}

/** Gives the access its marked strategies and sources. */
@Injectable()
export class AccessExplorer implements OnModuleInit {
  constructor(
    @Inject(Marked) private readonly marked: Marked,
    @Inject(ContentAccess) private readonly access: ContentAccess,
  ) {}

  onModuleInit(): void {
    for (const strategy of this.marked.all('ContentAuthStrategy')) this.access.addStrategy(strategy);
    for (const source of this.marked.all('ContentPermissionsSource')) this.access.addSource(source);
  }
}
