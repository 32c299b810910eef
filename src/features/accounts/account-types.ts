/**
 * Content types of users, roles and API tokens. They have no content routes; the host lists them in its
 * `contentTypes`.
 */
import { ContentModelError } from '../../content/model/content-model-error.js';
import { defineCollectionType } from '../../content/model/define.js';
import type { AttributeDefinitions } from '../../content/model/definitions.js';

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
    name: { type: 'string', required: true, unique: true },
    description: { type: 'text' },
    kind: { type: 'enumeration', enum: ['read-only', 'full-access', 'custom'], required: true },
    grants: { type: 'json' },
    lifespan: { type: 'integer', min: 1 },
    expiresAt: { type: 'datetime' },
    lastUsedAt: { type: 'datetime', writable: false },
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
    name: { type: 'string', required: true },
    description: { type: 'text' },
    type: { type: 'string', required: true, unique: true },
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
  username: { type: 'string', required: true, unique: true, minLength: 3 },
  email: { type: 'email', required: true, unique: true, minLength: 6 },
  provider: { type: 'string', default: 'local' },
  password: { type: 'password', minLength: 6 },
  confirmed: { type: 'boolean', default: false },
  blocked: { type: 'boolean', default: false },
  role: { type: 'relation', relation: 'manyToOne', target: 'role', inversedBy: 'users' },
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
