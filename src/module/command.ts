/** Code shared by the commands of `npx nestjs-content-api`. */
import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import {
  ConsoleLogger,
  type DynamicModule,
  Global,
  type INestApplicationContext,
  Module,
  type Type,
} from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { CONTENT_MODULE } from '../content/http/routes.js';
import { ContentModelError } from '../content/model/content-model-error.js';
import { suggest } from '../content/model/suggest.js';
import { RUNS_COMMAND } from '../content/store/background-work.js';
import { isObject, keysOf } from '../kernel/json.js';
import { ContentModule } from './content.module.js';
import type { Terminal } from './terminal.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Surroundings {
  readonly env: Environment;
  readonly say: (line: string) => void;
  /** Terminal of the user, for commands that ask questions. */
  readonly terminal?: Terminal;
}

export const MODULE_OPTION =
  '--module <file>[#<export>]   compiled Nest module of the application, for example dist/app.module.js#AppModule.';

/** Mistake on the command line, or a finding; only its message is printed. */
export class UsageError extends Error {}

type Exports = Readonly<Record<string, unknown>>;

/** Returns the exports of a module. Node finds some of compiled CommonJS only inside the default one. */
function exportsOf(all: Exports): Exports {
  const { default: inner } = all;
  return isObject(inner) && '__esModule' in inner ? { ...all, default: undefined, ...inner } : all;
}

/**
 * Imports the Nest module of a reference such as `dist/app.module.js#AppModule`. Throws a UsageError if there
 * is none.
 */
export async function importModule(reference: string): Promise<unknown> {
  const [file = '', name] = reference.split('#');
  const path = resolve(file);
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry === undefined) throw new UsageError(`There is no ${path}: build your application first`);
  if (entry.isDirectory())
    throw new UsageError(`${path} is a folder: give the compiled file, for example dist/app.module.js`);
  const exported = await import(pathToFileURL(path).href).then(exportsOf, (error: unknown) => {
    if (!(error instanceof SyntaxError)) throw error;
    if (!path.endsWith('.ts')) throw new UsageError(`${file} cannot be loaded: ${error.message}`);
    throw new UsageError(`${file} is TypeScript: give the compiled file, for example dist/app.module.js`);
  });
  const names = name === undefined ? ['AppModule', 'default'] : [name];
  const found = names.find((one) => exported[one] !== undefined);
  const [wanted = ''] = names;
  if (found === undefined)
    throw new UsageError(`${file} exports no ${wanted}${suggest(wanted, Object.keys(exported))}`);
  const module = exported[found];
  if (typeof module !== 'function' && !isObject(module))
    throw new UsageError(`${found} of ${file} is not a Nest module`);
  return module;
}

/** Logs errors of the start, without those that the command reports in full. */
class StartLogger extends ConsoleLogger {
  override error(message: unknown, ...rest: readonly unknown[]): void {
    if (!(message instanceof ContentModelError)) super.error(message, ...rest);
  }
}

/** Throws a UsageError for several content modules: a command would act on one of them only. */
function needOneContent(app: INestApplicationContext): void {
  const modules = [...app.get(ModulesContainer, { strict: false }).values()];
  if (modules.filter(({ metatype }) => metatype === ContentModule).length > 1)
    throw new UsageError(
      '--module imports ContentModule several times: name a module that imports one of them',
    );
}

@Global()
@Module({ providers: [{ provide: RUNS_COMMAND, useValue: true }], exports: [RUNS_COMMAND] })
class CommandModule {}

type Imports = NonNullable<DynamicModule['imports']>;

/** Starts an application. Throws a UsageError unless it imports one ContentModule. */
export async function openContext(module: unknown): Promise<INestApplicationContext> {
  const app = await NestFactory.createApplicationContext(
    { module: CommandModule, imports: [module as Imports[number]] },
    { logger: new StartLogger({ logLevels: ['error'] }), abortOnError: false },
  );
  try {
    serviceOf(app, CONTENT_MODULE, 'ContentModule');
    needOneContent(app);
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Returns a service of an application. Throws a UsageError if the application does not import its module. */
export function serviceOf<T>(app: INestApplicationContext, service: Type<T> | symbol, module: string): T {
  try {
    return app.get<T>(service, { strict: false });
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

/** Exit codes of shells for the signals that stop a command. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof EXIT_CODES;
const STOP_SIGNALS = keysOf(EXIT_CODES);

/** Time in milliseconds that stopped work gets to end, for example a waiting statement. */
const GRACE = 1000;

/** A signal stopped the command. */
export class InterruptedError extends UsageError {
  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}

/**
 * Runs `work` until it ends, or until a signal aborts it. Throws an InterruptedError with the sentence in the
 * second case. A second signal ends the process at once.
 */
export async function interruptible<T>(
  work: (signal: AbortSignal) => Promise<T>,
  sentence: () => string,
): Promise<T> {
  const controller = new AbortController();
  const interrupted = Promise.withResolvers<never>();
  let exitCode = 0;
  const leave = (): void => STOP_SIGNALS.forEach((name) => process.off(name, stop));
  const stop = (name: StopSignal): void => {
    leave();
    exitCode = EXIT_CODES[name];
    controller.abort();
    setTimeout(interrupted.reject, GRACE, controller.signal.reason).unref();
  };
  for (const name of STOP_SIGNALS) process.on(name, stop);
  try {
    return await Promise.race([work(controller.signal), interrupted.promise]);
  } catch (error) {
    throw controller.signal.aborted ? new InterruptedError(sentence(), exitCode) : error;
  } finally {
    leave();
  }
}
