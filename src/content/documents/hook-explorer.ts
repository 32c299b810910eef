import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ContentModelError } from '../model/content-model-error.js';
import { type HostMethod, methodsOf, schemasIn } from './decorated-providers.js';
import { Hook, hookMistakes, Hooks, ReadHook, readHookMistakes } from './hooks.js';

/**
 * Nest creates no request-scoped provider before a request, and scheduled and service writes have no request.
 */
const NOT_SHARED =
  'a hook needs one instance for all requests, but this provider, or one that it injects, is request-scoped ' +
  'or transient; resolve that one inside the hook with ModuleRef.resolve()';

@Injectable()
export class HookExplorer implements OnModuleInit {
  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(MetadataScanner) private readonly scanner: MetadataScanner,
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(Hooks) private readonly hooks: Hooks,
  ) {}

  /** Throws a ContentModelError that lists every hook that can never run. */
  onModuleInit(): void {
    const types = this.types();
    const hosts = [...this.discovery.getProviders(), ...this.discovery.getControllers()];
    const mistakes = methodsOf(hosts, this.scanner).flatMap((method) => this.explore(method, types));
    if (mistakes.length > 0) throw new ContentModelError([...new Set(mistakes)], 'hooks');
  }

  /** Returns the types of all content modules, because a hook may belong to another module's type. */
  private types(): string[] {
    return schemasIn(this.discovery).flatMap(({ types }) => [...types.keys()]);
  }

  private explore({ where, method, host, isShared }: HostMethod, types: readonly string[]): string[] {
    const hook = this.reflector.get(Hook, method);
    const read = this.reflector.get(ReadHook, method);
    if (hook === undefined && read === undefined) return [];
    if (hook !== undefined) this.hooks.add(hook, (event) => method.call(host, event));
    if (read !== undefined) this.hooks.addReadHook(read, (event) => method.call(host, event));
    return [
      ...(isShared ? [] : [`${where}: ${NOT_SHARED}`]),
      ...(hook === undefined ? [] : hookMistakes(where, hook, types)),
      ...(read === undefined ? [] : readHookMistakes(where, read, types)),
    ];
  }
}
