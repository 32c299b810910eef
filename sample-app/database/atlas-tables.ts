import type { MikroORM } from '@mikro-orm/core';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CONTENT_ORM } from 'nestjs-content-api';
import { ATLAS_DATABASE, type AtlasDatabase } from './atlas-database.js';

/**
 * Creates missing tables and columns at start. This suits a sample; production uses migrations. Drops
 * nothing, because the database may contain other tables.
 */
@Injectable()
export class AtlasTables implements OnModuleInit {
  constructor(
    @Inject(CONTENT_ORM) private readonly orm: MikroORM,
    @Inject(ATLAS_DATABASE) private readonly database: AtlasDatabase,
  ) {}

  async onModuleInit(): Promise<void> {
    const { schema } = this.orm;
    // The first attempt fails if another process creates the same database.
    await schema.ensureDatabase().catch(() => schema.ensureDatabase());
    await this.database.alone(() => schema.update({ safe: true, dropTables: false }));
  }
}
