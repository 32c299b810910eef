/** What the commands of `npx nestjs-content-api` share. */
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/** What a process was started with. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What commands are given beside their arguments. */
export interface Surroundings {
  readonly env: Environment;
  /** Told in one line how far a command has come. */
  readonly say: (line: string) => void;
}

/** Where the application's own module is, as usages say it. */
export const MODULE_OPTION =
  '--module <file>[#<export>]   compiled Nest module of the application, dist/app.module.js#AppModule for example.';

/** A mistake on the command line, or what a command has found; its message is all there is to say. */
export class UsageError extends Error {}

/** The Nest module of a reference such as `dist/app.module.js#AppModule`. Throws a UsageError without one. */
export async function moduleNamed(reference: string): Promise<unknown> {
  const [file = '', name = 'AppModule'] = reference.split('#');
  const exported = (await import(pathToFileURL(resolve(file)).href)) as Readonly<Record<string, unknown>>;
  const found = exported[name] ?? exported['default'];
  if (found === undefined) throw new UsageError(`${file} exports no ${name}`);
  return found;
}

/** Starts an application without a server. */
export const openContext = (module: unknown): Promise<INestApplicationContext> =>
  NestFactory.createApplicationContext(module as Parameters<typeof NestFactory.createApplicationContext>[0], {
    logger: ['error'],
    abortOnError: false,
  });

/** Does something with the application of `--module`, and closes it. Throws a UsageError without one. */
export async function withApplication<T>(
  reference: string | undefined,
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  if (reference === undefined) throw new UsageError('Give --module, the module of your application');
  const app = await openContext(await moduleNamed(reference));
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}
