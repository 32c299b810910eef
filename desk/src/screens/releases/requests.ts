/** Requests of releases. Lists have a key of `MANAGED`, and are read again after each change. */
import { useQuery } from '@tanstack/react-query';
import type { ErrorBody } from '../../api/errors.ts';
import { type Ask, request } from '../../api/http.ts';
import { MAX_ROWS, partsOf, readRows } from '../../api/read-rows.ts';
import type { Parameters } from '../../api/query.ts';
import type { Status } from '../../editor/requests.ts';
import { MANAGED } from '../../parts/changes.ts';
import { settings } from '../../settings.ts';

export type ReleaseAction = 'publish' | 'unpublish';

export interface Release {
  readonly id: string;
  readonly name: string;
  readonly state: 'open' | 'scheduled' | 'failed' | 'released';
  readonly at: string | null;
  readonly size: number;
  readonly releasedAt: string | null;
  readonly failedAt: string | null;
}

export interface ReleaseEntry {
  readonly id: string;
  readonly type: string;
  readonly documentId: string;
  readonly locale: string | null;
  readonly action: ReleaseAction;
  readonly title: unknown;
  readonly status: Status | null;
}

export interface WholeRelease extends Release {
  readonly updatedAt: string;
  readonly failedEntry: string | null;
  readonly entries: readonly ReleaseEntry[];
  readonly hidden: number;
}

/** Result of a dry run for an entry. */
export interface Outcome {
  readonly id: string;
  readonly outcome: 'changes' | 'unchanged' | 'refused';
  readonly error: (ErrorBody & { readonly status: number }) | null;
}

export interface Report {
  readonly entries: readonly Outcome[];
  readonly hidden: { readonly count: number; readonly refused: number };
}

/** Members that the form of a release has. An omitted one stays; a new release then has no time. */
export interface ReleaseInput {
  readonly name: string;
  readonly at: string | null;
}

export interface NewEntry extends Pick<ReleaseEntry, 'type' | 'locale' | 'action'> {
  /** Null for a single type. */
  readonly documentId: string | null;
}

const ask = async <T>(path: string, options: Ask = {}): Promise<T> =>
  (await request<{ data: T }>(`${settings.api}/releases${path}`, options)).body.data;

const pathOf = (id: string): string => `/${encodeURIComponent(id)}`;

/** Milliseconds after which open screens are read again: the server may release them. */
const REFRESH = 10_000;

/** Page of a list of releases. */
interface ReleasePage {
  readonly data: readonly Release[];
  readonly meta: { readonly pagination: { readonly pageCount: number } };
}

const list = async (query: Parameters, page: number): Promise<ReleasePage> => {
  const paged = { query: { ...query, pagination: { page, pageSize: MAX_ROWS } } };
  return (await request<ReleasePage>(`${settings.api}/releases`, paged)).body;
};

async function readSome(ids: readonly string[]): Promise<readonly Release[]> {
  const found: Release[] = [];
  for (const part of partsOf(ids)) {
    const query = { filters: { id: { $in: part } } };
    found.push(...(await readRows<Release>(`${settings.api}/releases`, query, { end: part.length })));
  }
  return found;
}

/** Releases with some ids. A refused request may have had another text in place of an id. */
export function useReleaseNames(ids: readonly string[], isAllowed: boolean) {
  const known = [...new Set(ids.filter((id) => /^\d{1,18}$/.test(id)))].sort();
  return useQuery({
    queryKey: [MANAGED, 'releases', 'names', known],
    queryFn: () => readSome(known),
    enabled: isAllowed && known.length > 0,
    placeholderData: (former) => former,
  });
}

const useList = (name: string, query: Parameters, page: number) =>
  useQuery({
    queryKey: [MANAGED, 'releases', name, page],
    queryFn: () => list(query, page),
    placeholderData: (former) => former,
    refetchInterval: REFRESH,
  });

/** Releases that can still be changed, those with a time first. */
export const usePlanned = (page: number) =>
  useList('planned', { filters: { state: { $ne: 'released' } }, sort: 'at,name' }, page);

export const usePast = (page: number) =>
  useList('past', { filters: { state: 'released' }, sort: 'releasedAt:desc' }, page);

export const useRelease = (id: string) =>
  useQuery({
    queryKey: [MANAGED, 'releases', id],
    queryFn: () => ask<WholeRelease>(pathOf(id)),
    refetchInterval: REFRESH,
  });

const sent = (method: 'POST' | 'PUT', data: unknown): Ask => ({ method, body: { data } });

export const createRelease = (input: Partial<ReleaseInput>): Promise<WholeRelease> =>
  ask('', sent('POST', input));

export const changeRelease = (id: string, input: Partial<ReleaseInput>): Promise<WholeRelease> =>
  ask(pathOf(id), sent('PUT', input));

export const deleteRelease = (id: string): Promise<unknown> =>
  request(`${settings.api}/releases${pathOf(id)}`, { method: 'DELETE' });

export const addEntries = (id: string, entries: readonly NewEntry[]): Promise<WholeRelease> =>
  ask(`${pathOf(id)}/entries`, sent('POST', entries));

export const removeEntry = (id: string, entry: string): Promise<WholeRelease> =>
  ask(`${pathOf(id)}/actions/remove`, sent('POST', { entries: [entry] }));

export const publishRelease = (id: string): Promise<WholeRelease> =>
  ask(`${pathOf(id)}/actions/publish`, sent('POST', {}));

export const checkRelease = (id: string): Promise<Report> =>
  ask(`${pathOf(id)}/actions/publish`, sent('POST', { dryRun: true }));

/** Publishes again what was published before a release, all of it or nothing. The release then is open. */
export const undoRelease = (id: string): Promise<WholeRelease> =>
  ask(`${pathOf(id)}/actions/undo`, sent('POST', {}));

export const checkUndo = (id: string): Promise<Report> =>
  ask(`${pathOf(id)}/actions/undo`, sent('POST', { dryRun: true }));
