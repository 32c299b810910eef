/** OpenAPI description of `/api/auth/…` (protocol 19.1–19.13), with one row per route. */
import type { Caller } from '../../content/access/caller.js';
import { ERRORS } from '../../kernel/errors.js';
import type { Describe, Describing } from '../../content/openapi/describing.js';
import {
  closedObject,
  FLAG,
  json,
  type JsonSchema,
  list,
  open,
  type Operation,
  TEXT,
  TIME,
} from '../../content/openapi/document.js';
import { ALWAYS, errorAnswers, ON_BODY } from '../../content/openapi/error-answers.js';
import type { ResolvedUsersOptions } from './users.options.js';

const EMAIL: JsonSchema = { type: 'string', format: 'email' };
const PASSWORD: JsonSchema = { type: 'string', format: 'password' };

type Fields = Readonly<Record<string, JsonSchema>>;

interface AuthRow {
  readonly handler: string;
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly summary: string;
  readonly body: Fields | null;
  readonly answer: keyof typeof ANSWERS;
  readonly isFor: (options: ResolvedUsersOptions, caller: Caller) => boolean;
  readonly limited: boolean;
}

const USER = {
  ...open(
    {
      id: { type: 'integer' },
      documentId: TEXT,
      username: TEXT,
      email: TEXT,
      confirmed: FLAG,
      blocked: FLAG,
    },
    ['id', 'documentId', 'username', 'email'],
  ),
  additionalProperties: true,
};

const issued = ({ refresh }: ResolvedUsersOptions): Fields =>
  refresh === null ? { jwt: TEXT } : { jwt: TEXT, refreshToken: TEXT };

const needed = (fields: Fields): JsonSchema => open(fields, Object.keys(fields));

const ANSWERS = {
  signedIn: (options: ResolvedUsersOptions) => needed({ ...issued(options), user: USER }),
  registered: (options: ResolvedUsersOptions) =>
    needed({ ...(options.register.confirm ? {} : issued(options)), user: USER }),
  issued: (options: ResolvedUsersOptions) => needed(issued(options)),
  ok: () => needed({ ok: { const: true } }),
  sent: () => needed({ email: EMAIL, sent: { const: true } }),
  sessions: () =>
    needed({ data: list(needed({ id: TEXT, createdAt: TIME, expiresAt: TIME, current: FLAG })) }),
  redirect: null,
};

const everyCaller: AuthRow['isFor'] = () => true;
const isUser: AuthRow['isFor'] = (_options, { kind }) => kind === 'user' || kind === 'system';
const hasSessions: AuthRow['isFor'] = ({ refresh }) => refresh !== null;
const both =
  (...all: readonly AuthRow['isFor'][]): AuthRow['isFor'] =>
  (options, caller) =>
    all.every((one) => one(options, caller));

const row = (
  path: string,
  handler: string,
  rest: Pick<AuthRow, 'summary' | 'answer'> & Partial<AuthRow>,
): AuthRow => ({ path, handler, method: 'post', body: null, isFor: everyCaller, limited: true, ...rest });

const REGISTER: Fields = { username: TEXT, email: EMAIL, password: PASSWORD };
const AGAIN: Fields = { password: PASSWORD, passwordConfirmation: PASSWORD };

const ROWS: readonly AuthRow[] = [
  row('local', 'local', {
    summary: 'Sign in',
    body: { identifier: TEXT, password: PASSWORD },
    answer: 'signedIn',
    isFor: ({ local }) => local,
  }),
  row('local/register', 'register', {
    summary: 'Register',
    body: REGISTER,
    answer: 'registered',
    isFor: ({ local, register }) => local && register.enabled,
  }),
  row('forgot-password', 'forgotPassword', {
    summary: 'Send a password reset code by e-mail',
    body: { email: EMAIL },
    answer: 'ok',
  }),
  row('reset-password', 'resetPassword', {
    summary: 'Reset the password with a code',
    body: { code: TEXT, ...AGAIN },
    answer: 'signedIn',
    isFor: ({ local }) => local,
  }),
  row('change-password', 'changePassword', {
    summary: 'Change your password',
    body: { currentPassword: PASSWORD, ...AGAIN },
    answer: 'signedIn',
    isFor: isUser,
  }),
  row('email-confirmation', 'confirm', {
    summary: 'Confirm an e-mail address and redirect',
    method: 'get',
    answer: 'redirect',
  }),
  row('send-email-confirmation', 'sendConfirmation', {
    summary: 'Send an e-mail confirmation',
    body: { email: EMAIL },
    answer: 'sent',
  }),
  row('refresh', 'refresh', {
    summary: 'Refresh the access token',
    body: { refreshToken: TEXT },
    answer: 'issued',
    isFor: hasSessions,
  }),
  row('logout', 'logout', {
    summary: 'Sign out',
    answer: 'ok',
    isFor: both(hasSessions, isUser),
    limited: false,
  }),
  row('sessions', 'list', {
    summary: 'List your sessions',
    method: 'get',
    answer: 'sessions',
    isFor: both(hasSessions, isUser),
    limited: false,
  }),
];

const CONFIRMATION = {
  name: 'confirmation',
  in: 'query',
  required: true,
  description: 'Confirmation code from the e-mail.',
  schema: TEXT,
} as const;

const bodyOf = ({ path, body }: AuthRow, { register }: ResolvedUsersOptions): JsonSchema => {
  const fields = body ?? {};
  const more = path === 'local/register' ? register.fields : [];
  const extra = Object.fromEntries(more.map((name) => [name, {}]));
  return path === 'local/register'
    ? closedObject({ ...extra, ...fields }, Object.keys(fields))
    : needed(fields);
};

function operationOf(one: AuthRow, options: ResolvedUsersOptions, { components }: Describing): Operation {
  const schema = ANSWERS[one.answer]?.(options);
  const errors = [...ALWAYS, ...ON_BODY, ...(one.limited ? [ERRORS.RateLimitError] : [])];
  const success: Operation['responses'] =
    schema === undefined
      ? { 302: { description: 'Redirect to the configured page.' } }
      : { 200: { description: 'Success.', content: json(schema) } };
  return {
    operationId: `Auth_${one.handler}`,
    tags: ['auth'],
    summary: one.summary,
    description: one.limited
      ? 'Needs no grant. The number of requests is limited for each address.'
      : 'Needs the token of a user.',
    ...(schema === undefined ? { parameters: [CONFIRMATION] } : {}),
    ...(one.body === null ? {} : { requestBody: { required: true, content: json(bodyOf(one, options)) } }),
    responses: { ...success, ...errorAnswers(errors, components) },
  };
}

export const authPaths =
  (options: ResolvedUsersOptions): Describe =>
  (describing) =>
    Object.fromEntries(
      ROWS.filter((one) => one.isFor(options, describing.caller)).map((one) => [
        `${describing.base}/auth/${one.path}`,
        { [one.method]: operationOf(one, options, describing) },
      ]),
    );
