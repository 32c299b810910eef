/** Fetches a project over the REST API of Strapi into a folder in the format of an archive. */
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isThere } from '../../kernel/files.js';
import { AdoptError } from './adopt-error.js';
import { definitionsOf } from './definitions-of.js';
import { FILE_UID, USER_UID } from './names.js';
import type { Models } from './relations-of.js';
import { json, request, type RestServer } from './rest-client.js';
import type { LeftOut } from './survey.js';
import { isBroken, populateOf, RowReader } from './rest-rows.js';
import {
  hasDrafts,
  isLocalized,
  objectOf,
  type SourceModel,
  type SourceSchema,
  sourceModel,
  textOf,
} from './source-schema.js';
import type { StrapiObject } from './strapi-archive.js';

export interface RestTask extends RestServer {
  /** Folder of the fetched rows; a further run continues there. */
  readonly folder: string;
  /** Schemas of the project, if the server does not show them. */
  readonly schemas: readonly SourceSchema[];
  readonly say: (line: string) => void;
}

interface Fetching extends RestTask {
  /** Parts that the server does not show, for the report. */
  readonly leftOut: LeftOut[];
}

const PAGE_SIZE = 100;

const lined = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** Writes a file under a temporary name first, so that a file that exists is complete. */
async function save(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.unfinished`, text);
  await rename(`${path}.unfinished`, path);
}

const listIn = (value: unknown): readonly StrapiObject[] =>
  (Array.isArray(value) ? value : [objectOf(value)['data']].flat())
    .map((one) => objectOf(one))
    .filter((one) => 'id' in one || 'uid' in one);

/** Options of a schema that responses show at the level of the schema. */
function schemaIn({ uid, schema, category }: StrapiObject): SourceSchema {
  const { displayName, singularName, pluralName, description, draftAndPublish, ...rest } = objectOf(schema);
  const attributes = Object.entries(objectOf(rest['attributes'])).map(([name, one]): [string, unknown] => {
    const { targetAttribute, ...attribute } = objectOf(one);
    const isNamed = 'inversedBy' in attribute || 'mappedBy' in attribute || textOf(targetAttribute) === '';
    const option = attribute['relation'] === 'oneToMany' ? 'mappedBy' : 'inversedBy';
    return [name, isNamed ? attribute : { ...attribute, [option]: targetAttribute }];
  });
  return {
    uid: textOf(uid),
    file: 'content-type-builder',
    schema: {
      kind: rest['kind'],
      info: { displayName, singularName, pluralName, description },
      options: { draftAndPublish: draftAndPublish === true },
      pluginOptions: objectOf(rest['pluginOptions']),
      attributes: Object.fromEntries(attributes),
      ...(category === undefined ? {} : { category }),
    },
  };
}

async function schemasOf(task: RestTask): Promise<readonly SourceSchema[]> {
  if (task.schemas.length > 0) return task.schemas;
  const found: SourceSchema[] = [];
  for (const kind of ['content-types', 'components']) {
    const shown = await json(task, `/api/content-type-builder/${kind}`);
    found.push(...listIn(shown).map(schemaIn));
  }
  if (found.length === 0)
    throw new AdoptError(
      `${task.url} does not show its schemas: name the folder of the project with --project`,
    );
  return found;
}

/** Returns the JSON of a response that the move can do without, and says why there is none. */
async function optional(task: Fetching, path: string): Promise<unknown> {
  try {
    return await json(task, path);
  } catch (error) {
    if (!(error instanceof AdoptError)) throw error;
    task.say(`Left out: ${error.message}`);
    task.leftOut.push({ subject: path.split('?')[0] ?? path, text: error.message });
    return [];
  }
}

interface Locales {
  readonly codes: readonly string[];
  readonly entities: readonly StrapiObject[];
  readonly defaultLocale: string;
}

async function localesOf(task: Fetching): Promise<Locales> {
  const rows = listIn(await optional(task, '/api/i18n/locales'));
  const main = rows.find(({ isDefault }) => isDefault === true);
  const codes = rows.map(({ code }) => textOf(code));
  const entities = rows.map((row) => ({ type: 'plugin::i18n.locale', id: row['id'], data: row }));
  return { codes, entities, defaultLocale: textOf(main?.['code']) || (codes[0] ?? 'en') };
}

interface Listing {
  readonly uid: string;
  readonly path: string;
  /** Query without pagination. */
  readonly query: string;
  readonly name: string;
  readonly isSingle: boolean;
}

interface Querying {
  readonly locales: Locales;
  readonly models: Models;
  /** Whether the server is Strapi 4, whose listings contain drafts and published rows together. */
  readonly isOld: boolean;
}

const pathOf = ({ info, kind }: SourceModel): string =>
  `/api/${textOf(info[kind === 'singleType' ? 'singularName' : 'pluralName'])}`;

/** Queries of a type: each state and locale is a listing of its own. */
function listingsOf(model: SourceModel, { locales: { codes }, models, isOld }: Querying): readonly Listing[] {
  const { uid } = model;
  const populate = populateOf(uid, { models, isOld });
  const both = isOld ? ['publicationState=preview'] : ['status=draft', 'status=published'];
  const states = hasDrafts(model) ? both : [''];
  const locales = isLocalized(model) && codes.length > 0 ? codes : [''];
  return states.flatMap((state) =>
    locales.map((locale) => {
      const language = locale === '' ? [] : [`locale=${locale}`, 'populate[localizations]=true'];
      const query = [state, ...language, ...populate].filter((part) => part !== '').map(encoded);
      const name = [uid, locale, state].join('-').replace(/[^\w.-]/g, '_');
      return {
        uid,
        path: pathOf(model),
        query: query.join('&'),
        name,
        isSingle: model.kind === 'singleType',
      };
    }),
  );
}

/** Whether the server wraps attributes, as Strapi 4 does. */
async function isOldServer(models: readonly SourceModel[], task: RestTask): Promise<boolean> {
  for (const model of models) {
    const [row] = listIn(await json(task, `${pathOf(model)}?pagination[pageSize]=1`));
    if (row !== undefined) return 'attributes' in row;
  }
  return false;
}

const encoded = (part: string): string => {
  const [key = '', value = ''] = part.split('=');
  return `${encodeURIComponent(key)}=${encodeURIComponent(value)}`;
};

/** Number of rows that a full page of the response has: servers can limit it. */
function pageSizeOf(response: unknown): number {
  const { pagination } = objectOf(objectOf(response)['meta']);
  const size = Number(objectOf(pagination)['pageSize']);
  return size > 0 ? Math.min(size, PAGE_SIZE) : PAGE_SIZE;
}

/** Fetches the pages of a listing that no earlier run has fetched. */
async function fetchListing(listing: Listing, models: Models, task: RestTask): Promise<void> {
  const { uid, path, query, name, isSingle } = listing;
  for (let page = 1; ; page += 1) {
    const file = `${name}_${String(page).padStart(5, '0')}.jsonl`;
    const target = join(task.folder, 'entities', file);
    if (await isThere(target)) {
      const rows = (await readFile(target, 'utf8')).split('\n').length - 1;
      if (rows === 0 || isSingle) return;
      continue;
    }
    const pages = `sort=id&pagination[page]=${page}&pagination[pageSize]=${PAGE_SIZE}`;
    const response = await json(task, `${path}?${query}&${pages}`);
    const documents = listIn(response);
    const reader = new RowReader(models);
    for (const document of documents) reader.add(uid, document);
    await save(join(task.folder, 'links', file), lined(reader.rows.links));
    await save(target, lined(reader.rows.entities));
    task.say(`${uid}: page ${page}, ${documents.length} rows`);
    if (isSingle || documents.length < pageSizeOf(response)) return;
  }
}

const ROLE = 'plugin::users-permissions.role';

/** Fetches users with their roles. No API shows their passwords. */
async function fetchUsers(task: Fetching): Promise<void> {
  const target = join(task.folder, 'entities', 'users_00001.jsonl');
  if (await isThere(target)) return;
  const users = listIn(await optional(task, '/api/users?populate=role'));
  const held = users.flatMap(({ id, role }) => {
    const found = objectOf(role);
    return found['id'] === undefined ? [] : [{ user: id, id: found['id'], data: found }];
  });
  const links = held.map(({ user, id }) => ({
    kind: 'relation.basic',
    relation: 'manyToOne',
    left: { type: USER_UID, ref: user, field: 'role' },
    right: { type: ROLE, ref: id },
  }));
  await save(join(task.folder, 'links', 'users_00001.jsonl'), lined(links));
  const roles = new Map(held.map(({ id, data }) => [id, { type: ROLE, id, data }]));
  const rows = users.map(({ role: _role, ...data }) => ({ type: USER_UID, id: data['id'], data }));
  await save(target, lined([...roles.values(), ...rows]));
}

async function fetchFiles(task: Fetching): Promise<void> {
  const files = listIn(await optional(task, '/api/upload/files'));
  await save(
    join(task.folder, 'entities', 'files_00001.jsonl'),
    lined(files.map((data) => ({ type: FILE_UID, id: data['id'], data }))),
  );
  for (const { hash, ext, url } of files) {
    const name = basename(`${textOf(hash)}${textOf(ext)}`);
    const target = join(task.folder, 'assets', 'uploads', name);
    if (name === '' || (await isThere(target))) continue;
    const response = await request(task, textOf(url));
    if (!response.ok || response.body === null) continue;
    await mkdir(dirname(target), { recursive: true });
    await pipeline(Readable.fromWeb(response.body), createWriteStream(`${target}.unfinished`));
    await rename(`${target}.unfinished`, target);
  }
}

/** Relations that Strapi 4 does not show. */
const unshownIn = (models: Models): readonly LeftOut[] =>
  [...models.values()].flatMap(({ uid: subject, attributes }) =>
    Object.entries(attributes)
      .filter(([, attribute]) => isBroken(attribute))
      .map(([key]) => ({ subject, key, text: 'Links that Strapi 4 does not show: adopt an archive' })),
  );

/** Fetches all rows, in all states and locales. Returns the folder, which is an unpacked archive. */
export async function fetchProject(rest: RestTask): Promise<string> {
  const task: Fetching = { ...rest, leftOut: [] };
  const schemas = await schemasOf(task);
  const { models } = definitionsOf(schemas);
  const locales = await localesOf(task);
  await save(
    join(task.folder, 'schemas', 'schemas_00001.jsonl'),
    lined(schemas.map(({ uid, schema }) => ({ ...schema, uid }))),
  );
  await save(join(task.folder, 'entities', 'locales_00001.jsonl'), lined(locales.entities));
  const stored = {
    type: 'core-store',
    value: { key: 'plugin_i18n_default_locale', value: locales.defaultLocale },
  };
  await save(join(task.folder, 'configuration', 'configuration_00001.jsonl'), lined([stored]));
  const own = schemas.map(sourceModel).filter(({ uid }) => uid.startsWith('api::'));
  const querying = { locales, models, isOld: await isOldServer(own, task) };
  for (const model of own)
    for (const listing of listingsOf(model, querying)) await fetchListing(listing, models, task);
  await fetchUsers(task);
  await fetchFiles(task);
  const leftOut = [...task.leftOut, ...(querying.isOld ? unshownIn(models) : [])];
  await save(
    join(task.folder, 'metadata.json'),
    JSON.stringify({ createdAt: new Date(0).toISOString(), strapi: {}, rest: true, leftOut }),
  );
  return task.folder;
}
