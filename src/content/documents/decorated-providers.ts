/** Discovery of decorated providers in every module of the application, at the start. */
import { Inject, Injectable, SetMetadata, type Type } from '@nestjs/common';
import { DiscoveryService, type MetadataScanner } from '@nestjs/core';
import { isObject } from '../../kernel/json.js';
import { isMethod, type Method } from '../../kernel/methods.js';
import { ContentModelError } from '../model/content-model-error.js';
import { CONTENT_SCHEMA, type Schema } from '../model/model.js';

type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];

export interface ProviderMark<T> {
  (): (target: Type<T>) => void;
  readonly mark: string;
  readonly method: keyof T & string;
}

export const providerMark = <T>(mark: string, method: keyof T & string): ProviderMark<T> =>
  Object.assign(() => SetMetadata<string, boolean>(keyOf(mark), true), { mark, method });

const keyOf = (mark: string): string => `content:${mark}`;

/** Whether the class of a provider has a decorator, which accepts classes of the type only. */
const hasMark = <T>(instance: unknown, mark: string): instance is T & object =>
  isObject(instance) &&
  typeof instance.constructor === 'function' &&
  Reflect.getMetadata(keyOf(mark), instance.constructor) === true;

@Injectable()
export class DecoratedProviders {
  constructor(@Inject(DiscoveryService) private readonly discovery: DiscoveryService) {}

  /**
   * Returns the providers with a decorator, in the order of the modules. Call it after all providers are
   * created. Throws a ContentModelError for unusable providers.
   */
  all<T>({ mark, method }: ProviderMark<T>): T[] {
    const found = new Map<T, string[]>();
    for (const wrapper of this.discovery.getProviders()) {
      const instance: unknown = wrapper.instance;
      if (!hasMark<T>(instance, mark)) continue;
      const shared = !wrapper.isTransient && wrapper.isDependencyTreeStatic();
      found.set(instance, mistakesOf(instance, { mark, method, shared }));
    }
    const mistakes = [...found.values()].flat();
    if (mistakes.length > 0) throw new ContentModelError([...new Set(mistakes)], 'providers');
    return [...found.keys()];
  }

  /** Returns the only provider with a decorator, or null. Throws a ContentModelError if there are several. */
  one<T extends object>(decorator: ProviderMark<T>): T | null {
    const found = this.all(decorator);
    if (found.length < 2) return found[0] ?? null;
    const names = found.map(({ constructor }) => constructor.name).join(', ');
    throw new ContentModelError(
      [`@${decorator.mark}() decorates several providers, only one is allowed: ${names}`],
      'providers',
    );
  }
}

/** Method of a provider or controller. */
export interface HostMethod {
  /** `Class.method`, for messages. */
  readonly where: string;
  readonly method: Method;
  readonly host: object;
  /** Whether one instance serves all requests. */
  readonly isShared: boolean;
}

/** Returns the schemas of all content modules of an application. */
export const schemasIn = (discovery: DiscoveryService): Schema[] =>
  discovery
    .getProviders()
    .filter(({ token }) => token === CONTENT_SCHEMA)
    .map(({ instance }) => instance as Schema);

/** Returns all methods of providers or controllers that exist at the start, once for each instance. */
export function methodsOf(wrappers: readonly Wrapper[], scanner: MetadataScanner): HostMethod[] {
  const hosts = new Set<unknown>();
  return wrappers.flatMap((wrapper) => {
    const host: unknown = wrapper.instance;
    // A provider may have several tokens.
    if (!isObject(host) || hosts.has(host)) return [];
    hosts.add(host);
    const prototype: unknown = Object.getPrototypeOf(host);
    if (typeof prototype !== 'object' || prototype === null) return [];
    const isShared = !wrapper.isTransient && wrapper.isDependencyTreeStatic();
    return scanner.getAllMethodNames(prototype).flatMap((name) => {
      const method = host[name];
      if (!isMethod(method)) return [];
      const where = `${prototype.constructor.name}.${name}`;
      return [{ where, method, host, isShared }];
    });
  });
}

interface MarkedMethod {
  readonly mark: string;
  readonly method: string;
  readonly shared: boolean;
}

function mistakesOf(instance: object, { mark, method, shared }: MarkedMethod): string[] {
  const at = `${instance.constructor.name}: @${mark}()`;
  if (!shared)
    return [`${at} needs one instance for all requests, but this provider is request-scoped or transient`];
  return isObject(instance) && isMethod(instance[method]) ? [] : [`${at} needs a method "${method}"`];
}
