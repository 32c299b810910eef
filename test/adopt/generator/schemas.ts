/** Lines of `schemas/` with the system fields and the types of plugins, and the `schema.json` files of a project. */
import type { SourceAttributes, SourceComponent, SourceModel, SourceType } from './source.ts';

const ADMIN = {
  type: 'relation',
  relation: 'oneToOne',
  target: 'admin::user',
  configurable: false,
  writable: false,
  visible: false,
  useJoinTable: false,
  private: true,
};

const HIDDEN = { writable: true, configurable: false, visible: false };

function systemFields(
  model: SourceModel,
  type: Pick<SourceType, 'uid' | 'drafts' | 'localized'>,
  table: string,
): object {
  const isV5 = model.flavour === 'v5';
  const publishedAt =
    isV5 || type.drafts
      ? { publishedAt: { type: 'datetime', configurable: false, writable: true, visible: isV5 } }
      : {};
  const locale = { ...HIDDEN, private: !type.localized, type: 'string' };
  const localizations = {
    ...{ type: 'relation', relation: 'oneToMany', target: type.uid, ...HIDDEN, private: !type.localized },
    ...(isV5
      ? {
          writable: false,
          unstable_virtual: true,
          joinColumn: { name: 'document_id', referencedColumn: 'document_id', referencedTable: table },
        }
      : {}),
  };
  return {
    createdAt: { type: 'datetime' },
    updatedAt: { type: 'datetime' },
    ...publishedAt,
    ...{ createdBy: ADMIN, updatedBy: ADMIN },
    ...(isV5 || type.localized ? { locale, localizations } : {}),
  };
}

const tableOf = ({ plural }: SourceType): string => plural.replaceAll('-', '_');

/** A type as its `schema.json` describes it. */
const typeSchema = (type: SourceType): object => ({
  kind: type.isSingle ? 'singleType' : 'collectionType',
  collectionName: tableOf(type),
  info: { singularName: type.singular, pluralName: type.plural, displayName: type.singular, description: '' },
  options: { draftAndPublish: type.drafts },
  pluginOptions: type.localized ? { i18n: { localized: true } } : {},
  attributes: type.attributes,
});

const partsOf = ({ uid }: SourceComponent): [string, string] => uid.split('.') as [string, string];

function componentSchema(component: SourceComponent): object {
  const [category, name] = partsOf(component);
  return {
    collectionName: `components_${category}_${name}s`.replaceAll('-', '_'),
    info: { displayName: name, icon: 'cube' },
    options: {},
    attributes: component.attributes,
  };
}

const relation = (kind: string, target: string, more: object): object => ({
  ...{ type: 'relation', relation: kind, target, configurable: false },
  ...more,
});

const PLUGIN_TYPES: readonly (readonly [string, string, string, object])[] = [
  [
    ...(['plugin::upload.file', 'files', 'file'] as const),
    {
      name: { type: 'string', configurable: false, required: true },
      alternativeText: { type: 'text', configurable: false },
      caption: { type: 'text', configurable: false },
      focalPoint: { type: 'json', configurable: false },
      width: { type: 'integer', configurable: false },
      height: { type: 'integer', configurable: false },
      formats: { type: 'json', configurable: false },
      hash: { type: 'string', configurable: false, required: true },
      ext: { type: 'string', configurable: false },
      mime: { type: 'string', configurable: false, required: true },
      size: { type: 'decimal', configurable: false, required: true },
      url: { type: 'text', configurable: false, required: true },
      previewUrl: { type: 'text', configurable: false },
      provider: { type: 'string', configurable: false, required: true },
      provider_metadata: { type: 'json', configurable: false },
      related: { type: 'relation', relation: 'morphToMany', configurable: false },
      folder: relation('manyToOne', 'plugin::upload.folder', { inversedBy: 'files', private: true }),
      folderPath: { type: 'string', minLength: 1, required: true, private: true, searchable: false },
    },
  ],
  [
    ...(['plugin::upload.folder', 'upload_folders', 'folder'] as const),
    {
      name: { type: 'string', minLength: 1, required: true },
      pathId: { type: 'integer', unique: true, required: true },
      parent: relation('manyToOne', 'plugin::upload.folder', { inversedBy: 'children' }),
      children: relation('oneToMany', 'plugin::upload.folder', { mappedBy: 'parent' }),
      files: relation('oneToMany', 'plugin::upload.file', { mappedBy: 'folder' }),
      path: { type: 'string', minLength: 1, required: true },
    },
  ],
  [
    'plugin::i18n.locale',
    'i18n_locale',
    'locale',
    { name: { type: 'string', min: 1 }, code: { type: 'string' } },
  ],
  [
    ...(['plugin::users-permissions.permission', 'up_permissions', 'permission'] as const),
    {
      action: { type: 'string', required: true, configurable: false },
      role: relation('manyToOne', 'plugin::users-permissions.role', { inversedBy: 'permissions' }),
    },
  ],
  [
    ...(['plugin::users-permissions.role', 'up_roles', 'role'] as const),
    {
      name: { type: 'string', minLength: 3, required: true, configurable: false },
      description: { type: 'string', configurable: false },
      type: { type: 'string', unique: true, configurable: false },
      permissions: relation('oneToMany', 'plugin::users-permissions.permission', { mappedBy: 'role' }),
      users: relation('oneToMany', 'plugin::users-permissions.user', { mappedBy: 'role' }),
    },
  ],
  [
    ...(['plugin::users-permissions.user', 'up_users', 'user'] as const),
    {
      username: { type: 'string', minLength: 3, unique: true, configurable: false, required: true },
      email: { type: 'email', minLength: 6, configurable: false, required: true },
      provider: { type: 'string', configurable: false },
      password: { type: 'password', minLength: 6, configurable: false, private: true, searchable: false },
      resetPasswordToken: { type: 'string', configurable: false, private: true, searchable: false },
      confirmationToken: { type: 'string', configurable: false, private: true, searchable: false },
      confirmed: { type: 'boolean', default: false, configurable: false },
      blocked: { type: 'boolean', default: false, configurable: false },
      role: relation('manyToOne', 'plugin::users-permissions.role', { inversedBy: 'users' }),
    },
  ],
  ['admin::user', 'admin_users', 'user', { firstname: { type: 'string' }, email: { type: 'email' } }],
];

function pluginLine(
  model: SourceModel,
  [uid, table, name, attributes]: (typeof PLUGIN_TYPES)[number],
): object {
  const more: SourceAttributes = uid === 'plugin::users-permissions.user' ? model.userAttributes : {};
  return {
    ...{ collectionName: table, options: { draftAndPublish: false } },
    info: { singularName: name, pluralName: `${name}s`, displayName: name },
    pluginOptions: { 'content-manager': { visible: false } },
    attributes: {
      ...attributes,
      ...more,
      ...systemFields(model, { uid, drafts: false, localized: false }, table),
    },
    ...{ kind: 'collectionType', modelType: 'contentType', modelName: name, uid },
  };
}

/** All schemas of the archive: those of plugins first, then types, then components. */
export function schemaLines(model: SourceModel): object[] {
  const types = model.types.map((type) => ({
    ...typeSchema(type),
    attributes: { ...type.attributes, ...systemFields(model, type, tableOf(type)) },
    ...{ modelType: 'contentType', modelName: type.singular, uid: type.uid, globalId: type.singular },
  }));
  const components = model.components.map((component) => ({
    ...componentSchema(component),
    ...{ modelType: 'component', modelName: partsOf(component)[1], uid: component.uid },
  }));
  return [...PLUGIN_TYPES.map((one) => pluginLine(model, one)), ...types, ...components];
}
