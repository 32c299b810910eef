import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { firstInvitation } from './accounts/first-invitation.js';
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
import { deskLines, welcome } from './welcome.js';

export interface AtlasOptions {
  /** URL of a PostgreSQL server. Default: PGlite in `dataFolder`. */
  readonly databaseUrl?: string;
  /**
   * Folder of the data. Default: `.data/atlas` in the package. `memory://` stores nothing on disk. Mails are
   * written to the folder `mail` next to it.
   */
  readonly dataFolder?: string;
  /** Secret that signs user tokens. Default: a random one, so that tokens end with the process. */
  readonly jwtSecret?: string;
  readonly log?: (line: string) => void;
}

export interface StartOptions extends AtlasOptions {
  readonly port: number;
  readonly log: (line: string) => void;
}

/** Creates the application with its tables, not loaded and not listening. `close()` releases the database. */
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

/** Creates the module without a server. Closing its application context releases the database. */
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
  AppModule.on(database, {
    users: usersOptions({ jwtSecret, dataFolder, log }),
    liveSecret: jwtSecret ?? randomBytes(32).toString('base64'),
    filesFolder: folderBeside(dataFolder, 'uploads'),
  });

async function createApplication(
  database: AtlasDatabase,
  options: AtlasOptions,
): Promise<NestExpressApplication> {
  try {
    const app = await NestFactory.create<NestExpressApplication>(moduleOn(database, options), {
      logger: ['error', 'warn'],
      abortOnError: false,
    });
    // Allows front ends on all sites. Credentials are in `Authorization`, never in a cookie, so other sites
    // cannot act as a user.
    app.enableCors({
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
      allowedHeaders: ['Authorization', 'Content-Type', 'Strapi-Response-Format'],
      exposedHeaders: ['Allow', 'Content-Tags', 'Retry-After'],
    });
    app.enableShutdownHooks();
    return app;
  } catch (error) {
    database.release();
    throw error;
  }
}

/** Starts the application: loads the data, listens, and logs the start text. */
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
    const address = addressOf(app);
    for (const line of welcome(address)) log(line);
    for (const line of deskLines(address, await firstInvitation(app, address))) log(line);
    uploadPictures(app, log);
    return app;
  } catch (error) {
    if (error instanceof LoadStopped) log('Stopped. The next start continues the load.');
    await app.close();
    throw error;
  }
}

/** Runs in the background, because all other data is already available. */
function uploadPictures(app: NestExpressApplication, log: (line: string) => void): void {
  const loading = app.get(PictureLoader).load(addressOf(app), progressLines(log));
  loading.catch((error: unknown) =>
    log(`Pictures: ${error instanceof Error ? error.message : String(error)}`),
  );
}

/** Returns a URL to type. Nest's own contains `[::1]`, which is inconvenient. */
function addressOf(app: NestExpressApplication): string {
  const address = app.getHttpServer().address() as AddressInfo;
  return `http://localhost:${address.port}`;
}
