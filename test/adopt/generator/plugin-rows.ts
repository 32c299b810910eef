/** Rows of plugins: files, folders, locales, users, roles and their permissions, with links and configuration. */
import type { LinkLine } from './links.ts';
import { FILE, type SourceFile, type SourceModel, type Times, USER, type World } from './source.ts';

const FOLDER = 'plugin::upload.folder';
const ROLE = 'plugin::users-permissions.role';
const PERMISSION = 'plugin::users-permissions.permission';
const LOCALE = 'plugin::i18n.locale';

/** Time of rows whose times do not matter. */
const AT = '2024-01-01T00:00:00.000Z';

interface Format {
  readonly name: string;
  readonly hash: string;
  readonly ext: string;
  readonly mime: string;
  readonly url: string;
  readonly width: number;
  readonly height: number;
  readonly size: number;
}

export interface Lines {
  readonly entities: object[];
  readonly links: LinkLine[];
}

/** An entity of a plugin, with the system fields that a Strapi of this version has. */
function row(
  { flavour }: SourceModel,
  [type, id, documentId]: readonly [string, number, string],
  { createdAt = AT, updatedAt = AT, ...data }: Partial<Times> & Record<string, unknown>,
): object {
  const times = { createdAt, updatedAt };
  return flavour === 'v5'
    ? { type, id, data: { documentId, ...data, ...times, publishedAt: createdAt, locale: null } }
    : { type, id, data: { ...data, ...times } };
}

const link = (
  [type, ref, field]: readonly [string, number, string],
  [target, to, inverse]: readonly [string, number, string],
  pos: number,
): LinkLine => ({
  kind: type === target ? 'relation.circular' : 'relation.basic',
  relation: 'manyToOne',
  left: { type, field, ref },
  right: { type: target, field: inverse, ref: to, pos },
});

/** Paths of the folders: the numbers of the folders on the way. */
export function folderPaths({ folders }: World): { readonly path: string; readonly names: string }[] {
  const found: { path: string; names: string }[] = [];
  folders.forEach(({ name, parent }, i) => {
    const above = parent === null ? { path: '', names: '' } : (found[parent] ?? { path: '', names: '' });
    found.push({ path: `${above.path}/${i + 1}`, names: `${above.names}/${name}` });
  });
  return found;
}

/** Smaller version of a picture, which Strapi stores with it; null if it has none. */
export function formatOf({ name, hash, ext, mime, bytes, hasFormat }: SourceFile): Format | null {
  const url = `/uploads/thumbnail_${hash}${ext}`;
  const size = bytes.length / 1000;
  return hasFormat
    ? { name: `thumbnail_${name}`, hash: `thumbnail_${hash}`, ext, mime, url, width: 1, height: 1, size }
    : null;
}

/** Row of a file, which is also the metadata of its bytes. */
export function fileData(world: World, file: SourceFile): Record<string, unknown> {
  const { name, alternativeText, caption, hash, ext, mime, bytes, folder, provider } = file;
  const isPicture = mime === 'image/png';
  return {
    ...{ name, alternativeText, caption },
    ...(world.model.flavour === 'v5' ? { focalPoint: null } : {}),
    ...{ width: isPicture ? 1 : null, height: isPicture ? 1 : null, hash, mime },
    formats: file.hasFormat ? { thumbnail: formatOf(file) } : null,
    ext: ext === '' ? null : ext,
    size: Math.round(bytes.length / 10) / 100,
    url: `${provider === 'local' ? '' : 'https://bucket.example.com'}/uploads/${hash}${ext}`,
    ...{ previewUrl: null, provider, provider_metadata: null },
    folderPath: folder === null ? '/' : (folderPaths(world)[folder]?.path ?? '/'),
  };
}

function library(world: World): Lines {
  const { model, files, folders } = world;
  const paths = folderPaths(world);
  const documentId = (index: number): string => `folder${index}`.padEnd(24, 'x');
  const folderRows = folders.map(({ name }, i) =>
    row(model, [FOLDER, i + 1, documentId(i)], { name, pathId: i + 1, path: paths[i]?.path }),
  );
  const parents = folders.flatMap(({ parent }, i) =>
    parent === null ? [] : [link([FOLDER, i + 1, 'parent'], [FOLDER, parent + 1, 'children'], 1)],
  );
  const fileRows = files.map((file, i) => {
    const { createdAt, updatedAt } = file;
    return row(model, [FILE, i + 1, file.documentId], { ...fileData(world, file), createdAt, updatedAt });
  });
  const inside = files.flatMap(({ folder }, i) =>
    folder === null ? [] : [link([FILE, i + 1, 'folder'], [FOLDER, folder + 1, 'files'], i + 1)],
  );
  return { entities: [...fileRows, ...folderRows], links: [...parents, ...inside] };
}

function people(world: World): Lines {
  const { model, roles, users } = world;
  const roleRows = roles.map(({ name, type, description }, i) =>
    row(model, [ROLE, i + 1, `role${i}`.padEnd(24, 'x')], { name, description, type }),
  );
  const permissions = roles.flatMap(({ actions }, i) => actions.map((action) => ({ action, role: i + 1 })));
  const permissionRows = permissions.map(({ action }, i) =>
    row(model, [PERMISSION, i + 1, `permission${i}`.padEnd(24, 'x')], { action }),
  );
  const granted = permissions.map(({ role }, i) =>
    link([PERMISSION, i + 1, 'role'], [ROLE, role, 'permissions'], i + 1),
  );
  const userRows = users.map((user, i) => {
    const { mark, email, hash, confirmed, blocked, createdAt, updatedAt, values } = user;
    const texts = Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'string'));
    return row(model, [USER, i + 1, user.documentId], {
      ...{ username: mark, email, provider: hash === null ? 'github' : 'local', password: hash },
      ...{ resetPasswordToken: null, confirmationToken: null, confirmed, blocked },
      ...{ ...texts, createdAt, updatedAt },
    });
  });
  const members = users.flatMap(({ role }, i) => {
    const to = 1 + roles.findIndex(({ type }) => type === role);
    return role === null ? [] : [link([USER, i + 1, 'role'], [ROLE, to, 'users'], i + 1)];
  });
  return { entities: [...permissionRows, ...roleRows, ...userRows], links: [...granted, ...members] };
}

function portraits({ users, files }: World): LinkLine[] {
  return users.flatMap(({ values }, i) =>
    Object.entries(values).flatMap(([field, marks]) =>
      (Array.isArray(marks) ? (marks as string[]) : []).map((mark, at) => ({
        ...{ kind: 'relation.morph', relation: 'morphToMany' },
        left: { type: FILE, field: 'related', ref: 1 + files.findIndex((file) => file.mark === mark) },
        right: { ref: i + 1, pos: at + 1, type: USER, field },
      })),
    ),
  );
}

export function pluginLines(world: World): Lines {
  const { model } = world;
  const [media, accounts] = [library(world), people(world)];
  const locales = model.locales.map((code, i) =>
    row(model, [LOCALE, i + 1, `locale${i}`.padEnd(24, 'x')], { name: `Language (${code})`, code }),
  );
  return {
    entities: [...media.entities, ...locales, ...accounts.entities],
    links: [...media.links, ...accounts.links, ...portraits(world)],
  };
}

/** Layout of the content manager for a type. */
function layout(uid: string, names: readonly string[]): object {
  const metadatas = Object.fromEntries(
    names.map((name) => [
      name,
      {
        edit: { label: `Label ${name}`, description: '', placeholder: '', visible: true, editable: true },
        list: { label: `Label ${name}`, searchable: true, sortable: true },
      },
    ]),
  );
  const settings = { pageSize: 10, mainField: 'mark', defaultSortBy: 'mark', defaultSortOrder: 'ASC' };
  const edit = names.map((name) => [{ name, size: 6 }]);
  return { uid, settings, metadatas, layouts: { list: ['id', ...names.slice(0, 3)], edit } };
}

export function configurationLines({ model }: World): object[] {
  const values: readonly (readonly [string, unknown])[] = [
    ...model.types.map(
      ({ uid, attributes }) =>
        [
          `plugin_content_manager_configuration_content_types::${uid}`,
          layout(uid, Object.keys(attributes)),
        ] as const,
    ),
    ['plugin_i18n_default_locale', model.defaultLocale],
    [
      'plugin_users-permissions_advanced',
      { unique_email: true, allow_register: true, default_role: 'authenticated' },
    ],
    ['plugin_upload_settings', { sizeOptimization: true, responsiveDimensions: true }],
  ];
  const lines = values.map(([key, value], i) => ({
    type: 'core-store',
    value: { id: i + 1, key, value, type: typeof value, environment: null, tag: null },
  }));
  return [
    ...lines,
    { type: 'webhook', value: { id: 1, name: 'hook', url: 'https://example.com', enabled: true } },
  ];
}
