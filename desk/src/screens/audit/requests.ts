/** Requests of the audit screen: entries, and the names of what they are about. */
import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { request } from '../../api/http.ts';
import { partsOf, readRows } from '../../api/read-rows.ts';
import { type Json, textOfValue } from '../../form/values.ts';
import { type AuditEntry, type AuditFilters, auditQuery } from '../../model/audit-list.ts';
import { hasDrafts, type Model } from '../../model/model.ts';
import { settings } from '../../settings.ts';
import { useModel } from '../app.tsx';
import { readDeleted, readNames, useNames, usersIn } from '../history/requests.ts';
import { useRoleNames, useTokens } from '../people/requests.ts';
import { useReleaseNames } from '../releases/requests.ts';
import { useWebhookNames } from '../webhooks/requests.ts';

interface Page {
  readonly data: readonly AuditEntry[];
  readonly meta: { readonly pagination: { readonly pageSize: number } };
}

/** Id of the entry before which the next page begins; null after the last page. */
const nextOf = ({ data, meta }: Page): string | null =>
  data.length < meta.pagination.pageSize ? null : (data.at(-1)?.id ?? null);

const readEntries = async (
  filters: AuditFilters,
  before: string | null,
  signal?: AbortSignal,
): Promise<Page> => {
  const ask = { query: auditQuery(filters, before), ...(signal === undefined ? {} : { signal }) };
  return (await request<Page>(`${settings.api}/audit`, ask)).body;
};

/** Entries, newest first. Each page begins after the last entry of the one before, so that none is missed. */
export const useEntries = (filters: AuditFilters) =>
  useInfiniteQuery({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam, signal }) => readEntries(filters, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: nextOf,
  });

/** Number of entries of one file. */
export const MAX_EXPORTED = 10_000;

/** Reads all entries that match, at most as many as one file has. */
export async function readAll(filters: AuditFilters): Promise<readonly AuditEntry[]> {
  const all: AuditEntry[] = [];
  let last: string | null = null;
  do {
    const page: Page = await readEntries(filters, last);
    all.push(...page.data);
    last = nextOf(page);
  } while (last !== null && all.length < MAX_EXPORTED);
  return all.slice(0, MAX_EXPORTED);
}

/** Documents of one type and language. */
interface Wanted {
  readonly type: string;
  readonly locale: string | null;
  readonly ids: readonly string[];
}

/** Members of an entry that name its document. */
export type About = Pick<AuditEntry, 'type' | 'documentId' | 'locale'>;

function wantedOf(entries: readonly About[], model: Model): readonly Wanted[] {
  const wanted = new Map<string, { type: string; locale: string | null; ids: Set<string> }>();
  for (const { type: name, documentId, locale } of entries) {
    const type = name === null ? null : model.type(name);
    if (type === null || documentId === null || type.kind === 'singleType' || !('find' in type.verbs))
      continue;
    if (type.route === null && type.name !== 'file') continue;
    const key = `${type.name} ${locale}`;
    const known = wanted.get(key) ?? { type: type.name, locale, ids: new Set() };
    known.ids.add(documentId);
    wanted.set(key, known);
  }
  return [...wanted.values()].map(({ ids, ...rest }) => ({ ...rest, ids: [...ids].sort() }));
}

interface Titles extends Wanted {
  readonly byId: ReadonlyMap<string, string>;
  /** Titles of deleted documents. */
  readonly deleted: ReadonlyMap<string, string>;
}

async function readTitles({ type: name, locale, ids }: Wanted, model: Model): Promise<Titles> {
  const type = model.type(name);
  const byId = new Map<string, string>();
  const deleted = new Map<string, string>();
  const titles = { type: name, locale, ids, byId, deleted };
  if (type === null) return titles;
  const path = name === 'file' ? '/upload/files/page' : `/${type.route}`;
  for (const part of partsOf(ids)) {
    const query = {
      filters: { documentId: { $in: part } },
      ...(name === 'file' ? {} : { fields: [type.title] }),
      ...(hasDrafts(type) ? { status: 'draft' } : {}),
      ...(type.localized ? { locale: locale ?? model.defaultLocale } : {}),
    };
    const found = await readRows<Json>(`${settings.api}${path}`, query, { end: part.length });
    for (const one of found) byId.set(String(one['documentId']), textOfValue(one[type.title]));
    const missing = part.filter((id) => !byId.has(id));
    if (missing.length === 0 || !('trash' in type.verbs)) continue;
    for (const { documentId, title } of await readDeleted(type, missing))
      deleted.set(documentId, textOfValue(title));
  }
  return titles;
}

export interface Named {
  /** Names of users by id. */
  readonly users: Readonly<Record<string, string>>;
  /** Title of a document; empty without one, null if it is gone or hidden, undefined until it is known. */
  readonly titleOf: (entry: About) => string | null | undefined;
  /** Whether a document is deleted or hidden. One in the trash has a title. */
  readonly isMissing: (entry: About) => boolean;
}

const ACCOUNTS = 'user';

/** Returns the names of all users among the callers: those that are known, and the others from the server. */
export async function allNames(
  entries: readonly AuditEntry[],
  known: Named['users'],
): Promise<Named['users']> {
  const ids = usersIn(entries.map(({ by }) => by)).filter((id) => !Object.hasOwn(known, id));
  return { ...known, ...(await readNames(ids)) };
}

/** Names of the callers and documents of entries that the caller may read. */
export function useNamed(entries: readonly AuditEntry[]): Named {
  const model = useModel();
  const { people } = model;
  const targets = entries.flatMap(({ type, documentId: id }) =>
    id !== null && (type === null || type === ACCOUNTS) ? [{ kind: 'user', id }] : [],
  );
  const users = useNames([...entries.map(({ by }) => by), ...targets]);
  const roles = useRoleNames(people.roles.includes('find')).data ?? [];
  const tokens = useTokens(people.tokens.includes('find')).data ?? [];
  const webhooks = useWebhookNames(model.webhooks.includes('find')).data ?? [];
  const released = entries.flatMap(({ type, documentId: id }) =>
    type === 'releases' && id !== null ? [id] : [],
  );
  const releases = useReleaseNames(released, model.releases).data ?? [];
  const others = new Map<string, string>([
    ...roles.map(({ documentId, name }) => [`role ${documentId}`, name] as const),
    ...tokens.map(({ documentId, name }) => [`api-token ${documentId}`, name] as const),
    ...webhooks.map(({ id, name }) => [`webhook ${id}`, name] as const),
    ...releases.map(({ id, name }) => [`releases ${id}`, name] as const),
  ]);
  const titles = useQueries({
    queries: wantedOf(entries, model).map((wanted) => ({
      queryKey: ['audit titles', wanted.type, wanted.locale, wanted.ids],
      queryFn: () => readTitles(wanted, model),
      staleTime: 60_000,
    })),
    combine: (results) =>
      new Map(
        results.flatMap(({ data }) => (data === undefined ? [] : [[`${data.type} ${data.locale}`, data]])),
      ),
  });
  const titleOf = ({ type, documentId, locale }: About): string | null | undefined => {
    if (documentId === null) return null;
    const known = users[documentId] ?? others.get(`${type} ${documentId}`);
    if (known !== undefined) return known;
    const named = titles.get(`${type} ${locale}`);
    if (named !== undefined) return named.byId.get(documentId) ?? named.deleted.get(documentId) ?? null;
    return wantedOf([{ type, documentId, locale }], model).length === 0 ? null : undefined;
  };
  return {
    users,
    titleOf,
    isMissing: (entry) => {
      const { type, documentId, locale } = entry;
      const deleted = titles.get(`${type} ${locale}`)?.deleted;
      return titleOf(entry) === null || (documentId !== null && deleted?.has(documentId) === true);
    },
  };
}
