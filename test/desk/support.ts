/** Builds of the desk and applications for the specs. */
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { DynamicModule, INestApplication } from '@nestjs/common';
import { type ContentModuleOptions, defineCollectionType } from 'nestjs-content-api';
import { UsersModule, type UsersOptions, userTypes } from 'nestjs-content-api/accounts';
import { DeskModule, type DeskOptions } from 'nestjs-content-api/desk';
import supertest from 'supertest';
import { DESK_FOLDER } from '../../src/features/desk/desk-files.ts';
import { SECRET } from '../accounts/helpers.ts';
import { type Adapter, createTestApp, type TestApp } from '../support/app.ts';

export const SCRIPT = `console.log("${'desk '.repeat(500)}");`;

const CHUNKS = {
  'src/main.tsx': {
    file: 'assets/main-Ab12_-x9.js',
    name: 'main',
    src: 'src/main.tsx',
    isEntry: true,
    imports: ['_vendor.js'],
    dynamicImports: ['src/blocks.tsx'],
    css: ['assets/main-C3.css'],
  },
  '_vendor.js': { file: 'assets/vendor-D4.js', imports: ['src/main.tsx'], css: ['assets/vendor-E5.css'] },
  'src/blocks.tsx': { file: 'assets/blocks-F6.js', isDynamicEntry: true },
};

const FILES: Readonly<Record<string, string>> = {
  'manifest.json': JSON.stringify(CHUNKS),
  'secret.txt': 'not below assets',
  'assets/main-Ab12_-x9.js': SCRIPT,
  'assets/vendor-D4.js': 'export {};',
  'assets/blocks-F6.js': 'export {};',
  'assets/main-C3.css': 'body{}',
  'assets/vendor-E5.css': 'a{}',
  'assets/inter-G7.woff2': 'font',
  'assets/photo-H8.svg': '<svg/>',
};

/** Writes a small build of the desk, with compressed copies of its scripts and styles. */
export async function makeBuild(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'content-desk-'));
  for (const [name, text] of Object.entries(FILES)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    if (!/\.(?:js|css)$/.test(name)) continue;
    await writeFile(`${path}.br`, brotliCompressSync(text));
  }
  return folder;
}

/** Returns the module of the desk with another folder of files. */
function deskIn(folder: string, options: DeskOptions = {}): DynamicModule {
  const { providers = [], ...rest } = DeskModule.forRoot(options);
  return { ...rest, providers: [...providers, { provide: DESK_FOLDER, useValue: folder }] };
}

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string' } },
});

export const contentTypes: ContentModuleOptions['contentTypes'] = [note, ...userTypes()];

export const ROLES = {
  editor: { desk: ['open'], note: '*' },
  authenticated: { note: ['find'] },
} as const;

interface Site {
  readonly folder: string;
  readonly adapter: Adapter;
  readonly desk?: DeskOptions;
  /** Options of UsersModule; null without it. */
  readonly users?: Partial<UsersOptions> | null;
  readonly roles?: NonNullable<ContentModuleOptions['access']>['roles'];
  readonly prepare?: (app: INestApplication) => void;
}

/** Starts an application with a desk. */
export const startDesk = ({ folder, adapter, desk = {}, users = {}, roles = ROLES, prepare }: Site) =>
  createTestApp(
    {
      contentTypes,
      access: { roles },
      imports: [
        deskIn(folder, desk),
        ...(users === null ? [] : [UsersModule.forRoot({ secret: SECRET, rateLimit: false, ...users })]),
      ],
    },
    adapter,
    prepare,
  );

/** Client without a cookie jar: tests send the cookies that they name. */
export const client = ({ url }: Pick<TestApp, 'url'>) => supertest(url);
