import type { MikroORM } from '@mikro-orm/core';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONTENT_ORM } from 'nestjs-content-api';
import { ATLAS_DATABASE, type AtlasDatabase } from './atlas-database.js';

/**
 * Closes the database, then unlocks its folder. In the other order, a second process could open the folder
 * too early.
 */
@Injectable()
export class DatabaseRelease implements OnApplicationShutdown {
  constructor(
    @Inject(CONTENT_ORM) private readonly orm: MikroORM,
    @Inject(ATLAS_DATABASE) private readonly database: AtlasDatabase,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.orm.close();
    this.database.release();
  }
}
