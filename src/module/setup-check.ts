import { Inject, Injectable, Logger, type OnApplicationBootstrap, Optional } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost, MetadataScanner, Reflector } from '@nestjs/core';
import { ContentAccess } from '../content/access/content-access.js';
import { ACTIONS } from '../content/access/actions.js';
import { Permissions } from '../content/access/permissions.js';
import { apiTokenType, userTypes } from '../features/accounts/account-types.js';
import { ApiTokens } from '../features/accounts/api-tokens.service.js';
import { USERS_OPTIONS } from '../features/accounts/users.options.js';
import { methodsOf } from '../content/documents/decorated-providers.js';
import { ROUTED_CONTROLLERS, type RoutedControllers } from '../content/http/routes.js';
import { AUDIT_GRANT, DESK_GRANT, RELEASES_GRANT, splitTable } from '../content/model/naming.js';
import { CONTENT_SCHEMA, type Schema } from '../content/model/model.js';
import { EventLog } from '../features/events/event-log.js';
import { Handler } from '../features/events/on-content-event.js';
import { webhookType } from '../features/events/webhooks/webhook-type.js';
import { DESK_OPTIONS } from '../features/desk/desk.options.js';
import { AUDIT_OPTIONS } from '../features/history/audit/audit.options.js';
import { RELEASES_OPTIONS } from '../features/releases/releases.options.js';

/** Subjects of grants that open routes of a module, with a provider of the module. */
const GRANTED_MODULES = [
  { subject: AUDIT_GRANT, provider: AUDIT_OPTIONS, module: 'AuditModule' },
  { subject: DESK_GRANT, provider: DESK_OPTIONS, module: 'DeskModule' },
  { subject: RELEASES_GRANT, provider: RELEASES_OPTIONS, module: 'ReleasesModule' },
];

const [USER] = userTypes();

/** Types that do nothing without a module, with a provider of the module. */
const TYPE_MODULES = [
  {
    name: 'userTypes()',
    type: USER,
    provider: USERS_OPTIONS,
    problem: 'no user can sign in: import UsersModule.forRoot()',
  },
  {
    name: 'apiTokenType',
    type: apiTokenType,
    provider: ApiTokens,
    problem: 'no request is accepted with an API token: import ApiTokensModule',
  },
  {
    name: 'webhookType',
    type: webhookType,
    provider: EventLog,
    problem: 'webhooks send nothing: import EventsModule.forRoot()',
  },
];

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
    this.warnOfModules();
    if (!this.provides(EventLog)) this.warnOfEvents();
  }

  private warnOfModules(): void {
    for (const { name, type, provider, problem } of TYPE_MODULES) {
      const table = this.schema.types.get(type.singularApiId)?.table ?? '';
      if (splitTable(table).bare === type.tableName && !this.provides(provider))
        this.logger.warn(`The model has ${name}, but ${problem}`);
    }
    const grants = this.access.roles.map((role) => this.access.grantsInCode(role));
    for (const { subject, provider, module } of GRANTED_MODULES)
      if (grants.some((granted) => Object.hasOwn(granted, subject)) && !this.provides(provider))
        this.logger.warn(`The grants on "${subject}" open nothing: import ${module}.forRoot()`);
  }

  /** Logs handlers that get no event, in an application without EventsModule. */
  private warnOfEvents(): void {
    const handlers = methodsOf(this.discovery.getProviders(), this.scanner)
      .filter(({ method }) => this.reflector.get(Handler, method) !== undefined)
      .map(({ where }) => where);
    if (handlers.length > 0)
      this.logger.warn(`No event reaches ${handlers.join(', ')}: import EventsModule.forRoot()`);
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
