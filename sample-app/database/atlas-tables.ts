import type { MikroORM } from '@mikro-orm/core';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CONTENT_ORM } from 'nestjs-content-api';
import { ATLAS_DATABASE, type AtlasDatabase } from './atlas-database.js';

/**
 * Makes the tables and columns that are missing: all of them in a new database, a few in one of an earlier
 * atlas. A sample may do this at its start, before anybody looks for them; production has migrations. Nothing
 * is dropped: the database may hold other tables.
 */
@Injectable()
export class AtlasTables implements OnModuleInit {
  constructor(
    @Inject(CONTENT_ORM) private readonly orm: MikroORM,
    @Inject(ATLAS_DATABASE) private readonly database: AtlasDatabase,
  ) {}

  async onModuleInit(): Promise<void> {
    const { schema } = this.orm;
    // Another atlas may be making the same database at this very moment.
    await schema.ensureDatabase().catch(() => schema.ensureDatabase());
    await this.database.alone(() => schema.update({ safe: true, dropTables: false }));
  }
}
