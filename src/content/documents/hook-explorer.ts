import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { ContentModelError } from '../model/content-model-error.js';
import { CONTENT_SCHEMA, type Schema } from '../model/model.js';
import {
  HOOK_METADATA,
  type HookFunction,
  hookMistakes,
  type HookMetadata,
  Hooks,
  READ_HOOK_METADATA,
  type ReadHookFunction,
  type ReadHookMetadata,
  readHookMistakes,
} from './hooks.js';

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
    @Inject(Hooks) private readonly hooks: Hooks,
  ) {}

  /** Throws a ContentModelError that lists every hook that can never run. */
  onModuleInit(): void {
    const types = this.types();
    const mistakes = [...this.discovery.getProviders(), ...this.discovery.getControllers()].flatMap(
      (wrapper) => {
        const host: unknown = wrapper.instance;
        if (typeof host !== 'object' || host === null || Object.getPrototypeOf(host) === null) return [];
        const isShared = !wrapper.isTransient && wrapper.isDependencyTreeStatic();
        return this.explore(host as Record<string, unknown>, types, isShared);
      },
    );
    if (mistakes.length > 0) throw new ContentModelError([...new Set(mistakes)], 'hooks');
  }

  /** Returns the types of all content modules, because a hook may belong to another module's type. */
  private types(): string[] {
    return this.discovery
      .getProviders()
      .filter(({ token }) => token === CONTENT_SCHEMA)
      .flatMap(({ instance }) => [...(instance as Schema).types.values()])
      .map(({ singularApiId }) => singularApiId);
  }

  private explore(host: Record<string, unknown>, types: readonly string[], isShared: boolean): string[] {
    const prototype = Object.getPrototypeOf(host) as object;
    return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
      const method = host[name];
      if (typeof method !== 'function') return [];
      const hook = Reflect.getMetadata(HOOK_METADATA, method) as HookMetadata | undefined;
      const read = Reflect.getMetadata(READ_HOOK_METADATA, method) as ReadHookMetadata | undefined;
      if (hook === undefined && read === undefined) return [];
      if (hook !== undefined) this.hooks.add(hook, (event) => (method as HookFunction).call(host, event));
      if (read !== undefined)
        this.hooks.addRead(read, (event) => (method as ReadHookFunction).call(host, event));
      const where = `${prototype.constructor.name}.${name}`;
      return [
        ...(isShared ? [] : [`${where}: ${NOT_SHARED}`]),
        ...(hook === undefined ? [] : hookMistakes(where, hook, types)),
        ...(read === undefined ? [] : readHookMistakes(where, read, types)),
      ];
    });
  }
}
