/** First pass over an archive: everything but the content itself. */
import { isListOf, isShape, isText } from '../../kernel/json.js';
import { instantOf } from './convert-value.js';
import { isKeptId } from './kept-ids.js';
import { layoutIn } from './layouts.js';
import { FILE_UID, ROLE_UID } from './names.js';
import { type Remark, Remarks } from './remark.js';
import { RowGroups } from './row-groups.js';
import { localizedOption, objectOf, type SourceSchema, textOf } from './source-schema.js';
import type { StrapiArchive, StrapiItem, StrapiObject } from './strapi-archive.js';

const PERMISSION_UID = 'plugin::users-permissions.permission';
const LOCALE_UID = 'plugin::i18n.locale';
const FOLDER_UID = 'plugin::upload.folder';

const LOCALE_CODE = /^[a-z]{2,3}(-[a-z0-9]+)*$/i;
const UNLISTED = 'Rows have the locale, which the project does not list: it is one of the locales here';

const UNREADABLE = 'Lines that cannot be read: they are not JSON objects';

/** Types whose rows are few and needed before the others. */
const SMALL: readonly string[] = [PERMISSION_UID, LOCALE_UID, ROLE_UID, FOLDER_UID];

/** Id and document id of a row. */
interface FirstRow {
  readonly id: number;
  readonly documentId: unknown;
}

/** Facts of an archive that all later passes need. */
export interface Survey {
  /** Version of Strapi, `5.44.0`; an empty text if the archive does not name it. */
  readonly version: string;
  readonly createdAt: string;
  /** Whether the rows are REST responses: links name documents, and no role has permissions. */
  readonly rest: boolean;
  readonly schemas: readonly SourceSchema[];
  readonly layouts: ReadonlyMap<string, StrapiObject>;
  readonly locales: readonly string[];
  readonly defaultLocale: string;
  /** Actions of permissions by the type of their role. */
  readonly actions: ReadonlyMap<string, readonly string[]>;
  /** Paths of folders of the media library, such as `/countries/flags`, by their path in Strapi: `/1/5`. */
  readonly folders: ReadonlyMap<string, string>;
  /** Names of the files that rows of the media library need: hash and extension. */
  readonly fileNames: ReadonlySet<string>;
  /** Media types of the files whose names have no extension. */
  readonly plainFiles: ReadonlyMap<string, string>;
  /** Number of rows by type. */
  readonly rows: ReadonlyMap<string, number>;
  /** Highest row id that stays, by type. */
  readonly lastIds: ReadonlyMap<string, number>;
  /** Row with the lowest id, by type. */
  readonly firstRows: ReadonlyMap<string, FirstRow>;
  readonly links: number;
  readonly assets: ReadonlySet<string>;
  /** Rows that are one document, by their `localizations`, where rows have no document id. */
  readonly groups: RowGroups;
  readonly remarks: readonly Remark[];
}

/** Part that a server does not show over REST. */
export interface LeftOut {
  readonly subject: string;
  readonly key?: string;
  readonly text: string;
}

const isLeftOut = isListOf(
  isShape<LeftOut>({
    subject: isText,
    key: (value): value is string | undefined => value === undefined || isText(value),
    text: isText,
  }),
);

interface Link {
  readonly left: StrapiObject;
  readonly right: StrapiObject;
}

/** Returns the name that a file gives its bytes. Strapi 4 names those without extension `<hash>null`. */
export function assetName(name: string, fileNames: ReadonlySet<string>): string {
  const plain = name.replace(/(?:null|undefined)$/, '');
  return !fileNames.has(name) && fileNames.has(plain) ? plain : name;
}

class Surveyor {
  private metadata: StrapiObject = {};
  private readonly schemas: SourceSchema[] = [];
  private readonly layouts = new Map<string, StrapiObject>();
  private readonly store = new Map<string, unknown>();
  private readonly small = new Map<string, StrapiObject[]>(SMALL.map((uid) => [uid, []]));
  private readonly rows = new Map<string, number>();
  /** Locales of the rows of each type. */
  private readonly ofRows = new Map<string, Set<string>>();
  private readonly lastIds = new Map<string, number>();
  private readonly firstRows = new Map<string, FirstRow>();
  private readonly assets = new Set<string>();
  private readonly groups = new RowGroups();
  private readonly permissionLinks: Link[] = [];
  private readonly fileNames = new Set<string>();
  private readonly plainFiles = new Map<string, string>();
  private readonly remarks: Remark[] = [];
  private readonly damaged = new Remarks();
  private links = 0;

  /** Receives the items, one function per part. */
  readonly take: { readonly [P in StrapiItem['part']]: (item: StrapiItem & { readonly part: P }) => void } = {
    metadata: ({ value }) => void (this.metadata = value),
    schemas: ({ value, name }) => this.schema(value, name),
    configuration: ({ value }) => this.configuration(value),
    entities: ({ value }) => this.entity(value),
    links: ({ value }) => this.link({ left: objectOf(value['left']), right: objectOf(value['right']) }),
    assetMetadata: () => undefined,
    asset: ({ name }) => void this.assets.add(name),
    damaged: ({ name, line }) =>
      this.damaged.add({ list: 'none', subject: name, text: UNREADABLE }, `${line}`),
  };

  result(): Survey {
    const locales = this.localeCodes();
    return {
      version: textOf(objectOf(this.metadata['strapi'])['version']),
      createdAt: instantOf(this.metadata['createdAt']) ?? '1970-01-01T00:00:00.000Z',
      rest: this.metadata['rest'] === true,
      schemas: this.schemas,
      layouts: this.layouts,
      locales: locales.locales,
      defaultLocale: locales.defaultLocale,
      actions: this.actionsByRole(),
      folders: this.folderPaths(),
      fileNames: this.fileNames,
      plainFiles: this.plainFiles,
      rows: this.rows,
      lastIds: this.lastIds,
      firstRows: this.firstRows,
      links: this.links,
      assets: new Set([...this.assets].map((name) => assetName(name, this.fileNames))),
      groups: this.groups,
      remarks: [...this.remarks, ...this.damaged.all(), ...this.leftOut()],
    };
  }

  private leftOut(): readonly Remark[] {
    const { leftOut } = this.metadata;
    return isLeftOut(leftOut) ? leftOut.map((one) => ({ list: 'none', ...one })) : [];
  }

  private schema(value: StrapiObject, file: string): void {
    const uid = textOf(value['uid']);
    if (uid === '') this.remarks.push({ list: 'none', subject: file, text: 'A schema has no "uid"' });
    else this.schemas.push({ uid, file, schema: value });
  }

  private configuration(value: StrapiObject): void {
    const row = objectOf(value['value']);
    const layout = layoutIn(row);
    if (layout === null) {
      this.store.set(textOf(row['key']), row['value']);
      return;
    }
    const [uid, settings] = layout;
    if (settings !== null) this.layouts.set(uid, settings);
    else
      this.remarks.push({
        list: 'none',
        subject: uid,
        text: 'The layout is left out: it is not a JSON object',
      });
  }

  private entity(value: StrapiObject): void {
    const type = textOf(value['type']);
    const id = Number(value['id']);
    this.rows.set(type, (this.rows.get(type) ?? 0) + 1);
    if (isKeptId(id)) this.lastIds.set(type, Math.max(this.lastIds.get(type) ?? 0, id));
    const data = objectOf(value['data']);
    if (!(id >= (this.firstRows.get(type)?.id ?? Infinity)))
      this.firstRows.set(type, { id, documentId: data['documentId'] });
    this.small.get(type)?.push({ ...data, id });
    const locale = textOf(data['locale']);
    if (LOCALE_CODE.test(locale)) this.ofRows.set(type, (this.ofRows.get(type) ?? new Set()).add(locale));
    if (type === FILE_UID) this.file(data);
  }

  private file({ hash, ext, mime }: StrapiObject): void {
    this.fileNames.add(`${textOf(hash)}${textOf(ext)}`);
    if (textOf(ext) === '') this.plainFiles.set(textOf(hash), textOf(mime));
  }

  private link(link: Link): void {
    this.links += 1;
    const { left, right } = link;
    const type = textOf(left['type']);
    const field = textOf(left['field']);
    if (type === PERMISSION_UID && field === 'role') this.permissionLinks.push(link);
    else if (field === 'localizations' && typeof right['ref'] === 'number')
      this.groups.join(type, [Number(left['ref']), right['ref']]);
  }

  private localeCodes(): Pick<Survey, 'locales' | 'defaultLocale'> {
    const codes = (this.small.get(LOCALE_UID) ?? [])
      .map(({ code }) => textOf(code))
      .filter((code) => code !== '');
    const others = this.unlistedLocales(codes);
    const stored = this.store.get('plugin_i18n_default_locale');
    const plain = typeof stored === 'string' ? stored.replace(/^"|"$/g, '') : '';
    const defaultLocale = plain === '' ? (codes[0] ?? others[0] ?? 'en') : plain;
    for (const key of others)
      this.remarks.push({ list: 'changed', subject: LOCALE_UID, key, text: UNLISTED });
    return { defaultLocale, locales: [...new Set([defaultLocale, ...codes, ...others])] };
  }

  /** Returns the locales of rows of localized types that the project does not list, English first. */
  private unlistedLocales(codes: readonly string[]): readonly string[] {
    const localized = this.schemas.filter(({ schema }) => localizedOption(schema['pluginOptions']));
    const found = localized.flatMap(({ uid }) => [...(this.ofRows.get(uid) ?? [])]);
    const others = [...new Set(found)].filter((code) => !codes.includes(code));
    return others.sort((a, b) => Number(b === 'en') - Number(a === 'en'));
  }

  private actionsByRole(): ReadonlyMap<string, readonly string[]> {
    const roles = new Map((this.small.get(ROLE_UID) ?? []).map(({ id, type }) => [id, textOf(type)]));
    const roleOf = new Map(
      this.permissionLinks.map(({ left, right }) => [left['ref'], roles.get(right['ref'])]),
    );
    const found = new Map<string, string[]>();
    for (const { id, action } of this.small.get(PERMISSION_UID) ?? []) {
      const role = roleOf.get(id);
      if (role === undefined || !isText(action)) continue;
      found.set(role, [...(found.get(role) ?? []), action]);
    }
    return found;
  }

  private folderPaths(): ReadonlyMap<string, string> {
    const rows = this.small.get(FOLDER_UID) ?? [];
    const names = new Map(
      rows.map(({ pathId, name }) => [String(pathId), textOf(name).replaceAll('/', '-')]),
    );
    const named = (path: string): string =>
      path
        .split('/')
        .map((part) => names.get(part) ?? part)
        .join('/');
    return new Map(rows.map(({ path }) => [textOf(path), named(textOf(path))]));
  }
}

/** Returns the number of rows of all types. */
export const totalOf = (rows: ReadonlyMap<string, number>): number =>
  [...rows.values()].reduce((sum, one) => sum + one, 0);

/** Reads an archive once and returns everything but its content. */
export async function surveyOf(archive: StrapiArchive): Promise<Survey> {
  const surveyor = new Surveyor();
  for await (const item of archive.items()) {
    const take: (one: never) => void = surveyor.take[item.part];
    take(item as never);
  }
  return surveyor.result();
}
