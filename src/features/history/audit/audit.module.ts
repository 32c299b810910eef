import {
  type DynamicModule,
  Inject,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  type OnModuleInit,
} from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { ContentOpenApi } from '../../../content/http/content-openapi.js';
import { CONTENT_MODULE, type ContentRoutes } from '../../../content/http/routes.js';
import { AUDIT_GRANT } from '../../../content/model/naming.js';
import { AuditLog } from './audit-log.js';
import { auditPaths } from './audit-paths.js';
import { AuditController } from './audit.controller.js';
import { AuditInterceptor } from './audit.interceptor.js';
import { AUDIT_OPTIONS, type AuditOptions, resolveAuditOptions } from './audit.options.js';

/**
 * Records every write of content and accounts, and every sign-in: who, what, when, and from which request.
 * `GET /api/audit` lists the entries under the grant `audit: ['open']` (protocol section 26).
 *
 * @example
 * imports: [ContentModule.forRoot({ contentTypes: [article], … }), AuditModule.forRoot({ addresses: true })]
 *
 * @publicApi
 */
@Module({
  controllers: [AuditController],
  providers: [AuditLog, { provide: APP_INTERCEPTOR, useClass: AuditInterceptor }],
})
export class AuditModule implements NestModule, OnModuleInit {
  constructor(
    @Inject(CONTENT_MODULE) private readonly routes: ContentRoutes,
    @Inject(ContentOpenApi) private readonly openApi: ContentOpenApi,
  ) {}

  /** Creates the module. Throws a ContentModelError for invalid options. */
  static forRoot(options: AuditOptions = {}): DynamicModule {
    const resolved = resolveAuditOptions(options);
    return { module: AuditModule, providers: [{ provide: AUDIT_OPTIONS, useValue: resolved }] };
  }

  onModuleInit(): void {
    this.openApi.add(auditPaths);
  }

  configure(_consumer: MiddlewareConsumer): void {
    this.routes.setPath(AuditController, AUDIT_GRANT);
  }
}
