/** OpenAPI description of `/api/users…` and `/api/users-permissions/…` (protocol 19.15–19.21). */
import type { Caller } from '../../content/access/caller.js';
import type { Action } from '../../content/access/actions.js';
import { Permissions } from '../../content/access/permissions.js';
import { answerSchema } from '../../content/openapi/answers.js';
import type { Describe, Describing } from '../../content/openapi/describing.js';
import {
  anyOf,
  FLAG,
  json,
  type JsonSchema,
  list,
  NULL,
  open,
  type Operation,
  type Parameter,
  type Paths,
  TEXT,
} from '../../content/openapi/document.js';
import { errorAnswers, ON_DOCUMENT, statusesOf } from '../../content/openapi/error-answers.js';
import { NEEDS_NO_GRANT, needsGrant } from '../../content/openapi/operation-texts.js';
import { writeData } from '../../content/openapi/inputs.js';
import { type ParameterName, parametersOf } from '../../content/openapi/parameters.js';
import { rootView } from '../../content/openapi/view.js';
import type { ContentType } from '../../content/model/model.js';

const USER = 'user';
const ROLE = 'role';

/** Permissions that every signed-in user has on their own account. */
const OWN_ACCOUNT = Permissions.of({ [USER]: ['findOne'] });

interface AccountRow {
  readonly of: typeof USER | typeof ROLE;
  readonly handler: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: string;
  readonly summary: string;
  /** Required grant; null if the route needs none. */
  readonly action: Action | null;
  readonly parameters: readonly ParameterName[];
  readonly body: 'create' | 'update' | 'role' | null;
  readonly status: 200 | 201;
  readonly answer: (context: SchemaContext) => JsonSchema;
}

interface SchemaContext {
  readonly type: ContentType;
  readonly action: Action;
  readonly describing: Describing;
}

const userSchema = ({ type, action, describing }: SchemaContext): JsonSchema =>
  answerSchema(rootView(describing, type, action), describing);

const NUMBER: JsonSchema = { type: 'integer', minimum: 0 };
const TEXT_OR_NULL = anyOf(TEXT, NULL);

const ROLE_MEMBERS = {
  id: NUMBER,
  documentId: TEXT,
  name: TEXT,
  description: TEXT_OR_NULL,
  type: TEXT,
  createdAt: TEXT,
  updatedAt: TEXT,
  publishedAt: TEXT,
};

const needed = (members: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  open(members, Object.keys(members));
const mapOf = (value: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: value });

/** Condition of an action as JSON; null in a body removes it. */
const CONDITION = anyOf({ type: 'object' }, NULL);

/** Schema of {@link PermissionTree} (protocol 19.21). */
const TREE: JsonSchema = mapOf(
  needed({
    controllers: mapOf(
      mapOf(
        open({ enabled: FLAG, policy: TEXT, where: CONDITION, preset: CONDITION }, ['enabled', 'policy']),
      ),
    ),
  }),
);
const OK = (): JsonSchema => needed({ ok: { const: true } });

const READ: readonly ParameterName[] = [
  'fields',
  'populate',
  'filters',
  'locale',
  'fallbackLocale',
  'status',
];
const SHOWN: readonly ParameterName[] = ['fields', 'populate'];

const user = (
  path: string,
  handler: string,
  rest: Pick<AccountRow, 'summary' | 'action'> & Partial<AccountRow>,
): AccountRow => ({
  of: USER,
  path: `/users${path}`,
  handler,
  method: 'get',
  parameters: READ,
  body: null,
  status: 200,
  answer: userSchema,
  ...rest,
});

const role = (
  path: string,
  handler: string,
  rest: Pick<AccountRow, 'summary' | 'action'> & Partial<AccountRow>,
): AccountRow => ({
  of: ROLE,
  path: `/users-permissions/${path}`,
  handler,
  method: 'get',
  parameters: [],
  body: null,
  status: 200,
  answer: OK,
  ...rest,
});

const ROWS: readonly AccountRow[] = [
  user('', 'find', {
    action: 'find',
    summary: 'List users',
    parameters: [...READ, 'sort', 'start', 'limit', 'pagination', '_q'],
    answer: (context) => list(userSchema(context)),
  }),
  user('/count', 'count', {
    action: 'find',
    summary: 'Count users',
    parameters: ['filters', '_q'],
    answer: () => NUMBER,
  }),
  user('/me', 'me', { action: null, summary: 'Get the current user' }),
  user('/{id}', 'findOne', { action: 'findOne', summary: 'Get a user', parameters: ['id', ...READ] }),
  user('', 'create', {
    action: 'create',
    method: 'post',
    status: 201,
    body: 'create',
    parameters: SHOWN,
    summary: 'Create a user',
  }),
  user('/{id}', 'update', {
    action: 'update',
    method: 'put',
    body: 'update',
    parameters: ['id', ...SHOWN],
    summary: 'Update a user',
  }),
  user('/{id}', 'remove', {
    action: 'delete',
    method: 'delete',
    parameters: ['id', ...SHOWN],
    summary: 'Delete a user and return it',
  }),
  role('roles', 'find', {
    action: 'find',
    summary: 'List roles',
    answer: () => needed({ roles: list(needed({ ...ROLE_MEMBERS, nb_users: NUMBER })) }),
  }),
  role('roles/{id}', 'findOne', {
    action: 'findOne',
    parameters: ['id'],
    summary: 'Get a role with its permissions',
    answer: () => needed({ role: needed({ ...ROLE_MEMBERS, permissions: TREE }) }),
  }),
  role('roles', 'create', { action: 'create', method: 'post', body: 'role', summary: 'Create a role' }),
  role('roles/{id}', 'update', {
    action: 'update',
    method: 'put',
    body: 'role',
    parameters: ['id'],
    summary: 'Update a role',
  }),
  role('roles/{id}', 'remove', {
    action: 'delete',
    method: 'delete',
    parameters: ['id'],
    summary: 'Delete a role',
  }),
  role('permissions', 'permissions', {
    action: null,
    summary: 'List the permissions of the caller',
    answer: () => needed({ permissions: TREE }),
  }),
];

const BODIES: Readonly<Record<NonNullable<AccountRow['body']>, (context: SchemaContext) => JsonSchema>> = {
  create: ({ type, describing }) => writeData(type, 'create', describing),
  update: ({ type, describing }) => writeData(type, 'update', describing),
  role: () => ({
    ...open({ name: TEXT, description: TEXT_OR_NULL, type: TEXT, permissions: TREE }),
    minProperties: 1,
  }),
};

/**
 * Whether a caller can use the route. Users may always read their own account, and all callers their
 * permissions.
 */
function isFor({ of, action, handler }: AccountRow, { kind, permissions }: Caller): boolean {
  if (action !== null)
    return of === USER ? permissions.allows(of, action) : permissions.allowsWhole(of, action);
  return handler !== 'me' || kind === 'user' || kind === 'system';
}

/** Adds the permission of users to read their own account, which needs no grant. */
function callerAt({ handler }: AccountRow, caller: Caller): Caller {
  return handler === 'me' ? { ...caller, permissions: caller.permissions.plus(OWN_ACCOUNT) } : caller;
}

function operationOf(one: AccountRow, context: SchemaContext): Operation {
  const { type, action, describing } = context;
  const view = rootView(describing, type, action);
  const parameters = parametersOf(one.parameters, { type, view, describing }) as Parameter[];
  // The application's own strategies may have users that are not stored.
  const onOne = one.parameters.includes('id') || one.handler === 'me' ? ON_DOCUMENT : [];
  return {
    operationId: `${one.of === USER ? 'Users' : 'Roles'}_${one.handler}`,
    tags: [one.of === USER ? 'users' : 'users-permissions'],
    summary: one.summary,
    description: one.action === null ? NEEDS_NO_GRANT : needsGrant(one.action, one.of),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(one.body === null
      ? {}
      : { requestBody: { required: true, content: json(BODIES[one.body](context)) } }),
    responses: {
      [one.status]: { description: 'Success.', content: json(one.answer(context)) },
      ...errorAnswers(statusesOf(one.method, onOne), describing.components),
    },
  };
}

/** Describes the routes of users and roles that a caller can use. Their responses have one format. */
export const userPaths: Describe = (base) => {
  const type = base.schema.types.get(USER);
  const paths: Record<string, Record<string, Operation>> = {};
  if (type === undefined) return paths satisfies Paths;
  for (const one of ROWS) {
    if (!isFor(one, base.caller)) continue;
    const describing: Describing = { ...base, format: 'flat', caller: callerAt(one, base.caller) };
    const context = { type, action: one.action ?? 'findOne', describing };
    (paths[`${base.base}${one.path}`] ??= {})[one.method] = operationOf(one, context);
  }
  return paths satisfies Paths;
};
