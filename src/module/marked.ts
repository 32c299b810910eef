/** Discovery of decorated providers in every module of the application, at the start. */
import { Inject, Injectable, type OnModuleInit, SetMetadata, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { AuthStrategy } from '../content/access/auth-strategy.js';
import { ContentAccess, type PermissionsSource } from '../content/access/content-access.js';
import type { MailSender } from '../features/accounts/users.options.js';
import { ContentModelError } from '../content/model/content-model-error.js';

/** Decorators, each with the method that its provider must have. */
const MARKS = {
  ContentAuthStrategy: 'authenticate',
  ContentPermissionsSource: 'load',
  ContentMailSender: 'send',
} as const;

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
 * Registers a provider as an authentication strategy, after those in `auth.strategies`. The class implements
 * {@link AuthStrategy} and may belong to any module. A request-scoped provider prevents the start.
 *
 * @publicApi
 */
export const ContentAuthStrategy = marking('ContentAuthStrategy');

/**
 * Registers a provider as a source of grants, in addition to `access.source`. The class implements
 * {@link PermissionsSource} and may belong to any module. A request-scoped provider prevents the start.
 *
 * @publicApi
 */
export const ContentPermissionsSource = marking('ContentPermissionsSource');

/**
 * Registers a provider as the sender of account mails, unless `UsersModule` has the option `mail`. The class
 * implements {@link MailSender} and may belong to any module. A second or request-scoped provider prevents
 * the start.
 *
 * @publicApi
 */
export const ContentMailSender = marking('ContentMailSender');

@Injectable()
export class Marked {
  constructor(@Inject(DiscoveryService) private readonly discovery: DiscoveryService) {}

  /**
   * Returns the providers with a decorator, in the order of the modules. Call it after all providers are
   * created. Throws a ContentModelError for unusable providers.
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

  /** Returns the only provider with a decorator, or null. Throws a ContentModelError if there are several. */
  one<M extends Mark>(mark: M): Providers[M] | null {
    const found = this.all(mark);
    if (found.length < 2) return found[0] ?? null;
    const names = found.map(({ constructor }) => constructor.name).join(', ');
    throw new ContentModelError(
      [`@${mark}() decorates several providers, only one is allowed: ${names}`],
      'providers',
    );
  }
}

function mistakesOf(instance: object, mark: Mark, shared: boolean): string[] {
  const at = `${instance.constructor.name}: @${mark}()`;
  if (!shared)
    return [`${at} needs one instance for all requests, but this provider is request-scoped or transient`];
  const method = MARKS[mark];
  const given = (instance as Readonly<Record<string, unknown>>)[method];
  return typeof given === 'function' ? [] : [`${at} needs a method "${method}"`];
}

/** Registers decorated strategies and sources. */
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
