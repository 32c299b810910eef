/** Callers of the access table: every source of grants, and grants of every width. */
import {
  type AuthStrategy,
  type Credentials,
  type Grants,
  type Identity,
  type PermissionsSource,
} from 'nestjs-content-api';
import { namedTokens } from '../support/named-tokens.ts';
import { USER } from './model.ts';
import type { Asker } from './rule.ts';

const READ = ['find', 'findOne'] as const;

/** Requests without credentials. */
const PUBLIC: Grants = {
  book: READ,
  author: ['find'],
  tag: ['find', { actions: ['findOne'], fields: ['name'] }],
  home: ['find'],
};

/** Roles that the configuration defines. */
const ROLES = {
  editor: { book: '*', author: '*', tag: '*', home: '*', note: READ, file: ['findOne'] },
  clerk: {
    author: [
      { actions: ['find'], fields: ['name'] },
      { actions: ['update'], fields: ['bio'] },
    ],
  },
  diarist: {
    note: ['create', { actions: ['find', 'findOne', 'update', 'delete', 'readDrafts'], own: true }],
    tag: ['find'],
    book: ['find'],
  },
  peer: {
    note: [
      { actions: ['find'], fields: ['text', 'book'] },
      { actions: ['findOne', 'update'], fields: ['text', 'extra', 'photo'], own: true },
      { actions: ['find', 'create', 'readDrafts'], own: true },
      'delete',
    ],
    tag: ['find', 'readDrafts'],
  },
  /** May update the notes of all users and read its own ones. */
  meddler: {
    note: [
      { actions: ['update'], fields: ['text'] },
      { actions: ['find', 'findOne', 'create'], own: true },
    ],
    book: [{ actions: ['findOne'], fields: ['title', 'tags'] }],
    tag: ['find'],
  },
  binder: {
    book: ['readDrafts', { actions: ['find', 'update'], fields: ['box', 'cores'] }],
    home: [{ actions: '*', fields: ['box'] }],
  },
} satisfies Record<string, Grants>;

/** Roles of a role source: a new role, and more grants for a role of the configuration. */
const SOURCED = {
  keeper: {
    vault: [{ actions: READ, fields: ['books'] }],
    book: ['readDrafts', ...READ],
    tag: [{ actions: ['find'], fields: ['color'] }],
  },
  clerk: {
    author: [{ actions: ['find', 'create'], fields: ['bio', 'books'] }],
    book: [
      { actions: ['find'], fields: ['title'] },
      { actions: ['findOne'], fields: ['tags'] },
    ],
    tag: READ,
  },
} satisfies Record<string, Grants>;

/** API tokens with separate grants. */
const TOKENS = {
  everything: { '*': '*' },
  reader: { '*': READ },
  halfDrafts: { book: [...READ, 'readDrafts'], tag: READ, author: READ, home: READ },
  starAndNarrow: {
    '*': ['find'],
    book: [
      { actions: [...READ, 'create'], fields: ['title', 'author'] },
      { actions: ['update'], fields: ['summary', 'vault', 'secret'] },
    ],
  },
  narrow: {
    book: [
      { actions: READ, fields: ['title', 'author'] },
      { actions: ['create', 'update'], fields: ['title'] },
    ],
    author: [{ actions: ['find'], fields: ['name', 'books', 'card'] }],
    tag: ['find'],
  },
  parts: {
    book: [
      'readDrafts',
      'delete',
      { actions: ['find'], fields: ['box', 'zone', 'cover', 'tags', 'cores'] },
      { actions: ['findOne'], fields: ['title', 'summary', 'vault'] },
      { actions: ['update'], fields: ['box', 'author', 'tags', 'scans', 'zone'] },
    ],
    author: ['findOne', 'create', 'update'],
    tag: [
      'readDrafts',
      { actions: ['find'], fields: ['color', 'books'] },
      { actions: ['create'], fields: [] },
    ],
    home: [
      { actions: ['find'], fields: ['favourite'] },
      { actions: ['update'], fields: ['motto', 'box'] },
    ],
  },
  writer: {
    book: ['create', 'update', 'delete'],
    author: ['create', 'update', { actions: ['find'], fields: ['bio', 'photo'] }],
    tag: ['create', 'delete'],
    home: ['update', 'delete'],
  },
  oneOnly: {
    author: ['findOne'],
    tag: [{ actions: ['findOne'], fields: ['name', 'books'] }],
    vault: [{ actions: ['findOne'], fields: [] }],
    home: ['readDrafts'],
  },
  owner: {
    note: [
      { actions: '*', own: true },
      { actions: ['update'], fields: ['text', 'writer'] },
      { actions: ['create'], fields: ['text'] },
    ],
    book: [{ actions: ['update'], fields: ['title'] }],
    tag: READ,
  },
  star: {
    '*': [{ actions: ['find', 'update'], fields: ['title', 'name', 'author', 'books', 'note'] }],
    tag: [{ actions: ['find'], fields: ['color'] }],
  },
  nobody: {},
} satisfies Record<string, Grants>;

interface Asking {
  readonly headers: Readonly<Record<string, string>>;
  readonly asker: Asker;
}

const role = (names: string, ...grants: readonly Grants[]): Asking => ({
  headers: { 'x-roles': names },
  asker: { grants, user: true },
});

export const CALLERS: Readonly<Record<string, Asking>> = {
  public: { headers: {}, asker: { grants: [PUBLIC], user: false } },
  'role editor': role('editor', ROLES.editor),
  'role keeper of a source': role('keeper', SOURCED.keeper),
  'role clerk in code and in a source': role('clerk', ROLES.clerk, SOURCED.clerk),
  'role diarist': role('diarist', ROLES.diarist),
  'role peer': role('peer', ROLES.peer),
  'role meddler': role('meddler', ROLES.meddler),
  'roles clerk and binder': role('clerk,binder', ROLES.clerk, SOURCED.clerk, ROLES.binder),
  'a role that does not exist': role('ghost'),
  ...Object.fromEntries(
    Object.entries(TOKENS).map(([name, grants]): [string, Asking] => [
      `token ${name}`,
      { headers: { authorization: `Bearer ${name}` }, asker: { grants: [grants], user: false } },
    ]),
  ),
};

/** Trusts a header that contains role names. */
class RoleHeader implements AuthStrategy {
  readonly name = 'role-header';
  authenticate({ headers }: Credentials): Identity | null {
    const roles = headers['x-roles'];
    return typeof roles === 'string' ? { kind: 'user', id: USER, roles: roles.split(',') } : null;
  }
}

const source: PermissionsSource = { load: async () => SOURCED };

export const strategies: readonly AuthStrategy[] = [new RoleHeader(), namedTokens(TOKENS)];

export const access = { access: { public: PUBLIC, roles: ROLES, source }, auth: { strategies } };
