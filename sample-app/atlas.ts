import type { AddressInfo } from 'node:net';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { folderBeside, usersOptions } from './accounts/users-options.js';
import { AppModule } from './app.module.js';
import {
  ATLAS_DATABASE,
  type AtlasDatabase,
  pgliteDatabase,
  postgresDatabase,
} from './database/atlas-database.js';
import { AtlasLoader, LoadStopped } from './loader/atlas-loader.js';
import { progressLines } from './loader/progress-lines.js';
import { PictureLoader } from './pictures/picture-loader.js';
import { DEFAULT_DATA_FOLDER } from './settings.js';
import { CREDIT } from './texts/credit.js';
import { welcome } from './welcome.js';

export interface AtlasOptions {
  /** A PostgreSQL server. Without one: PGlite in `dataFolder`. */
  readonly databaseUrl?: string;
  /**
   * Default: `.data/atlas` below the package. `memory://` keeps nothing. Mails go to the folder `mail` beside
   * it.
   */
  readonly dataFolder?: string;
  /** Signs the tokens of users. Without one a random one does, and they end with the process. */
  readonly jwtSecret?: string;
  readonly log?: (line: string) => void;
}

export interface StartOptions extends AtlasOptions {
  readonly port: number;
  readonly log: (line: string) => void;
}

/**
 * The application with its tables in place, neither loaded nor listening. `close()` lets go of the database.
 */
export async function createAtlas(options: AtlasOptions): Promise<NestExpressApplication> {
  const database = await openDatabase(options);
  const app = await createApplication(database, options);
  try {
    return await app.init();
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** The module alone, for whoever needs no server. Closing what is made of it lets go of the database. */
export async function createAtlasModule(options: AtlasOptions): Promise<DynamicModule> {
  return moduleOn(await openDatabase(options), options);
}

const openDatabase = ({
  databaseUrl,
  dataFolder = DEFAULT_DATA_FOLDER,
}: AtlasOptions): Promise<AtlasDatabase> =>
  databaseUrl === undefined ? pgliteDatabase(dataFolder) : Promise.resolve(postgresDatabase(databaseUrl));

const moduleOn = (
  database: AtlasDatabase,
  { dataFolder = DEFAULT_DATA_FOLDER, log = () => undefined, jwtSecret }: AtlasOptions,
): DynamicModule =>
  AppModule.on(database, usersOptions({ jwtSecret, dataFolder, log }), folderBeside(dataFolder, 'uploads'));

async function createApplication(
  database: AtlasDatabase,
  options: AtlasOptions,
): Promise<NestExpressApplication> {
  try {
    const app = await NestFactory.create<NestExpressApplication>(moduleOn(database, options), {
      logger: ['error', 'warn'],
      abortOnError: false,
    });
    app.useBodyParser('json', { limit: '1mb' });
    // Front ends on other sites. Any may ask: who they are stands in `Authorization`, never in a cookie.
    app.enableCors({
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
      allowedHeaders: ['Authorization', 'Content-Type', 'Strapi-Response-Format'],
      exposedHeaders: ['Allow', 'Retry-After'],
    });
    app.enableShutdownHooks();
    return app;
  } catch (error) {
    database.release();
    throw error;
  }
}

/** The application, loaded and listening, with a few lines about itself in the log. */
export async function startAtlas({ port, ...options }: StartOptions): Promise<NestExpressApplication> {
  const { log } = options;
  log(`Atlas. ${CREDIT}`);
  const app = await createAtlas(options);
  try {
    log(`Data: ${app.get<AtlasDatabase>(ATLAS_DATABASE).label}`);
    if (options.jwtSecret === undefined) log('JWT_SECRET is not set: sign-ins end with this process.');
    const loaded = await app.get(AtlasLoader).load({ onProgress: progressLines(log) });
    if (loaded) log('Everything is loaded.');
    await app.listen(port);
    for (const line of welcome(addressOf(app))) log(line);
    uploadPictures(app, log);
    return app;
  } catch (error) {
    if (error instanceof LoadStopped) log('Stopped. The next start goes on from here.');
    await app.close();
    throw error;
  }
}

/** In the background: whatever else can be asked of the atlas is there already. */
function uploadPictures(app: NestExpressApplication, log: (line: string) => void): void {
  const loading = app.get(PictureLoader).load(addressOf(app), progressLines(log));
  loading.catch((error: unknown) =>
    log(`Pictures: ${error instanceof Error ? error.message : String(error)}`),
  );
}

/** The address to type: Nest's own says `[::1]`, which curl and people find harder. */
function addressOf(app: NestExpressApplication): string {
  const address = app.getHttpServer().address() as AddressInfo;
  return `http://localhost:${address.port}`;
}
