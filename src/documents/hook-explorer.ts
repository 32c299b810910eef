import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { HOOK_METADATA, type HookFunction, type HookMetadata, Hooks } from './hooks.js';

/** Finds the methods that the hook decorators mark, in every provider and controller of the application. */
@Injectable()
export class HookExplorer implements OnModuleInit {
  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(MetadataScanner) private readonly scanner: MetadataScanner,
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(Hooks) private readonly hooks: Hooks,
  ) {}

  onModuleInit(): void {
    for (const { instance } of [...this.discovery.getProviders(), ...this.discovery.getControllers()]) {
      const host: unknown = instance;
      if (typeof host === 'object' && host !== null && Object.getPrototypeOf(host) !== null)
        this.explore(host as Record<string, unknown>);
    }
  }

  private explore(host: Record<string, unknown>): void {
    for (const name of this.scanner.getAllMethodNames(Object.getPrototypeOf(host) as object)) {
      const method = host[name];
      if (typeof method !== 'function') continue;
      const metadata = this.reflector.get<HookMetadata | undefined>(HOOK_METADATA, method as HookFunction);
      if (metadata !== undefined)
        this.hooks.add(metadata, (event) => (method as HookFunction).call(host, event));
    }
  }
}
