import type { AddressInfo } from 'node:net';
import type { MikroORM } from '@mikro-orm/core';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { CONTENT_ORM } from 'nestjs-content-api';
import { AppModule } from './app.module.js';
import { ATLAS_DATABASE, type AtlasDatabase, pgliteDatabase, postgresDatabase } from './database/atlas-database.js';
import { AtlasLoader, LoadStopped } from './loader/atlas-loader.js';
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
  const app = await createApplication(database);
  try {
    await app.init();
    await ensureTables(app.get<MikroORM>(CONTENT_ORM), database);
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

async function createApplication(database: AtlasDatabase): Promise<NestExpressApplication> {
  try {
    const app = await NestFactory.create<NestExpressApplication>(AppModule.on(database), { logger: ['error', 'warn'], abortOnError: false });
    app.useBodyParser('json', { limit: '1mb' });
    app.enableShutdownHooks();
    return app;
  } catch (error) {
    database.release();
    throw error;
  }
}

/** A sample may do this at its start; production has migrations. Nothing is dropped: the database may hold other tables. */
async function ensureTables({ schema }: MikroORM, database: AtlasDatabase): Promise<void> {
  await schema.ensureDatabase();
  await database.alone(() => schema.update({ safe: true, dropTables: false }));
}

/** The application, loaded and listening, with a few lines about itself in the log. */
export async function startAtlas({ port, log, ...options }: StartOptions): Promise<NestExpressApplication> {
  log(`Atlas. ${CREDIT}`);
  const app = await createAtlas(options);
  try {
    log(`Data: ${app.get<AtlasDatabase>(ATLAS_DATABASE).label}`);
    const loaded = await app.get(AtlasLoader).load({ onProgress: progressLines(log) });
    if (loaded) log('Everything is loaded.');
    await app.listen(port);
    welcome(addressOf(app), log);
    return app;
  } catch (error) {
    if (error instanceof LoadStopped) log('Stopped. The next start goes on from here.');
    await app.close();
    throw error;
  }
}

/** The address to type: Nest's own says `[::1]`, which curl and people find harder. */
function addressOf(app: NestExpressApplication): string {
  const address = app.getHttpServer().address() as AddressInfo;
  return `http://localhost:${address.port}`;
}

function welcome(url: string, log: (line: string) => void): void {
  log(`Listening on ${url}. Try:`);
  for (const path of EXAMPLE_PATHS) log(`  curl -g '${url}${path}'`);
  log(`Nobody may read the visitors' notes, so this one answers 403:\n  curl '${url}${REFUSED_PATH}'`);
}
