/**
 * Content types of users, roles and API tokens. They have no content routes; the host lists them in its
 * `contentTypes`.
 */
import { ContentModelError } from '../../content/model/content-model-error.js';
import { called } from '../../content/model/desk-label.js';
import { defineCollectionType } from '../../content/model/define.js';
import type { AttributeDefinitions } from '../../content/model/definitions.js';

const NAME = called('Name', 'Name');
const DESCRIPTION = called('Description', 'Beschreibung');

/**
 * Content type of API tokens. List it in `contentTypes`, and `ApiTokensModule` in the imports.
 *
 * @publicApi
 */
export const apiTokenType = defineCollectionType({
  singularApiId: 'api-token',
  pluralApiId: 'api-tokens',
  tableName: 'content_api_tokens',
  routes: false,
  archived: false,
  events: false,
  attributes: {
    name: { type: 'string', required: true, unique: true, ...NAME },
    description: { type: 'text', ...DESCRIPTION },
    kind: {
      type: 'enumeration',
      enum: ['read-only', 'full-access', 'custom'],
      required: true,
      ...called('Kind', 'Art'),
    },
    grants: { type: 'json', ...called('Grants', 'Rechte') },
    lifespan: { type: 'integer', min: 1, ...called('Lifespan', 'Laufzeit') },
    expiresAt: { type: 'datetime', ...called('Expires', 'Läuft ab') },
    lastUsedAt: { type: 'datetime', writable: false, ...called('Last used', 'Zuletzt benutzt') },
    lookup: { type: 'string', required: true, unique: true, private: true },
    hash: { type: 'string', required: true, private: true },
  },
});

const ROLE = defineCollectionType({
  singularApiId: 'role',
  pluralApiId: 'roles',
  tableName: 'content_roles',
  routes: false,
  events: false,
  attributes: {
    name: { type: 'string', required: true, ...NAME },
    description: { type: 'text', ...DESCRIPTION },
    type: { type: 'string', required: true, unique: true, ...called('Type', 'Typ') },
    grants: { type: 'json', private: true },
    users: {
      type: 'relation',
      relation: 'oneToMany',
      target: 'user',
      mappedBy: 'role',
      private: true,
      writable: false,
      // Strapi clients request this relation and accept a response without it (19.19).
      leftOut: true,
    },
  },
});

/** Values that would let a reader sign in as the user. */
const CREDENTIAL = { private: true, writable: false, archived: false } as const;

export const USER_ATTRIBUTES = {
  username: {
    type: 'string',
    required: true,
    unique: true,
    minLength: 3,
    ...called('User name', 'Benutzername'),
  },
  email: { type: 'email', required: true, unique: true, minLength: 6, ...called('E-mail', 'E-Mail') },
  provider: { type: 'string', default: 'local', ...called('Sign-in service', 'Anmeldedienst') },
  password: { type: 'password', minLength: 6, ...called('Password', 'Passwort') },
  confirmed: { type: 'boolean', default: false, ...called('Confirmed', 'Bestätigt') },
  blocked: { type: 'boolean', default: false, ...called('Blocked', 'Gesperrt') },
  role: {
    type: 'relation',
    relation: 'manyToOne',
    target: 'role',
    inversedBy: 'users',
    ...called('Role', 'Rolle'),
  },
  tokenVersion: { type: 'integer', default: 0, private: true, writable: false },
  sessions: { type: 'json', ...CREDENTIAL },
  resetPasswordToken: { type: 'string', ...CREDENTIAL, index: true },
  resetPasswordExpires: { type: 'datetime', ...CREDENTIAL },
  confirmationToken: { type: 'string', ...CREDENTIAL, index: true },
  /** User name in the form that comparisons use. */
  nameKey: { type: 'string', unique: true, private: true, writable: false },
} as const satisfies AttributeDefinitions;

type UserAttributes = typeof USER_ATTRIBUTES;

type UserTypes<A extends AttributeDefinitions> = readonly [
  {
    readonly singularApiId: 'user';
    readonly pluralApiId: 'users';
    readonly kind: 'collectionType';
    readonly routes: false;
    readonly events: false;
    readonly tableName: 'content_users';
    readonly attributes: UserAttributes & A;
  },
  typeof ROLE,
];

/**
 * Content types of users and roles. List them in `contentTypes`, and `UsersModule` in the imports. Content
 * types may relate to `user`; `attributes` adds attributes to it. Throws a ContentModelError for an attribute
 * that is built in.
 *
 * @example contentTypes: [article, ...userTypes({ nickname: { type: 'string' } })]
 *
 * @publicApi
 */
export function userTypes<const A extends AttributeDefinitions = Record<never, never>>(
  attributes?: A,
): UserTypes<A> {
  const reserved = Object.keys(attributes ?? {}).filter((key) => Object.hasOwn(USER_ATTRIBUTES, key));
  if (reserved.length > 0)
    throw new ContentModelError(
      reserved.map((key) => `user.${key}: the attribute is built in, choose another name`),
    );
  return [USER_TYPE(attributes), ROLE];
}

const USER_TYPE = <A extends AttributeDefinitions>(attributes: A | undefined): UserTypes<A>[0] =>
  Object.freeze({
    kind: 'collectionType' as const,
    singularApiId: 'user' as const,
    pluralApiId: 'users' as const,
    tableName: 'content_users' as const,
    routes: false as const,
    events: false as const,
    attributes: { ...USER_ATTRIBUTES, ...(attributes as A) },
  });
