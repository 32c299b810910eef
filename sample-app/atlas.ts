import type { MikroORM } from '@mikro-orm/core';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { CONTENT_ORM } from 'nestjs-content-api';
import { AppModule } from './app.module.js';
import { ATLAS_DATABASE, type AtlasDatabase, pgliteDatabase, postgresDatabase } from './database/atlas-database.js';
import { AtlasLoader } from './loader/atlas-loader.js';
import { progressLines } from './loader/progress-lines.js';
import { EXAMPLE_PATHS, REFUSED_PATH } from './requests.js';
import { DEFAULT_DATA_FOLDER } from './settings.js';
import { CREDIT } from './texts/credit.js';

export interface AtlasOptions {
  /** A PostgreSQL server. Without one: PGlite in `dataFolder`. */
  readonly databaseUrl?: string;
  /** Default: `.data/atlas` below the package. `memory://` keeps nothing. */
  readonly dataFolder?: string;
}

export interface StartOptions extends AtlasOptions {
  readonly port: number;
  readonly log: (line: string) => void;
}

/** The application with its tables in place, neither loaded nor listening. `close()` lets go of the database. */
export async function createAtlas({ databaseUrl, dataFolder = DEFAULT_DATA_FOLDER }: AtlasOptions): Promise<NestExpressApplication> {
  const database = databaseUrl === undefined ? await pgliteDatabase(dataFolder) : postgresDatabase(databaseUrl);
  return openAtlas(database);
}

async function openAtlas(database: AtlasDatabase): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.on(database), { logger: ['error', 'warn'], abortOnError: false });
  app.useBodyParser('json', { limit: '1mb' });
  app.enableShutdownHooks();
  await app.init();
  // A sample may do this; production has migrations. Nothing is ever dropped: the database may hold other tables.
  await app.get<MikroORM>(CONTENT_ORM).schema.update({ safe: true, dropTables: false });
  return app;
}

/** The application, loaded and listening, with a few lines about itself in the log. */
export async function startAtlas({ port, log, ...options }: StartOptions): Promise<NestExpressApplication> {
  const app = await createAtlas(options);
  try {
    log(`Atlas, on ${app.get<AtlasDatabase>(ATLAS_DATABASE).label}`);
    log(CREDIT);
    const loaded = await app.get(AtlasLoader).load({ onProgress: progressLines(log) });
    log(loaded ? 'Loaded.' : 'Nothing to load.');
    await app.listen(port);
    welcome(await app.getUrl(), log);
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

function welcome(url: string, log: (line: string) => void): void {
  log(`Listening on ${url}. Try:`);
  for (const path of EXAMPLE_PATHS) log(`  curl -g '${url}${path}'`);
  log(`Nobody may read the visitors' notes, so this one answers 403:\n  curl '${url}${REFUSED_PATH}'`);
}
