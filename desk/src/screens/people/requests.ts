/** Requests of the people screens. Lists have a key of `MANAGED`, and are read again after each change. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unlessGone } from '../../api/errors.ts';
import { type Ask, request } from '../../api/http.ts';
import { readUpTo } from '../../api/read-rows.ts';
import { MANAGED } from '../../parts/changes.ts';
import { settings } from '../../settings.ts';
import type { Grants, Tree } from './grants.ts';

export interface Role {
  readonly id: number;
  readonly documentId: string;
  readonly name: string;
  readonly description: string | null;
  readonly type: string;
}

/** Role with its grants, of the code and of the database. */
export interface FullRole extends Role {
  readonly users: number;
  readonly inCode: Grants;
  readonly stored: Grants;
  readonly editable: boolean;
}

export interface User {
  readonly documentId: string;
  readonly username?: string;
  readonly email?: string;
  readonly blocked?: boolean | null;
  readonly confirmed?: boolean | null;
  readonly role?: Role | null;
}

export interface Token {
  readonly documentId: string;
  readonly name: string;
  readonly description: string | null;
  readonly kind: 'read-only' | 'full-access' | 'custom';
  readonly grants: Grants | null;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

export interface OwnSession {
  readonly id: string;
  readonly createdAt: string;
  readonly usedAt: string | null;
  readonly current: boolean;
}

interface Invitation {
  readonly code: string;
  readonly link: string | null;
}

export const USERS_PER_PAGE = 25;

export const nameOf = ({ username, email, documentId }: User): string => username ?? email ?? documentId;

const api = async <T>(path: string, ask: Ask = {}): Promise<T> =>
  (await request<T>(`${settings.api}${path}`, ask)).body;
const desk = async <T>(path: string, ask: Ask = {}): Promise<T> =>
  (await request<{ readonly data: T } | null>(`${settings.base}${path}`, ask)).body?.data as T;

interface UsersOptions {
  readonly withRole: boolean;
  readonly isAllowed?: boolean;
}

export const useUsers = (search: string, page: number, { withRole, isAllowed = true }: UsersOptions) =>
  useQuery({
    queryKey: [MANAGED, 'users', search, page, withRole],
    enabled: isAllowed,
    queryFn: async ({ signal }) => {
      const narrowed = search === '' ? {} : { _q: search };
      const query = { ...narrowed, sort: 'username', ...(withRole ? { populate: 'role' } : {}) };
      const first = (page - 1) * USERS_PER_PAGE;
      const read = (start: number, limit: number): Promise<readonly User[]> =>
        api('/users', { query: { ...query, start, limit }, signal });
      const [users, total] = await Promise.all([
        read(first, USERS_PER_PAGE),
        api<number>('/users/count', { query: narrowed, signal }),
      ]);
      const size = Math.min(USERS_PER_PAGE, total - first);
      // The server may return fewer users: an application sets its own limit.
      return { users: await readUpTo(size, (at) => read(first + at, size - at), users), total };
    },
    placeholderData: keepPreviousData,
  });

/** Names of the roles, for callers who may give them. */
export const useRoleNames = (isAllowed: boolean) =>
  useQuery({
    queryKey: [MANAGED, 'role names'],
    queryFn: async () => (await api<{ roles: readonly Role[] }>('/users-permissions/roles')).roles,
    enabled: isAllowed,
  });

export const useRoles = (isAllowed = true) =>
  useQuery({
    queryKey: [MANAGED, 'roles'],
    queryFn: () => desk<readonly FullRole[]>('/roles'),
    enabled: isAllowed,
  });

export const useTree = (documentId: string, isAllowed: boolean) =>
  useQuery({
    queryKey: [MANAGED, 'tree', documentId],
    queryFn: async () =>
      (await api<{ role: { permissions: Tree } }>(`/users-permissions/roles/${documentId}`)).role.permissions,
    enabled: isAllowed,
  });

export const useTokens = (isAllowed = true) =>
  useQuery({
    queryKey: [MANAGED, 'tokens'],
    enabled: isAllowed,
    queryFn: async () => (await api<{ data: readonly Token[] }>('/api-tokens')).data,
  });

export const useOwnSessions = () =>
  useQuery({
    queryKey: [MANAGED, 'sessions'],
    queryFn: () => desk<readonly OwnSession[]>('/account/sessions'),
  });

export const createUser = (body: object): Promise<User> => api<User>('/users', { method: 'POST', body });
export const changeUser = (documentId: string, body: object): Promise<unknown> =>
  api(`/users/${documentId}`, { method: 'PUT', body });
export const deleteUser = (documentId: string): Promise<unknown> =>
  api(`/users/${documentId}`, { method: 'DELETE' });
export const endSessionsOf = (documentId: string): Promise<unknown> =>
  desk(`/users/${documentId}/sessions`, { method: 'DELETE' });

/** Returns a new invitation link. The page's own address is used unless the application names another. */
export async function inviteUser(documentId: string): Promise<string> {
  const { code, link } = await desk<Invitation>(`/users/${documentId}/invitation`, { method: 'POST' });
  return link ?? `${location.origin}${settings.base}/invitation#${code}`;
}

export const createRole = (body: object): Promise<unknown> =>
  api('/users-permissions/roles', { method: 'POST', body });
export const changeRole = (documentId: string, body: object): Promise<unknown> =>
  api(`/users-permissions/roles/${documentId}`, { method: 'PUT', body });
export const deleteRole = (documentId: string): Promise<unknown> =>
  api(`/users-permissions/roles/${documentId}`, { method: 'DELETE' });

type WithSecret = { readonly data: { readonly token: string } };

export const createToken = async (data: object): Promise<string> =>
  (await api<WithSecret>('/api-tokens', { method: 'POST', body: { data } })).data.token;
export const rotateToken = async (documentId: string): Promise<string> =>
  (await api<WithSecret>(`/api-tokens/${documentId}/rotate`, { method: 'POST' })).data.token;
export const deleteToken = (documentId: string): Promise<unknown> =>
  api(`/api-tokens/${documentId}`, { method: 'DELETE' });

export const endOwnSession = (id: string): Promise<unknown> =>
  unlessGone(desk(`/account/sessions/${id}`, { method: 'DELETE' }));
