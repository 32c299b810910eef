import type { INestApplicationContext } from '@nestjs/common';
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM } from 'nestjs-content-api';
import type pg from 'pg';

/** Pool of an application's connections for content. */
export function poolOf(app: INestApplicationContext): Promise<pg.Pool> {
  const connection = app.get<MikroORM>(CONTENT_ORM, { strict: false }).em.getConnection();
  return (connection as unknown as { getNativeClient(): Promise<pg.Pool> }).getNativeClient();
}
