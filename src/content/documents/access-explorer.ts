/** Registration of decorated authentication strategies and sources of grants. */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { AuthStrategy } from '../access/auth-strategy.js';
import { ContentAccess, type PermissionsSource } from '../access/content-access.js';
import { DecoratedProviders, providerMark } from './decorated-providers.js';

/**
 * Registers a provider as an authentication strategy, after those in `auth.strategies`. The class implements
 * {@link AuthStrategy} and may belong to any module. A request-scoped provider prevents the start.
 *
 * @publicApi
 */
export const ContentAuthStrategy = providerMark<AuthStrategy>('ContentAuthStrategy', 'authenticate');

/**
 * Registers a provider as a source of grants, in addition to `access.source`. The class implements
 * {@link PermissionsSource} and may belong to any module. A request-scoped provider prevents the start.
 *
 * @publicApi
 */
export const ContentPermissionsSource = providerMark<PermissionsSource>('ContentPermissionsSource', 'load');

@Injectable()
export class AccessExplorer implements OnModuleInit {
  constructor(
    @Inject(DecoratedProviders) private readonly decorated: DecoratedProviders,
    @Inject(ContentAccess) private readonly access: ContentAccess,
  ) {}

  onModuleInit(): void {
    for (const strategy of this.decorated.all(ContentAuthStrategy)) this.access.addStrategy(strategy);
    for (const source of this.decorated.all(ContentPermissionsSource)) this.access.addSource(source);
  }
}
