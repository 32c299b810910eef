/** Application with a media library in a temporary directory. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AuthStrategy,
  type ContentModuleOptions,
  defineCollectionType,
  defineComponent,
  type Grants,
} from 'nestjs-content-api';
import { FilesModule, type FilesOptions, LocalStorage } from 'nestjs-content-api/files';
import type { Action } from '../../src/content/access/actions.ts';
import { type Adapter, createTestApp, type TestApp } from '../support/app.ts';

const image = defineComponent({
  uid: 'shared.image',
  attributes: { text: { type: 'string' }, file: { type: 'media' } },
});

/** Has the attribute names of `shared.image` with other types. */
const note = defineComponent({
  uid: 'shared.note',
  attributes: {
    file: { type: 'media', private: true },
    said: { type: 'json' },
    image: { type: 'component', component: 'shared.image' },
  },
});

const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  draftAndPublish: true,
  localized: true,
  attributes: {
    title: { type: 'string', localized: true },
    cover: { type: 'media', allowedTypes: ['images'] },
    gallery: { type: 'media', multiple: true },
    hero: { type: 'component', component: 'shared.image' },
    zone: { type: 'dynamiczone', components: ['shared.image', 'shared.note'] },
  },
});

const person = defineCollectionType({
  singularApiId: 'person',
  pluralApiId: 'persons',
  attributes: {
    name: { type: 'string' },
    avatar: { type: 'media' },
    passport: { type: 'media', private: true },
  },
});

const FILE_ACTIONS: readonly Action[] = ['find', 'findOne', 'create', 'update', 'delete'];

/** Grants without the attributes of pages that contain files. */
const NARROW: Grants = {
  file: ['findOne'],
  page: [{ actions: ['find'], fields: ['title', 'cover'] }],
  person: [{ actions: ['find'], fields: ['name', 'avatar'] }],
};

/** Roles that write documents and cannot read files. */
const WRITERS: Readonly<Record<string, Grants>> = {
  member: { person: ['find', 'findOne', 'create', 'update'], page: '*', file: ['create'] },
  blind: { person: ['update'] },
  captioner: { file: ['findOne', { actions: ['create', 'update'], fields: ['caption'] }] },
  namer: { person: [{ actions: ['update'], fields: ['name'] }], file: ['create'] },
};

/** Takes the role from the header `X-Role`. */
const byHeader: AuthStrategy = {
  name: 'header',
  vary: ['X-Role'],
  authenticate: ({ headers }) => {
    const role = headers['x-role'];
    return typeof role === 'string' ? { kind: 'user', id: role, roles: [role] } : null;
  },
};

export interface FilesApp extends TestApp {
  readonly directory: string;
  /** Returns the paths of all files below the directory, including running uploads. */
  stored(): Promise<string[]>;
  /** Sends a form as a role. */
  send(form: FormData, options?: SendOptions): Promise<Response>;
  /** Sends a request as a role. */
  ask(path: string, options?: RequestInit & { readonly as?: string }): Promise<Response>;
}

interface SendOptions {
  readonly as?: string | null;
  readonly path?: string;
}

type Prepare = Parameters<typeof createTestApp>[2];

/** Starts the application. `editor` may do everything; `file-<action>` only that action; `nobody` nothing. */
export async function createFilesApp(
  options: Partial<FilesOptions> = {},
  adapter: Adapter = 'express',
  { prepare, ...content }: Pick<ContentModuleOptions, 'cache'> & { prepare?: Prepare } = {},
): Promise<FilesApp> {
  const directory = await mkdtemp(join(tmpdir(), 'files-'));
  const roles = FILE_ACTIONS.map((action) => [`file-${action}`, { file: [action] }]);
  const app = await createTestApp(
    {
      ...content,
      contentTypes: [page, person],
      components: [image, note],
      locales: ['en', 'fr'],
      access: {
        public: { page: ['find', 'findOne'], person: ['find', 'findOne'] },
        roles: { editor: { '*': '*' }, narrow: NARROW, nobody: {}, ...WRITERS, ...Object.fromEntries(roles) },
      },
      auth: { strategies: [byHeader] },
      imports: [FilesModule.forRoot({ storage: new LocalStorage(directory), images: null, ...options })],
    },
    adapter,
    prepare,
  );
  const request: FilesApp['ask'] = (path, { as = 'editor', ...init } = {}) =>
    fetch(app.url + path, { ...init, headers: { ...init.headers, ...(as === '' ? {} : { 'X-Role': as }) } });
  return {
    ...app,
    directory,
    ask: request,
    send: (form, { as = 'editor', path = '/api/upload' } = {}) =>
      request(path, { method: 'POST', body: form, as: as ?? '' }),
    stored: async () =>
      (await readdir(directory, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name).slice(directory.length + 1)),
    close: async () => {
      await app.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Image of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Returns a different image each time: the bytes after its end are ignored. */
let made = 0;
export const picture = (size = 0): Buffer =>
  Buffer.concat([PNG, Buffer.from(`${(made += 1)}`), Buffer.alloc(size, made)]);

export interface Part {
  readonly bytes?: Buffer | string;
  readonly name?: string;
  readonly type?: string;
}

/** Builds a form with files and fields. */
export function formOf(files: readonly Part[], fields: Readonly<Record<string, unknown>> = {}): FormData {
  const form = new FormData();
  for (const { bytes = picture(), name = 'one.png', type = 'image/png' } of files)
    form.append('files', new Blob([new Uint8Array(Buffer.from(bytes))], { type }), name);
  for (const [name, value] of Object.entries(fields))
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  return form;
}
