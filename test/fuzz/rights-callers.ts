/** Callers of the fuzzer of rights: roles whose actions have up to two conditions. */
import type { Credentials, Grants, Identity, WhereOf } from 'nestjs-content-api';
import { CONDITIONS, TYPES, type Version } from './rights-model.ts';

export type Action = 'create' | 'update' | 'delete' | 'publish';

const READ = ['find', 'findOne', 'readDrafts'] as const;
const WRITES: readonly Action[] = ['create', 'update', 'delete', 'publish'];

/** Write actions of roles: with the first condition, with the second one, and on all documents. */
interface Role {
  readonly reads: 'all' | 'covered';
  readonly first: readonly Action[];
  readonly second: readonly Action[];
  readonly all: readonly Action[];
  /** Attributes of the actions with the first condition. */
  readonly fields?: readonly string[];
  /** Whether it may approve stories. */
  readonly moves?: boolean;
}

/** Tenant of all callers. */
export const TENANT = 'one';

export const ROLES: Readonly<Record<string, Role>> = {
  chief: { reads: 'all', first: [], second: [], all: WRITES, moves: true },
  member: { reads: 'covered', first: WRITES, second: [], all: [] },
  writer: { reads: 'all', first: WRITES, second: [], all: [], moves: true },
  updater: { reads: 'all', first: ['update'], second: [], all: [] },
  publisher: { reads: 'all', first: ['publish'], second: [], all: [] },
  editor: { reads: 'all', first: ['publish'], second: [], all: ['create', 'update', 'delete'] },
  drafter: { reads: 'all', first: ['create', 'update'], second: [], all: ['publish'], moves: true },
  either: { reads: 'all', first: WRITES, second: WRITES, all: [] },
  titler: { reads: 'all', first: ['update'], second: [], all: [], fields: ['title', 'tags'] },
  parts: { reads: 'all', first: ['update', 'delete'], second: ['publish', 'create'], all: [] },
};

const whereOf =
  (which: 'first' | 'second'): WhereOf =>
  ({ attributes }) =>
    CONDITIONS[Number(attributes?.[which])]?.where ?? false;

export function grantsOf({ reads, first, second, all, fields, moves }: Role): Grants {
  const grants = [
    ...(reads === 'all' ? READ : [{ actions: [...READ], where: whereOf('first') }]),
    ...all,
    ...(first.length > 0
      ? [
          {
            actions: [...first],
            where: whereOf('first'),
            ...(fields === undefined ? {} : { fields: [...fields] }),
          },
        ]
      : []),
    ...(second.length > 0 ? [{ actions: [...second], where: whereOf('second') }] : []),
  ];
  const types = Object.fromEntries(TYPES.map((type) => [type, grants]));
  const story = moves === true ? [...grants, 'move' as const] : grants;
  return {
    ...types,
    story,
    tag: '*',
    team: [...READ.slice(0, 2)],
    seal: [...READ.slice(0, 2)],
    releases: ['open'],
  };
}

/** Role of a caller, and the numbers of its conditions. */
export interface Caller {
  readonly role: string;
  readonly first: number;
  readonly second: number;
}

/** `X-Who: writer 0 3` is a writer with the first and the fourth condition. */
export const byHeader = {
  name: 'by-header',
  authenticate({ headers }: Credentials): Identity | null {
    const [role = '', first, second] = String(headers['x-who'] ?? '').split(' ');
    const attributes = { first, second, org: TENANT };
    return role === '' ? null : { kind: 'user', id: 'ann', roles: [role], attributes };
  },
};

/** Whether a grant of the action covers a version. */
export function covers({ role, first, second }: Caller, action: Action, version: Version): boolean {
  const granted = version.type === 'memo' && version.org !== TENANT ? undefined : ROLES[role];
  const meets = (condition: number): boolean => CONDITIONS[condition]?.meets(version) === true;
  return (
    granted !== undefined &&
    (granted.all.includes(action) ||
      (granted.first.includes(action) && meets(first)) ||
      (granted.second.includes(action) && meets(second)))
  );
}
