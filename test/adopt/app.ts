/** Application of an adopted model, on a database of its own. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DynamicModule, ModuleMetadata } from '@nestjs/common';
import type { MikroORM } from '@mikro-orm/core';
import {
  CONTENT_ORM,
  ContentModule,
  type ComponentDefinition,
  type ContentTypeDefinition,
  type Grants,
} from 'nestjs-content-api';
import { UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { FilesModule, LocalStorage, SharpImages } from 'nestjs-content-api/files';
import type * as DefinitionsRoom from '../../src/features/adopt/definitions-of.ts';
import type * as ArchiveRoom from '../../src/features/adopt/strapi-archive.ts';
import type * as CommandRoom from '../../src/module/command-line.ts';
import { Outbox, usersOptions } from '../accounts/helpers.ts';
import { type Host, startHost } from '../http/helpers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { loadRoom } from '../support/rooms.ts';

const { definitionsOf } = await loadRoom<typeof DefinitionsRoom>('features/adopt/definitions-of');
const { readStrapiArchive } = await loadRoom<typeof ArchiveRoom>('features/adopt/strapi-archive');
const { run } = await loadRoom<typeof CommandRoom>('module/command-line');

type Definitions = ReturnType<typeof definitionsOf>;

export interface AdoptedModel {
  readonly definitions: Definitions;
  readonly locales: readonly string[];
  readonly defaultLocale: string;
  /** Hides private attributes, as an application does; otherwise they are compared, too. */
  readonly hides?: boolean;
  /** Receives the lines that the command prints while it runs. */
  readonly say?: (line: string) => void;
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const inner = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);

/** Returns the definitions of an archive, its locales and the default one. */
export async function adoptedModel(file: string, key?: string): Promise<AdoptedModel> {
  const schemas: { uid: string; file: string; schema: Record<string, unknown> }[] = [];
  const locales: string[] = [];
  let defaultLocale = 'en';
  for await (const item of readStrapiArchive(file, key === undefined ? {} : { key }).items()) {
    if (item.part === 'damaged') throw new Error(`${item.name}: line ${item.line} is not an object`);
    if (item.part === 'asset') {
      for await (const piece of item.bytes) void piece;
      continue;
    }
    if (item.part === 'schemas')
      schemas.push({ uid: textOf(item.value['uid']), file: item.name, schema: item.value });
    else if (item.part === 'entities' && item.value['type'] === 'plugin::i18n.locale')
      locales.push(textOf(inner(item.value['data'], 'code')));
    else if (inner(item.value['value'], 'key') === 'plugin_i18n_default_locale')
      defaultLocale = textOf(inner(item.value['value'], 'value'));
  }
  return { definitions: definitionsOf(schemas), locales, defaultLocale };
}

/** Shows private attributes, so that they can be compared over HTTP. */
function shown<T extends ContentTypeDefinition | ComponentDefinition>(definition: T): T {
  const attributes = Object.entries(definition.attributes).map(([name, attribute]) => [
    name,
    { ...attribute, private: false },
  ]);
  return { ...definition, attributes: Object.fromEntries(attributes) as T['attributes'] };
}

const ofContent = (types: Definitions['contentTypes']): Grants => ({
  ...Object.fromEntries(types.map(({ singularApiId }) => [singularApiId, '*'])),
  file: '*',
});

function modulesOf(
  { definitions, locales, defaultLocale, hides }: AdoptedModel,
  { url, folder }: { readonly url: string; readonly folder: string },
): NonNullable<ModuleMetadata['imports']> {
  const { contentTypes, components } = definitions;
  return [
    ContentModule.forRoot({
      contentTypes: [
        ...(hides === true ? contentTypes : contentTypes.map(shown)),
        ...userTypes(definitions.userAttributes),
      ],
      components: hides === true ? components : components.map(shown),
      ...{ locales, defaultLocale },
      access: { public: hides === true ? ofContent(contentTypes) : { '*': '*' } },
      database: { clientUrl: url },
    }),
    UsersModule.forRoot(usersOptions(new Outbox())),
    FilesModule.forRoot({
      storage: new LocalStorage(folder),
      images: new SharpImages(),
    }),
  ];
}

class Root {}

/** Modules that the command loads by the paths of their files. */
const modules = new Map<string, DynamicModule>();
Reflect.set(globalThis, Symbol.for('adopted modules'), modules);

export interface Adopted extends Host {
  /** Runs the command on this database, in this process; returns its output. */
  readonly adopt: (...args: readonly string[]) => Promise<string>;
  readonly folder: string;
}

export type Command = (...args: readonly string[]) => Promise<string>;

interface Where {
  readonly url: string;
  /** Folder of the storage, of the module file and of the report. */
  readonly folder: string;
}

/** Returns the command for an application that it starts itself, on a database. */
export async function commandFor(model: AdoptedModel, { url, folder }: Where): Promise<Command> {
  const module = join(folder, 'app.module.mjs');
  modules.set(pathToFileURL(module).href, {
    module: Root,
    imports: modulesOf(model, { url, folder: join(folder, 'files') }),
  });
  await writeFile(
    module,
    `export const AppModule = globalThis[Symbol.for('adopted modules')].get(import.meta.url);\n`,
  );
  return (...args) =>
    run(
      [
        'adopt',
        ...args,
        '--module',
        module,
        '--report',
        join(folder, 'report'),
        '--work',
        join(folder, 'work'),
      ],
      { env: process.env, say: model.say ?? (() => undefined) },
    );
}

export interface Adopted extends Host {
  /** Runs the command on this database, in this process; returns its output. */
  readonly adopt: Command;
  readonly folder: string;
  readonly definitions: Definitions;
}

/** Starts the application of a model. Its storage is in a temporary folder. */
export async function startAdopted(model: AdoptedModel, existing?: TestDatabase): Promise<Adopted> {
  const database = existing ?? (await createDatabase());
  const folder = await mkdtemp(join(tmpdir(), 'adopted-'));
  const imports = modulesOf(model, { url: database.url, folder: join(folder, 'files') });
  const host = await startHost(() => ({ imports }), {
    database,
    ready: (app) => app.get<MikroORM>(CONTENT_ORM).schema.update({ safe: true }),
  });
  return {
    ...host,
    folder,
    definitions: model.definitions,
    adopt: await commandFor(model, { url: database.url, folder }),
    close: async () => {
      await host.close();
      if (existing === undefined) await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
