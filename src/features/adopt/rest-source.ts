/** Fetches a project over the REST API of Strapi into a folder in the format of an archive. */
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathExists } from '../../kernel/files.js';
import { AdoptError } from './adopt-error.js';
import { definitionsOf } from './definitions-of.js';
import { FILE_UID, USER_UID } from './names.js';
import type { Models } from './relations-of.js';
import { json, request } from './rest-client.js';
import { listIn, type RestTask, schemasOf } from './rest-schemas.js';
import type { LeftOut } from './survey.js';
import { attributesOf, inverseListsOf, isBroken, populateOf, RowReader } from './rest-rows.js';
import { hasDrafts, isLocalized, objectOf, type SourceModel, sourceModel, textOf } from './source-schema.js';
import type { StrapiObject } from './strapi-archive.js';

interface FetchTask extends RestTask {
  /** Parts that the server does not show, for the report. */
  readonly leftOut: LeftOut[];
}

const PAGE_SIZE = 100;

const jsonLines = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

/**
 * Writes a file under a temporary name first, so that a file that exists is complete. An equal file stays:
 * its folder, whose time identifies the source, does not change.
 */
async function save(path: string, text: string): Promise<void> {
  if ((await pathExists(path)) && (await readFile(path, 'utf8')) === text) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.unfinished`, text);
  await rename(`${path}.unfinished`, path);
}

/** Reports a part that the server does not show, once. `line` is what the command says about it. */
function leaveOut({ leftOut, say }: FetchTask, part: LeftOut, line = part.text): void {
  if (leftOut.some(({ subject, text }) => subject === part.subject && text === part.text)) return;
  say(`Left out: ${line}`);
  leftOut.push(part);
}

/** Returns the JSON of a response that the move can do without; null if there is none, and says why. */
async function optional(task: FetchTask, path: string): Promise<unknown> {
  const subject = path.split('?')[0] ?? path;
  let text = `The server has no route ${subject}`;
  try {
    const found = await json(task, path);
    if (found !== null) return found;
  } catch (error) {
    if (!(error instanceof AdoptError)) throw error;
    text = error.message;
  }
  leaveOut(task, { subject, text });
  return null;
}

interface Locales {
  readonly codes: readonly string[];
  readonly entities: readonly StrapiObject[];
  readonly defaultLocale: string;
}

async function localesOf(task: FetchTask): Promise<Locales> {
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
  /** Folder of the rows. Those of the folder `orders` only give the order of links on their inverse side. */
  readonly folder: 'entities' | 'orders';
}

interface QueryContext {
  readonly locales: Locales;
  readonly models: Models;
  /** Whether the server is Strapi 4, whose listings contain drafts and published rows together. */
  readonly isOld: boolean;
}

const pathOf = ({ info, kind }: SourceModel): string =>
  `/api/${textOf(info[kind === 'singleType' ? 'singularName' : 'pluralName'])}`;

/** Attributes of a type without drafts whose links belong to drafts and published rows. */
const ofDrafts = (model: SourceModel, models: Models): readonly string[] =>
  inverseListsOf(model.uid, models).filter((name) => {
    const owner = models.get(textOf(model.attributes[name]?.['target']));
    return owner !== undefined && hasDrafts(owner) && !hasDrafts(model);
  });

/** Queries of a type: each state and locale is a separate listing. */
function listingsOf(
  model: SourceModel,
  { locales: { codes }, models, isOld }: QueryContext,
): readonly Listing[] {
  const { uid } = model;
  const populate = populateOf(uid, { models, isOld });
  const both = isOld ? ['publicationState=preview'] : ['status=draft', 'status=published'];
  const locales = isLocalized(model) && codes.length > 0 ? codes : [''];
  const listing = (folder: Listing['folder'], state: string, populated: readonly string[]): Listing[] =>
    locales.map((locale) => {
      const language = locale === '' ? [] : [`locale=${locale}`, 'populate[localizations]=true'];
      const query = [state, ...language, ...populated].filter((part) => part !== '').map(encodedParameter);
      const name = [uid, locale, state].join('-').replace(/[^\w.-]/g, '_');
      const isSingle = model.kind === 'singleType';
      return { uid, path: pathOf(model), query: query.join('&'), name, isSingle, folder };
    });
  const ordered = isOld ? [] : ofDrafts(model, models).map((name) => `populate[${name}]=true`);
  return [
    ...(hasDrafts(model) ? both : ['']).flatMap((state) => listing('entities', state, populate)),
    ...(ordered.length === 0 ? [] : listing('orders', 'status=draft', ordered)),
  ];
}

/** Whether the server wraps attributes, as Strapi 4 does. */
async function isOldServer(models: readonly SourceModel[], task: RestTask): Promise<boolean> {
  for (const model of models) {
    const [row] = listIn(await json(task, `${pathOf(model)}?pagination[pageSize]=1`));
    if (row !== undefined) return 'attributes' in row;
  }
  return false;
}

const encodedParameter = (part: string): string => {
  const [key = '', value = ''] = part.split('=');
  return `${encodeURIComponent(key)}=${encodeURIComponent(value)}`;
};

/** Number of rows that a full page of the response has: servers can limit it. */
function pageSizeOf(response: unknown): number {
  const { pagination } = objectOf(objectOf(response)['meta']);
  const size = Number(objectOf(pagination)['pageSize']);
  return size > 0 ? Math.min(size, PAGE_SIZE) : PAGE_SIZE;
}

const NO_ROUTE = 'The server has no route for the type: adopt an archive';

/** Fetches the pages of a listing that no earlier run has fetched. */
async function fetchListing(listing: Listing, models: Models, task: FetchTask): Promise<void> {
  const { uid, path, query, name, isSingle, folder } = listing;
  for (let page = 1; ; page += 1) {
    const file = `${name}_${String(page).padStart(5, '0')}.jsonl`;
    const target = join(task.folder, folder, file);
    if (await pathExists(target)) {
      const rows = (await readFile(target, 'utf8')).split('\n').length - 1;
      if (rows === 0 || isSingle) return;
      continue;
    }
    const pages = `sort=id&pagination[page]=${page}&pagination[pageSize]=${PAGE_SIZE}`;
    const response = await json(task, `${path}?${query}&${pages}`);
    if (response === null && !isSingle)
      return leaveOut(task, { subject: uid, text: NO_ROUTE }, `${uid}: ${NO_ROUTE}`);
    const documents = listIn(response);
    const reader = new RowReader(models);
    for (const document of documents)
      if (folder === 'entities') reader.add(uid, document);
      else reader.addInverse(uid, document);
    await save(join(task.folder, 'links', file), jsonLines(reader.rows.links));
    await save(
      target,
      jsonLines(folder === 'entities' ? reader.rows.entities : documents.map(({ id }) => id)),
    );
    task.say(`${uid}: page ${page}, ${documents.length} rows`);
    if (isSingle || documents.length < pageSizeOf(response)) return;
  }
}

const ROLE = 'plugin::users-permissions.role';

/** Fetches users with their roles and own attributes. No API shows their passwords. */
async function fetchUsers({ models, isOld }: QueryContext, task: FetchTask): Promise<void> {
  const target = join(task.folder, 'entities', 'users_00001.jsonl');
  if (await pathExists(target)) return;
  const query = ['populate[role]=true', ...populateOf(USER_UID, { models, isOld })]
    .map(encodedParameter)
    .join('&');
  const response = await optional(task, `/api/users?${query}`);
  // Without a file, the next run asks again.
  if (response === null) return;
  const users = listIn(response);
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
  const reader = new RowReader(models);
  for (const { role: _role, ...data } of users) reader.add(USER_UID, data);
  await save(join(task.folder, 'links', 'users_00001.jsonl'), jsonLines([...links, ...reader.rows.links]));
  const roles = new Map(held.map(({ id, data }) => [id, { type: ROLE, id, data }]));
  await save(target, jsonLines([...roles.values(), ...reader.rows.entities]));
}

async function fetchFiles(task: FetchTask): Promise<void> {
  const shown = listIn(await optional(task, '/api/upload/files'));
  const files = shown.map(({ isUrlSigned: _ofResponse, ...data }) => data);
  const text = 'REST does not show the folders of files: they are in none. An archive has them';
  task.leftOut.push({ subject: 'plugin::upload.folder', text });
  await save(
    join(task.folder, 'entities', 'files_00001.jsonl'),
    jsonLines(files.map((data) => ({ type: FILE_UID, id: data['id'], data }))),
  );
  for (const { hash, ext, url } of files) {
    const name = basename(`${textOf(hash)}${textOf(ext)}`);
    const target = join(task.folder, 'assets', 'uploads', name);
    if (name === '' || (await pathExists(target))) continue;
    const response = await request(task, textOf(url));
    if (!response.ok || response.body === null) continue;
    await mkdir(dirname(target), { recursive: true });
    await pipeline(Readable.fromWeb(response.body), createWriteStream(`${target}.unfinished`));
    await rename(`${target}.unfinished`, target);
  }
}

const UNSHOWN = 'Links that Strapi 4 does not show: adopt an archive of 4.20 or later';

/** Relations that Strapi 4 does not show. */
const hiddenRelations = (models: Models): readonly LeftOut[] =>
  [...models.values()].flatMap(({ uid: subject, attributes }) =>
    Object.entries(attributes)
      .filter(([, attribute]) => isBroken(attribute))
      .map(([key]) => ({ subject, key, text: UNSHOWN })),
  );

const isOfPlugin = (uid: string): boolean => uid.startsWith('plugin::') && uid !== USER_UID;

/** Attributes that no response shows. */
const privateAttributes = (models: Models): readonly LeftOut[] =>
  [...models.values()]
    .filter(({ uid }) => !isOfPlugin(uid))
    .flatMap((model) =>
      attributesOf(model, true).map(([key]) => ({
        ...{ subject: model.uid, key },
        text: 'REST does not show private attributes: an archive has them',
      })),
    );

/** Types of plugins, which have no route. */
const pluginTypes = (models: Models): readonly LeftOut[] =>
  [...models.keys()]
    .filter(isOfPlugin)
    .map((subject) => ({ subject, text: 'REST does not show the rows of plugins: an archive has them' }));

const PERMISSIONS: LeftOut = {
  subject: 'plugin::users-permissions.permission',
  text: 'REST does not show what roles may do: an archive does. Write the grants yourself',
};

/** Fetches all rows, in all states and locales. Returns the folder, which is an unpacked archive. */
export async function fetchProject(rest: RestTask): Promise<string> {
  const task: FetchTask = { ...rest, leftOut: [] };
  const schemas = await schemasOf(task);
  const { models } = definitionsOf(schemas);
  const locales = await localesOf(task);
  await save(
    join(task.folder, 'schemas', 'schemas_00001.jsonl'),
    jsonLines(schemas.map(({ uid, schema }) => ({ ...schema, uid }))),
  );
  await save(join(task.folder, 'entities', 'locales_00001.jsonl'), jsonLines(locales.entities));
  const stored = {
    type: 'core-store',
    value: { key: 'plugin_i18n_default_locale', value: locales.defaultLocale },
  };
  await save(join(task.folder, 'configuration', 'configuration_00001.jsonl'), jsonLines([stored]));
  const own = schemas.map(sourceModel).filter(({ uid }) => uid.startsWith('api::'));
  const context = { locales, models, isOld: await isOldServer(own, task) };
  for (const model of own)
    for (const listing of listingsOf(model, context)) await fetchListing(listing, models, task);
  await fetchUsers(context, task);
  await fetchFiles(task);
  const leftOut = [
    ...task.leftOut,
    PERMISSIONS,
    ...pluginTypes(models),
    ...privateAttributes(models),
    ...(context.isOld ? hiddenRelations(models) : []),
  ];
  await save(
    join(task.folder, 'metadata.json'),
    JSON.stringify({ createdAt: new Date(0).toISOString(), strapi: {}, rest: true, leftOut }),
  );
  return task.folder;
}
