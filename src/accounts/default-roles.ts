import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Database } from '../database/database.js';
import { Roles } from './roles.js';

/** Makes the default roles at the start, so that the host's code finds them. */
@Injectable()
export class DefaultRoles implements OnModuleInit, OnApplicationBootstrap {
  private made = false;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Roles) private readonly roles: Roles,
  ) {}

  onModuleInit(): Promise<void> {
    return this.make();
  }

  /** The host may have made the tables meanwhile. */
  onApplicationBootstrap(): Promise<void> {
    return this.make();
  }

  /** Without tables the roles come with the first request. */
  private async make(): Promise<void> {
    if (this.made) return;
    const { away, tables } = await this.database.problems();
    if (away !== null || tables.length > 0) return;
    await this.roles.load().then(
      () => (this.made = true),
      () => undefined,
    );
  }
}
