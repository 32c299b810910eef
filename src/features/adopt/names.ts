/**
 * Names of types, components and attributes: kept if the model allows them, otherwise changed and reported.
 */
import {
  AUDIT_GRANT,
  columnName,
  DESK_GRANT,
  MODEL_GRANT,
  RELEASES_GRANT,
} from '../../content/model/naming.js';
import { hasDrafts, isLocalized, type SourceModel, textOf } from './source-schema.js';
import type { StrapiObject } from './strapi-archive.js';
import type { Remark } from './remark.js';

export const USER_UID = 'plugin::users-permissions.user';
export const ROLE_UID = 'plugin::users-permissions.role';
export const FILE_UID = 'plugin::upload.file';

/** Types that the library brings. */
export const BUILT_IN: ReadonlyMap<string, string> = new Map([
  [USER_UID, 'user'],
  [ROLE_UID, 'role'],
  [FILE_UID, 'file'],
]);

/** Attributes of files and roles in Strapi, which have their place here or none. */
export const OF_BUILT_IN: ReadonlyMap<string, readonly string[]> = new Map([
  [
    FILE_UID,
    [
      ...['name', 'alternativeText', 'caption', 'width', 'height', 'formats', 'hash', 'ext', 'mime', 'size'],
      ...['url', 'previewUrl', 'provider', 'provider_metadata', 'related', 'folder', 'folderPath'],
    ],
  ],
  [ROLE_UID, ['name', 'description', 'type', 'permissions', 'users']],
]);

interface ModelNames {
  /** `singularApiId` of a type, uid of a component. */
  readonly name: string;
  readonly plural: string;
  /** Names of attributes here, by their names in the source. */
  readonly attributes: ReadonlyMap<string, string>;
}

/** Names by uid of the source. */
export type Names = ReadonlyMap<string, ModelNames>;

const RESERVED_TYPES: readonly string[] = [
  ...['file', 'locale', 'user', 'role', 'api-token'],
  ...[AUDIT_GRANT, DESK_GRANT, MODEL_GRANT, RELEASES_GRANT],
];
const RESERVED_PLURALS: readonly string[] = [
  ...['i18n', MODEL_GRANT, 'upload', 'users', 'auth', 'api-tokens', 'files'],
  ...['content-users', 'content-roles', 'content-files', 'content-api-tokens'],
];
const RESERVED_ATTRIBUTES: readonly string[] = [
  ...['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale', 'localizations'],
  ...['createdBy', 'updatedBy', 'prototype', ...Object.getOwnPropertyNames(Object.prototype)],
];

/** Returns words in lower case with dashes, beginning with a letter. */
function dashed(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase();
  return /^[a-z]/.test(plain) ? plain : `x-${plain}`.replace(/-+$/, '');
}

/** Uid of a component that the model allows: `<category>.<name>`. Answers show it as `__component`. */
const COMPONENT_UID = /^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*$/i;
/** Maximum length of names of types and components: that of tables, less the number of a repeated name. */
const MAX_NAME = 60;

const typeName = (text: string): string => dashed(text).slice(0, MAX_NAME);

function componentUid(uid: string): string {
  if (COMPONENT_UID.test(uid) && uid.length <= MAX_NAME) return uid;
  const [category = '', ...rest] = uid.split('.');
  return `${dashed(category).slice(0, MAX_NAME / 2 - 1)}.${dashed(rest.join('-')).slice(0, MAX_NAME / 2)}`;
}

/** Returns the first of `text`, `text-2`, `text-3` that is free, and occupies it. */
export function freeName(text: string, taken: Set<string>, separator: string): string {
  let found = text;
  for (let n = 2; taken.has(found); n += 1) found = `${text}${separator}${n}`;
  taken.add(found);
  return found;
}

/** Returns a name of an attribute: letters, digits and underscores, at most 55 characters. */
function attributeName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_]+(.)?/g, (_all, next: string | undefined) => (next ?? '').toUpperCase())
    .replace(/[^A-Za-z0-9_]/g, '')
    .slice(0, 55);
  return /^[A-Za-z]/.test(plain) ? plain : `x${plain}`;
}

/** Attributes that users have here and not in Strapi. */
const OF_USERS: readonly string[] = ['tokenVersion', 'sessions', 'resetPasswordExpires', 'nameKey'];

/** Attributes that the user type has in Strapi and here. */
export const OF_BOTH_USERS: readonly string[] = [
  ...['username', 'email', 'provider', 'password', 'resetPasswordToken', 'confirmationToken'],
  ...['confirmed', 'blocked', 'role'],
];

/** Columns of the user type. The role has two: its document id, and the position among users of the role. */
const USER_COLUMNS: readonly string[] = [...OF_USERS, ...OF_BOTH_USERS, 'roleDocumentId', 'rolePosition'].map(
  (name) => columnName(name),
);

const reservedAttributes = (model: SourceModel): readonly string[] => [
  ...RESERVED_ATTRIBUTES,
  ...(model.isComponent ? ['__component'] : []),
  ...(hasDrafts(model) ? ['status'] : []),
  ...(model.uid === USER_UID ? OF_USERS : []),
];

/** Whether a row has at most one link of the attribute. */
const isToOne = ({ type, relation, target, multiple }: StrapiObject): boolean =>
  type === 'media'
    ? multiple !== true
    : relation === 'oneToOne' || relation === 'manyToOne' || (relation === 'morphOne' && target === FILE_UID);

/** Returns the columns that an attribute needs under a name, or names that no other attribute may have. */
function columnsOf(name: string, attribute: StrapiObject, model: SourceModel): readonly string[] {
  // Components are stored as JSON under the names of their attributes.
  if (model.isComponent) return [name];
  // Media have no other side.
  const { inversedBy, mappedBy }: StrapiObject = attribute['target'] === FILE_UID ? {} : attribute;
  const isTwoWay = textOf(inversedBy) !== '';
  // A table has the links of a two-way relation of a localized type.
  if (!isToOne(attribute) || textOf(mappedBy) !== '' || (isTwoWay && isLocalized(model)))
    return [columnName(name)];
  const isOrdered = isTwoWay && attribute['relation'] === 'manyToOne';
  const positions = hasDrafts(model) ? ['position', 'former_position'] : ['position'];
  return [
    columnName(name),
    ...['document_id', ...(isOrdered ? positions : [])].map((column) => columnName(name, column)),
  ];
}

function attributeNames(model: SourceModel, reserved: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>(model.uid === USER_UID ? USER_COLUMNS : []);
  const names = new Map<string, string>();
  const own = Object.keys(model.attributes);
  const isKept = (name: string): boolean =>
    attributeName(name) === name && !reserved.includes(name) && Buffer.byteLength(name) <= 55;
  // Names that stay are claimed first, so that a changed name never displaces them.
  for (const name of [...own.filter(isKept), ...own.filter((one) => !isKept(one))]) {
    const wanted = attributeName(name);
    const allowed = reserved.includes(wanted) ? `${wanted}_` : wanted;
    let found = isKept(name) ? name : allowed;
    const columns = (): readonly string[] => columnsOf(found, model.attributes[name] ?? {}, model);
    for (let n = 2; columns().some((column) => taken.has(column)); n += 1) found = `${wanted}_${n}`;
    for (const column of columns()) taken.add(column);
    names.set(name, found);
  }
  return names;
}

interface ChangedName {
  readonly what: string;
  readonly from: string;
  readonly to: string;
  /** The name in the form that the model allows. */
  readonly allowed: string;
  readonly reserved: readonly string[];
}

function reasonOf({ from, allowed, reserved }: ChangedName): string {
  if (reserved.includes(from) || reserved.includes(allowed)) return 'the name is reserved';
  return allowed === from ? 'another one has the name' : 'the model does not allow the name';
}

const lastPart = (uid: string): string => uid.slice(uid.lastIndexOf('.') + 1);

/** Names that a type has in the source. */
export function givenNames({ uid, info }: SourceModel): {
  readonly singular: string;
  readonly plural: string;
} {
  const singular = textOf(info['singularName']) || lastPart(uid);
  return { singular, plural: textOf(info['pluralName']) || `${singular}s` };
}

/** Whether the model allows the names of a type or component. */
function hasAllowedNames(model: SourceModel): boolean {
  if (model.isComponent) return componentUid(model.uid) === model.uid;
  const { singular, plural } = givenNames(model);
  return (
    typeName(singular) === singular &&
    !RESERVED_TYPES.includes(singular) &&
    typeName(plural) === plural &&
    !RESERVED_PLURALS.includes(plural)
  );
}

/** Names of types and components, with a remark for each changed one. */
export function namesOf(models: readonly SourceModel[]): {
  readonly names: Names;
  readonly remarks: readonly Remark[];
} {
  const names = new Map<string, ModelNames>();
  const remarks: Remark[] = [];
  const singulars = new Set(RESERVED_TYPES);
  const plurals = new Set(RESERVED_PLURALS);
  const components = new Set<string>();
  const note = ({ uid: subject, file }: SourceModel, name: ChangedName): void => {
    if (name.from === name.to) return;
    const text = `${name.what} "${name.from}" becomes "${name.to}": ${reasonOf(name)}`;
    remarks.push({ list: 'changed', subject, key: name.from, file, text });
  };
  const isOfPlugin = ({ uid }: SourceModel): boolean => uid.startsWith('plugin::');
  // Archives list types of plugins first. Types of the project have routes, so they choose their names first.
  // Names that stay are claimed before changed ones.
  const turnOf = (model: SourceModel): number =>
    2 * Number(isOfPlugin(model)) + Number(!hasAllowedNames(model));
  const inTurn = [...models].sort((a, b) => turnOf(a) - turnOf(b));
  for (const model of inTurn) {
    const reserved = reservedAttributes(model);
    const attributes = attributeNames(model, reserved);
    for (const [from, to] of attributes)
      note(model, { what: 'The attribute', from, to, allowed: attributeName(from), reserved });
    if (model.isComponent) {
      const allowed = componentUid(model.uid);
      const name = freeName(allowed, components, '-');
      note(model, { what: 'The component', from: model.uid, to: name, allowed, reserved: [] });
      names.set(model.uid, { name, plural: name, attributes });
      continue;
    }
    const builtIn = BUILT_IN.get(model.uid);
    if (builtIn !== undefined) {
      names.set(model.uid, { name: builtIn, plural: `${builtIn}s`, attributes });
      continue;
    }
    const { singular, plural } = givenNames(model);
    const [type, wanted] = [typeName(singular), typeName(plural)];
    const isSingle = model.kind === 'singleType';
    // The route of a single type is its singular name, that of other types the plural one.
    const name = freeName(type, isSingle ? new Set([...singulars, ...plurals]) : singulars, '-');
    singulars.add(name);
    const route = freeName(wanted === name ? `${wanted}-list` : wanted, new Set([...plurals, name]), '-');
    plurals.add(route);
    if (isSingle) plurals.add(name);
    const what = isSingle ? 'The plural name' : 'The route';
    note(model, { what: 'The type', from: singular, to: name, allowed: type, reserved: RESERVED_TYPES });
    note(model, { what, from: plural, to: route, allowed: wanted, reserved: RESERVED_PLURALS });
    names.set(model.uid, { name, plural: route, attributes });
  }
  return { names, remarks };
}
