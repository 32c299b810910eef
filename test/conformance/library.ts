/** The library as an application of its own, with the callers that the seed knows. */
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CONTENT_ORM, ContentError, ContentModule, Permissions } from 'nestjs-content-api';
import type { AuthStrategy, Caller, ContentModuleOptions, Credentials, Grants } from 'nestjs-content-api';
import { UsersModule, userTypes } from 'nestjs-content-api/accounts';
import type { Model, Seed, Token } from './cases.ts';

export type Adapter = 'express' | 'fastify';

export interface Library {
  readonly app: INestApplication;
  readonly port: number;
}

const BODY_LIMIT = 1024 * 1024;

const FULL_ACCESS: Grants = { '*': '*' };
const READ_ONLY: Grants = { '*': ['find', 'findOne', 'readDrafts'] };

/** Recorded grants with `readDrafts` wherever `find` is (D17), for the types that the model has. */
function grants(recorded: Readonly<Record<string, readonly string[]>>, model: Model): Grants {
  const known = new Set(model.contentTypes.map((type) => type.singularApiId));
  const entries = Object.entries(recorded).filter(([type]) => known.has(type));
  return Object.fromEntries(
    entries.map(([type, actions]) => {
      const drafts = actions.includes('find') ? ['readDrafts'] : [];
      return [type, [...new Set([...actions, ...drafts])]];
    }),
  ) as Grants;
}

function rights(token: Token, model: Model): Grants {
  if (token.type === 'full-access') return FULL_ACCESS;
  return token.type === 'read-only' ? READ_ONLY : grants(token.permissions ?? {}, model);
}

/** Knows the seed's tokens by name, and `jwt`: a signed-in user of the role `authenticated`. */
class RecordedCallers implements AuthStrategy {
  readonly name = 'recorded';
  private readonly callers = new Map<string, Caller>();
  private readonly expired: ReadonlySet<string>;

  constructor({ access }: Seed, model: Model) {
    for (const token of access.tokens) {
      this.callers.set(token.as, {
        kind: 'token',
        id: token.as,
        permissions: Permissions.of(rights(token, model)),
      });
    }
    this.callers.set('jwt', {
      kind: 'user',
      id: '1',
      permissions: Permissions.of(grants(access.roles.authenticated ?? {}, model)),
    });
    this.expired = new Set(
      access.tokens
        .filter(({ expiresAt }) => expiresAt !== undefined && new Date(expiresAt) < new Date())
        .map(({ as }) => as),
    );
  }

  authenticate({ bearer }: Credentials): Caller | null {
    if (bearer === null) return null;
    const name = bearer.replace(/^<(.*)>$/, '$1');
    if (this.expired.has(name)) throw new ContentError('UnauthorizedError', 'Token expired');
    return this.callers.get(name) ?? null;
  }
}

async function create(options: ContentModuleOptions, adapter: Adapter): Promise<INestApplication> {
  const users = UsersModule.forRoot({ secret: 'the secret of the conformance run', rateLimit: false });
  const module = {
    module: class Conformance {},
    imports: [
      ContentModule.forRoot({ ...options, contentTypes: [...options.contentTypes, ...userTypes()] }),
      users,
    ],
  };
  if (adapter === 'express') {
    const app = await NestFactory.create<NestExpressApplication>(module, { logger: ['error'] });
    return app.useBodyParser('json', { limit: BODY_LIMIT });
  }
  const { FastifyAdapter } = await import('@nestjs/platform-fastify');
  return NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter({ bodyLimit: BODY_LIMIT }), {
    logger: ['error'],
  });
}

/** Starts the library with its tables in an empty database, on a port of its own. */
export async function startLibrary(
  model: Model,
  seed: Seed,
  { databaseUrl, adapter }: { databaseUrl: string; adapter: Adapter },
): Promise<Library> {
  const { contentTypes, components, locales, defaultLocale } = model;
  const app = await create(
    {
      ...({ contentTypes, components } as Pick<ContentModuleOptions, 'contentTypes' | 'components'>),
      locales,
      defaultLocale,
      maxLimit: 100,
      database: { clientUrl: databaseUrl },
      // Grants from the roles' table stay fresh for the whole run, so that a GET is counted as what it is.
      access: { public: grants(seed.access.roles.public ?? {}, model), maxAge: 3_600_000 },
      auth: { strategies: [new RecordedCallers(seed, model)] },
    },
    adapter,
  );
  const orm = app.get<{ schema: { update(): Promise<void> } }>(CONTENT_ORM, { strict: false });
  await orm.schema.update();
  await app.listen(0, '127.0.0.1');
  const address = (app.getHttpServer() as { address(): { port: number } }).address();
  return { app, port: address.port };
}
