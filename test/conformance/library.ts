/** Library as its own application, with the roles of the seed. */
import type { DynamicModule, INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CONTENT_ORM, ContentModule } from 'nestjs-content-api';
import type { ContentModuleOptions, Grants } from 'nestjs-content-api';
import { ApiTokensModule, apiTokenType, UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { FilesModule, LocalStorage, SharpImages } from 'nestjs-content-api/files';
import type { Case, Model, Seed } from './cases.ts';

export type Adapter = 'express' | 'fastify';

export interface Library {
  readonly app: INestApplication;
  readonly port: number;
}

/** CORS settings of the recording's host. */
const CORS = { origin: true, credentials: true, methods: 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS' };

/** Returns recorded grants with `readDrafts` for each `find` (D17), for the types of the model. */
export function grantsFor(recorded: Readonly<Record<string, readonly string[]>>, model: Model): Grants {
  const known = new Set(model.contentTypes.map((type) => type.singularApiId));
  const entries = Object.entries(recorded).filter(([type]) => known.has(type));
  return Object.fromEntries(
    entries.map(([type, actions]) => {
      const drafts = actions.includes('find') ? ['readDrafts'] : [];
      return [type, [...new Set([...actions, ...drafts])]];
    }),
  ) as Grants;
}

/** The host of the recording allowed SVG images; our option must allow them explicitly. */
const files = (directory: string): DynamicModule =>
  FilesModule.forRoot({
    storage: new LocalStorage(directory),
    images: new SharpImages(),
    allowed: ['*', 'image/svg+xml'],
  });

interface Host {
  readonly adapter: Adapter;
  /** Directory of the files. */
  readonly directory: string;
}

async function create(
  options: ContentModuleOptions,
  { adapter, directory }: Host,
): Promise<INestApplication> {
  const users = UsersModule.forRoot({ secret: 'the secret of the conformance run', rateLimit: false });
  const contentTypes = [...options.contentTypes, ...userTypes(), apiTokenType];
  const module = {
    module: class Conformance {},
    imports: [ContentModule.forRoot({ ...options, contentTypes }), users, ApiTokensModule, files(directory)],
  };
  if (adapter === 'express') {
    return NestFactory.create<NestExpressApplication>(module, { logger: ['error'] });
  }
  const { FastifyAdapter } = await import('@nestjs/platform-fastify');
  return NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), {
    logger: ['error'],
  });
}

function rolesOf({ access }: Seed, model: Model): Record<string, Grants> {
  const { public: _open, ...roles } = access.roles;
  return Object.fromEntries(
    Object.entries(roles).map(([role, recorded]) => [role, grantsFor(recorded, model)]),
  );
}

const isFromAPage = ({ headers }: Case): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'origin');

/** Starts the library with its tables in an empty database, on its own port. */
export async function startLibrary(
  { model, seed, cases }: { readonly model: Model; readonly seed: Seed; readonly cases: readonly Case[] },
  { databaseUrl, ...host }: Host & { readonly databaseUrl: string },
): Promise<Library> {
  const { contentTypes, components, locales, defaultLocale } = model;
  const app = await create(
    {
      ...({ contentTypes, components } as Pick<ContentModuleOptions, 'contentTypes' | 'components'>),
      locales,
      defaultLocale,
      maxLimit: 100,
      database: { clientUrl: databaseUrl },
      access: {
        // Recorded bodies name files by their row ids, which requires a permission here.
        public: { ...grantsFor(seed.access.roles.public ?? {}, model), file: ['findOne'] },
        roles: rolesOf(seed, model),
        // Grants from the roles' table stay cached for the whole run, so that a GET counts only its own
        // statements.
        maxAge: 3_600_000,
      },
    },
    host,
  );
  // The host decides on CORS; only cases from other origins need it.
  if (cases.some(isFromAPage)) app.enableCors(CORS);
  const orm = app.get<{ schema: { create(): Promise<void> } }>(CONTENT_ORM, { strict: false });
  await orm.schema.create();
  await app.listen(0, '127.0.0.1');
  const address = (app.getHttpServer() as { address(): { port: number } }).address();
  return { app, port: address.port };
}
