/** Requests of the history of a document, and of the trash. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { request } from '../../api/http.ts';
import { partsOf, readRows, readUpTo } from '../../api/read-rows.ts';
import type { Json } from '../../form/values.ts';
import type { Type } from '../../model/model.ts';
import { MANAGED } from '../../parts/changes.ts';
import { settings } from '../../settings.ts';
import { useModel } from '../app.tsx';

export interface Writer {
  readonly kind: string;
  readonly id: string | null;
}

export interface Version {
  readonly id: string;
  /** Null for types without languages. */
  readonly locale: string | null;
  readonly status: 'draft' | 'published';
  readonly action: string;
  /** First write of the version. */
  readonly since: string;
  /** Last write of the version. */
  readonly at: string;
  readonly by: Writer;
}

export interface FullVersion extends Version {
  /** Null if the write deleted the document. */
  readonly content: Json | null;
}

export interface Deleted {
  readonly documentId: string;
  readonly deletedAt: string;
  readonly deletedBy: Writer;
  readonly locales: readonly string[] | null;
  readonly title: unknown;
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly meta: {
    readonly pagination: { readonly page: number; readonly pageCount: number; readonly total: number };
  };
}

/** Document whose versions are shown. */
export interface Subject {
  readonly type: Type;
  /** Null for single types. */
  readonly documentId: string | null;
}

const PAGE_SIZE = 25;
/** Stored versions do not change. */
const FOREVER = { staleTime: Infinity };

const pathOf = ({ type, documentId }: Subject): string =>
  `${settings.api}/${type.route}${documentId === null ? '' : `/${documentId}`}/versions`;

const keyOf = ({ type, documentId }: Subject): readonly unknown[] => ['history', type.name, documentId];

/** Versions of a document, newest first; `locale` null for those of all languages. */
export const useVersions = (subject: Subject, locale: string | null) =>
  useInfiniteQuery({
    queryKey: [...keyOf(subject), 'versions', locale],
    queryFn: async ({ pageParam: page, signal }) => {
      const query = { ...(locale === null ? {} : { locale }), pagination: { page, pageSize: PAGE_SIZE } };
      return (await request<Page<Version>>(pathOf(subject), { query, signal })).body;
    },
    initialPageParam: 1,
    getNextPageParam: ({ meta: { pagination } }) =>
      pagination.page < pagination.pageCount ? pagination.page + 1 : undefined,
  });

export const useVersion = (subject: Subject, id: string | null) =>
  useQuery({
    queryKey: [...keyOf(subject), 'version', id],
    queryFn: async ({ signal }) =>
      (await request<{ data: FullVersion }>(`${pathOf(subject)}/${id}`, { signal })).body.data,
    enabled: id !== null,
    ...FOREVER,
  });

interface Compared {
  /** Id of the earlier version; null for none. */
  readonly from: string | null;
  /** Names of the attributes that differ. */
  readonly names: readonly string[];
}

export const useChangesOf = (subject: Subject, id: string, other: string | null) =>
  useQuery({
    queryKey: [...keyOf(subject), 'changes', id, other],
    queryFn: async ({ signal }): Promise<Compared> => {
      const query = other === null ? {} : { with: other };
      const { data, meta } = (
        await request<{ data: readonly { attribute: string }[]; meta: { from: string | null } }>(
          `${pathOf(subject)}/${id}/changes`,
          { query, signal },
        )
      ).body;
      return { from: meta.from, names: data.map(({ attribute }) => attribute) };
    },
    ...FOREVER,
  });

/** Sends a restoration. Returns the names of values that it has left out. */
async function restoring(path: string): Promise<readonly string[]> {
  const { body } = await request<{ meta: { leftOut?: readonly string[] } }>(`${path}/actions/restore`, {
    method: 'POST',
    key: crypto.randomUUID(),
  });
  return body.meta.leftOut ?? [];
}

/** Restores a version to the draft. Returns the names of values that it has not restored. */
export const restoreVersion = (subject: Subject, id: string): Promise<readonly string[]> =>
  restoring(`${pathOf(subject)}/${id}`);

export const useTrash = ({ name, route }: Type, page: number) =>
  useQuery({
    queryKey: ['trash', name, page],
    queryFn: async ({ signal }) => {
      const query = { pagination: { page, pageSize: PAGE_SIZE } };
      return (await request<Page<Deleted>>(`${settings.api}/${route}/trash`, { query, signal })).body;
    },
  });

/** Deleted documents out of at most a page of ids. */
export const readDeleted = ({ route }: Type, documentId: readonly string[]): Promise<readonly Deleted[]> =>
  readRows<Deleted>(`${settings.api}/${route}/trash`, { documentId }, { end: documentId.length });

/** Restores a deleted document. Returns the names of values that it has not restored. */
export const restoreDocument = ({ route }: Type, documentId: string): Promise<readonly string[]> =>
  restoring(`${settings.api}/${route}/${documentId}`);

type Named = Readonly<Record<string, string>>;

interface NamedUser {
  readonly documentId: string;
  readonly username?: string;
}

/** Reads users out of at most a page of ids. */
const readUsers = (ids: readonly string[], signal?: AbortSignal): Promise<readonly NamedUser[]> =>
  readUpTo(ids.length, async (start) => {
    const query = { filters: { documentId: { $in: ids } }, start, limit: ids.length };
    const ask = { query, ...(signal === undefined ? {} : { signal }) };
    return (await request<readonly NamedUser[]>(`${settings.api}/users`, ask)).body;
  });

/** Reads the names of users. */
export async function readNames(ids: readonly string[], signal?: AbortSignal): Promise<Named> {
  const names: Record<string, string> = {};
  for (const part of partsOf(ids))
    for (const { documentId, username } of await readUsers(part, signal))
      if (username !== undefined) names[documentId] = username;
  return names;
}

/** Ids of the users among the writers. */
export const usersIn = (writers: readonly Writer[]): readonly string[] => [
  ...new Set(writers.flatMap(({ kind, id }) => (kind === 'user' && id !== null ? [id] : []))),
];

/** Names of the users among the writers, for callers who may find users. */
export function useNames(writers: readonly Writer[]): Named {
  const { people } = useModel();
  const ids = [...usersIn(writers)].sort();
  const { data } = useQuery({
    queryKey: [MANAGED, 'names', ids],
    queryFn: ({ signal }) => readNames(ids, signal),
    enabled: ids.length > 0 && people.users.includes('find'),
    placeholderData: (former) => former,
  });
  return data ?? {};
}
