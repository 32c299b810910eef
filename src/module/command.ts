/** Code shared by the commands of `npx nestjs-content-api`. */
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Terminal } from './terminal.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Surroundings {
  readonly env: Environment;
  readonly say: (line: string) => void;
  /** Terminal of the user, for commands that ask questions. */
  readonly terminal?: Terminal;
}

export const MODULE_OPTION =
  '--module <file>[#<export>]   compiled Nest module of the application, dist/app.module.js#AppModule for example.';

/** Mistake on the command line, or a finding; only its message is printed. */
export class UsageError extends Error {}

/**
 * Imports the Nest module of a reference such as `dist/app.module.js#AppModule`. Throws a UsageError if there
 * is none.
 */
export async function importModule(reference: string): Promise<unknown> {
  const [file = '', name = 'AppModule'] = reference.split('#');
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`There is no ${path}: build your application first`);
  const exported = await import(pathToFileURL(path).href).then(
    (all: Readonly<Record<string, unknown>>) => all,
    (error: unknown) => {
      if (!(error instanceof SyntaxError && path.endsWith('.ts'))) throw error;
      throw new UsageError(`${file} is TypeScript: give the compiled file, for example dist/app.module.js`);
    },
  );
  const found = exported[name] ?? exported['default'];
  if (found === undefined) throw new UsageError(`${file} exports no ${name}`);
  return found;
}

export const openContext = (module: unknown): Promise<INestApplicationContext> =>
  NestFactory.createApplicationContext(module as Parameters<typeof NestFactory.createApplicationContext>[0], {
    logger: ['error'],
    abortOnError: false,
  });

/** Returns a service of an application. Throws a UsageError if the application does not import its module. */
export function serviceOf<T>(app: INestApplicationContext, service: Type<T>, module: string): T {
  try {
    return app.get(service, { strict: false });
  } catch {
    throw new UsageError(`The module of your application does not import ${module}`);
  }
}

/** Runs `work` with the application of `--module` and closes it. Throws a UsageError without `--module`. */
export async function withApplication<T>(
  reference: string | undefined,
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  if (reference === undefined) throw new UsageError('Give --module, the module of your application');
  const app = await openContext(await importModule(reference));
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}
