/** Requests of the media library. Lists have the key `files`, and are read again after each change. */
import { ApiError, unlessGone } from '../api/errors.ts';
import { type Answer, request } from '../api/http.ts';
import type { Parameters } from '../api/query.ts';
import { sendForm } from '../api/send-form.ts';
import type { Json, Link } from '../form/values.ts';
import { eachOnce, linkOf, textOfValue } from '../form/values.ts';
import { isKind, type Kind, KINDS, mediaPrefix } from '../model/media-kinds.ts';
import { hasDrafts, type Model } from '../model/model.ts';
import { settings } from '../settings.ts';

export const AGES = ['day', 'week', 'month', 'year'] as const;
export const SORTS = ['newest', 'oldest', 'name', 'largest'] as const;

type Age = (typeof AGES)[number];
type Sort = (typeof SORTS)[number];

/** Search, folder, filters and order of the library. */
export interface LibraryState {
  readonly search: string;
  /** Folder; null for all files, whatever their folder is. */
  readonly folder: string | null;
  readonly kind: Kind | null;
  readonly age: Age | null;
  readonly sort: Sort;
  /** Whether only pictures without alternative text are shown. */
  readonly undescribed: boolean;
}

export const WHOLE_LIBRARY: LibraryState = {
  search: '',
  folder: null,
  kind: null,
  age: null,
  sort: 'newest',
  undescribed: false,
};

export const ROOT = '/';
const PAGE_SIZE = 24;
/** Requests about one file that run at a time: there are two per language, or one per folder. */
const PARALLEL = 6;
const DAY = 86_400_000;
const DAYS: Readonly<Record<Age, number>> = { day: 1, week: 7, month: 30, year: 365 };
const ORDERS: Readonly<Record<Sort, string>> = {
  newest: 'createdAt:desc',
  oldest: 'createdAt:asc',
  name: 'name:asc',
  largest: 'size:desc',
};

const isOneOf = <T extends string>(all: readonly T[], value: string | null): value is T =>
  all.some((one) => one === value);

/** Reads the state of the library in the address of its page. */
export function readLibrary(address: URLSearchParams): LibraryState {
  const [kind, age, sort] = [address.get('kind'), address.get('age'), address.get('sort')];
  return {
    search: address.get('q') ?? '',
    folder: address.get('folder'),
    kind: isKind(kind) ? kind : null,
    age: isOneOf(AGES, age) ? age : null,
    sort: isOneOf(SORTS, sort) ? sort : 'newest',
    undescribed: address.has('undescribed'),
  };
}

export function writeLibrary(state: LibraryState): URLSearchParams {
  const { search, folder, kind, age, sort, undescribed } = state;
  const address = new URLSearchParams();
  if (search !== '') address.set('q', search);
  if (folder !== null) address.set('folder', folder);
  if (kind !== null) address.set('kind', kind);
  if (age !== null) address.set('age', age);
  if (sort !== 'newest') address.set('sort', sort);
  if (undescribed) address.set('undescribed', '');
  return address;
}

const startsWith = (prefix: string): Parameters => ({ mime: { $startsWith: prefix } });

/** Condition of the files of a kind. Those of the last kind have none of the known media types. */
function kindCondition(kind: Kind): Parameters {
  const prefix = mediaPrefix(kind);
  return prefix === null
    ? { $not: { $or: KINDS.flatMap((one) => mediaPrefix(one) ?? []).map(startsWith) } }
    : startsWith(prefix);
}

/** Parameters of the request for the files that the library shows. */
export function libraryQuery(state: LibraryState, allowed: readonly string[]): Parameters {
  const { search, folder, kind, age, sort, undescribed } = state;
  // The time is rounded to minutes: equal requests are one.
  const since = age === null ? 0 : Math.floor((Date.now() - DAYS[age] * DAY) / 60_000) * 60_000;
  const conditions: readonly Parameters[] = [
    ...(allowed.length === 0 ? [] : [{ $or: allowed.filter(isKind).map(kindCondition) }]),
    ...(kind === null ? [] : [kindCondition(kind)]),
    ...(age === null ? [] : [{ createdAt: { $gte: new Date(since).toISOString() } }]),
    ...(undescribed
      ? [startsWith('image/'), { $or: [{ alternativeText: { $null: true } }, { alternativeText: '' }] }]
      : []),
  ];
  return {
    ...(conditions.length === 0 ? {} : { filters: { $and: conditions } }),
    ...(search === '' ? {} : { _q: search }),
    ...(folder === null ? {} : { folder }),
    sort: ORDERS[sort],
  };
}

export interface FilePage {
  readonly data: readonly Json[];
  readonly meta: {
    readonly pagination: { readonly total: number; readonly page: number; readonly pageCount: number };
  };
}

export async function readPage(query: Parameters, page: number, signal: AbortSignal): Promise<FilePage> {
  const pagination = { page, pageSize: PAGE_SIZE };
  const path = `${settings.api}/upload/files/page`;
  return (await request<FilePage>(path, { query: { ...query, pagination }, signal })).body;
}

export interface Folder {
  readonly path: string;
  readonly files: number;
}

/** Returns no folders if the grant of the editor covers other attributes of files only. */
export async function readFolders(): Promise<readonly Folder[]> {
  try {
    return (await request<readonly Folder[]>(`${settings.api}/upload/folders`)).body;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return [];
    throw error;
  }
}

/** Paths of all folders, with those above that have no files themselves. */
export function folderPaths(folders: readonly Folder[]): readonly string[] {
  const paths = folders.flatMap(({ path }) => {
    const names = path.split('/').filter((name) => name !== '');
    return names.map((_, at) => `/${names.slice(0, at + 1).join('/')}`);
  });
  return [...new Set(paths)].sort((one, other) => one.localeCompare(other));
}

/** Folders directly in a folder. */
export const foldersIn = (paths: readonly string[], folder: string): readonly string[] =>
  paths.filter((path) => path.slice(0, Math.max(1, path.lastIndexOf('/'))) === folder);

/** Returns the folder of a file, which no response contains: the one whose files include it. */
export async function folderOf(file: Json): Promise<string | null> {
  const paths = (await readFolders()).map(({ path }) => path);
  const has = async (folder: string): Promise<boolean> => {
    const query = {
      folder,
      filters: { documentId: String(file['documentId']) },
      pagination: { pageSize: 1 },
    };
    return (await request<FilePage>(`${settings.api}/upload/files/page`, { query })).body.data.length > 0;
  };
  for (let at = 0; at < paths.length; at += PARALLEL) {
    const some = paths.slice(at, at + PARALLEL);
    const place = (await Promise.all(some.map(has))).indexOf(true);
    if (place !== -1) return some[place] ?? null;
  }
  return null;
}

export interface FileChange {
  readonly name?: string;
  readonly alternativeText?: string | null;
  readonly caption?: string | null;
  readonly focalPoint?: { readonly x: number; readonly y: number } | null;
  readonly folder?: string | null;
}

const idOf = (file: Json): string => encodeURIComponent(String(file['documentId']));

/** File as a response contains it, with the tag of its version; null if the tag is not known. */
export type TaggedFile = Answer<Json>;

/**
 * Tag of a file in a list, which has none. No version has it, so that a write is refused until it is compared
 * with the stored file.
 */
export const UNREAD = '"unread"';

export const readFile = (documentId: string): Promise<TaggedFile> =>
  request<Json>(`${settings.api}/upload/files/${encodeURIComponent(documentId)}`);

export const changeFile = async ({ body: file, etag }: TaggedFile, fileInfo: FileChange): Promise<Json> => {
  const ask = { method: 'POST', body: { fileInfo }, ifMatch: etag } as const;
  return (await request<Json>(`${settings.api}/upload?id=${idOf(file)}`, ask)).body;
};

/** Gives a file other bytes. Its ids stay, and its former address leads to the new one. */
export function replaceFile(
  { body: file, etag }: TaggedFile,
  bytes: File,
  fileInfo: FileChange = {},
): Promise<Json> {
  const form = new FormData();
  if (Object.keys(fileInfo).length > 0) form.append('fileInfo', JSON.stringify(fileInfo));
  form.append('files', bytes, bytes.name);
  return sendForm<Json>(`${settings.api}/upload?id=${idOf(file)}`, form, { ifMatch: etag });
}

/** File as an editor has seen it, and the names of the members that a write depends on. */
export interface SeenFile {
  readonly seen: TaggedFile;
  readonly names: readonly string[];
  /** Called with the stored file before a write is refused. */
  readonly refused?: (now: TaggedFile) => void;
}

/**
 * Writes a file if no other editor has changed it since this editor has seen it, or only members other than
 * `names`. Otherwise throws the ApiError of the write.
 */
export async function writeSeen<T>(
  { seen, names, refused }: SeenFile,
  write: (file: TaggedFile) => Promise<T>,
): Promise<T> {
  try {
    return await write(seen);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 412) throw error;
    const now = await readFile(textOfValue(seen.body['documentId']));
    const textOf = ({ body }: TaggedFile): string => JSON.stringify(names.map((name) => body[name] ?? null));
    if (textOf(now) === textOf(seen)) return write(now);
    refused?.(now);
    throw error;
  }
}

export const deleteFile = (file: Json): Promise<boolean> =>
  unlessGone(request(`${settings.api}/upload/files/${idOf(file)}`, { method: 'DELETE' }));

/** Documents that link the file and that the editor may see: in all languages, drafts included. */
export async function usesOf(file: Json, model: Model): Promise<readonly Link[]> {
  const states = model.types.some(hasDrafts) ? ['draft', 'published'] : ['published'];
  // The first view that has a document names it.
  const locales = [...new Set([model.defaultLocale, ...model.locales])];
  const views = locales.flatMap((locale) => states.map((status) => ({ locale, status })));
  const found: Json[] = [];
  for (let at = 0; at < views.length; at += PARALLEL)
    found.push(
      ...(await Promise.all(views.slice(at, at + PARALLEL).map((view) => usesIn(file, view)))).flat(),
    );
  const links = found.flatMap((document) => {
    const name = /\.([^.]+)$/.exec(String(document['__type']))?.[1] ?? '';
    const link = { ...linkOf(document, name, model), locale: document['locale'] };
    return model.type(name) === null ? [] : [link];
  });
  return eachOnce(links);
}

async function usesIn(file: Json, view: Parameters): Promise<readonly Json[]> {
  try {
    const query = { ...view, populate: 'related' };
    const { body } = await request<Json>(`${settings.api}/upload/files/${idOf(file)}`, { query });
    return (body['related'] ?? []) as readonly Json[];
  } catch (error) {
    // A type without languages or drafts for this editor refuses the view. A deleted file has no uses.
    if (error instanceof ApiError && [400, 403, 404].includes(error.status)) return [];
    throw error;
  }
}

/** Links in which a file is as it is now, or is gone if it was deleted. */
export const withFile = (links: readonly Link[], file: Json, changed: Link | null): readonly Link[] =>
  links.flatMap((link) => {
    if (link.documentId !== file['documentId']) return [link];
    return changed === null ? [] : [changed];
  });
