import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../content/store/database.js';
import { Roles } from './roles.js';

/** Creates the default roles at start, so that the host's code finds them. */
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

  /** Tries again: the host may create the tables while its modules start. */
  onApplicationBootstrap(): Promise<void> {
    return this.make();
  }

  /** If the tables are missing, the first request creates the roles. */
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
