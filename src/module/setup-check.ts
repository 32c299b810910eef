import { Inject, Injectable, Logger, type OnApplicationBootstrap, Optional } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost, MetadataScanner, Reflector } from '@nestjs/core';
import { ContentAccess } from '../content/access/content-access.js';
import { ACTIONS } from '../content/access/actions.js';
import { Permissions } from '../content/access/permissions.js';
import { apiTokenType } from '../features/accounts/account-types.js';
import { ApiTokens } from '../features/accounts/api-tokens.service.js';
import { methodsOf } from '../content/documents/decorated-providers.js';
import { ROUTED_CONTROLLERS, type RoutedControllers } from '../content/http/routes.js';
import { CONTENT_SCHEMA, type Schema } from '../content/model/model.js';
import { EventLog } from '../features/events/event-log.js';
import { Handler } from '../features/events/on-content-event.js';
import { webhookType } from '../features/events/webhooks/webhook-type.js';

/** Warns at the start about an incomplete setup. */
@Injectable()
export class SetupCheck implements OnApplicationBootstrap {
  private readonly logger = new Logger('ContentModule');

  constructor(
    @Inject(ContentAccess) private readonly access: ContentAccess,
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(ROUTED_CONTROLLERS) private readonly routed: RoutedControllers,
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(MetadataScanner) private readonly scanner: MetadataScanner,
    @Inject(Reflector) private readonly reflector: Reflector,
    @Optional() @Inject(HttpAdapterHost) private readonly server?: HttpAdapterHost,
  ) {}

  onApplicationBootstrap(): void {
    // Command lines have no server.
    if (this.server?.httpAdapter === undefined || this.server.httpAdapter === null) return;
    if (this.routed.controllers.length > 0 && this.access.isClosed)
      this.logger.warn(
        'Nothing is granted, so content routes respond with 401. Grant actions in "access.public", for example ' +
          `{ ${this.routed.controllers[0]?.type.singularApiId}: ['find', 'findOne'] }`,
      );
    else this.logUngranted();
    if (this.schema.types.has(apiTokenType.singularApiId) && !this.provides(ApiTokens))
      this.logger.warn(
        'The model has apiTokenType, but no request is accepted with an API token: import ApiTokensModule',
      );
    if (!this.provides(EventLog)) this.warnOfEvents();
  }

  /** Logs what waits for the event log, in an application without EventsModule. */
  private warnOfEvents(): void {
    const handlers = methodsOf(this.discovery.getProviders(), this.scanner)
      .filter(({ method }) => this.reflector.get(Handler, method) !== undefined)
      .map(({ where }) => where);
    if (handlers.length > 0)
      this.logger.warn(`No event reaches ${handlers.join(', ')}: import EventsModule.forRoot()`);
    if (this.schema.types.has(webhookType.singularApiId))
      this.logger.warn('The model has webhookType, but webhooks send nothing: import EventsModule.forRoot()');
  }

  /** Logs the types that unauthenticated callers cannot use, which may be intended or an oversight. */
  private logUngranted(): void {
    const granted = Permissions.of(this.access.grantsInCode('public'));
    const names = this.routed.controllers
      .map(({ type }) => type.singularApiId)
      .filter((name) => !ACTIONS.some((action) => granted.allows(name, action)));
    if (names.length > 0) this.logger.log(`Types without a grant in "access.public": ${names.join(', ')}`);
  }

  private provides(token: unknown): boolean {
    return this.discovery.getProviders().some((wrapper) => wrapper.token === token);
  }
}
