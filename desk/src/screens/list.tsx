/** List of the documents of a type. One request serves a page with its links and states. */
import { Button, Group, Select, Text } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { request } from '../api/http.ts';
import { mayActOnMany } from '../editor/bulk.ts';
import { moveRow } from '../editor/move-row.ts';
import type { Json } from '../form/values.ts';
import { keepList, takeOpened } from '../model/last-list.ts';
import {
  isNarrowed,
  isOrdered,
  listQuery,
  type ListState,
  PAGE_SIZES,
  readState,
  writeState,
} from '../model/list-query.ts';
import type { Type } from '../model/model.ts';
import { EmptyList } from '../parts/empty-list.tsx';
import { Frame } from '../parts/frame.tsx';
import { isLong } from '../parts/long-list.ts';
import { say } from '../parts/messages.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { useSending } from '../parts/sending.tsx';
import { CONTENT } from '../parts/page-change.ts';
import { useLastPage } from '../parts/last-page.ts';
import { PageLinks } from '../parts/page-links.tsx';
import { moved } from '../parts/sortable-list.tsx';
import { settings } from '../settings.ts';
import { useFormats, useTexts } from '../texts/texts.ts';
import { useModel } from './app.tsx';
import { BulkBar } from './bulk.tsx';
import { ColumnMenu, useColumns } from './columns.tsx';
import { DocumentTable } from './document-table.tsx';
import { CreateButton, HeadButtons } from './list-buttons.tsx';
import { FilterBar } from './filters.tsx';
import { SavedViews } from './saved-views.tsx';

interface Page {
  readonly data: readonly Json[];
  readonly meta: {
    readonly pagination: { readonly pageSize: number; readonly total: number; readonly pageCount: number };
  };
}

/** Moves the focus to the row of the document from which the editor returns, unless it is on a control. */
function useReturn(type: Type, isShown: boolean): void {
  const hasReturned = useRef(false);
  useEffect(() => {
    if (!isShown || hasReturned.current) return;
    hasReturned.current = true;
    const id = takeOpened(type.name);
    const { activeElement } = document;
    if (id === null || (activeElement !== document.body && activeElement?.id !== CONTENT)) return;
    document.querySelector<HTMLElement>(`.desk-row-link[data-document="${CSS.escape(id)}"]`)?.focus();
  }, [type, isShown]);
}

interface Listed {
  readonly type: Type;
  readonly state: ListState;
  /** Undefined until the rows of this address are there. */
  readonly page: Page | undefined;
  readonly documents: readonly Json[];
}

/** Rows in the order of the editor, which the list shows before it is stored. */
function useMoves({ type, state, page, documents }: Listed) {
  const texts = useTexts();
  const model = useModel();
  const client = useQueryClient();
  const { send, alert, isSending } = useSending();
  const [wanted, setWanted] = useState<readonly Json[] | null>(null);
  useEffect(() => setWanted(null), [documents]);
  const shown = wanted ?? documents;
  const store = async (rows: Page, next: readonly Json[], at: number): Promise<void> => {
    const documentIds = next.map((one) => String(one['documentId']));
    setWanted(next);
    // The server may return smaller pages: an application sets its own limit.
    const served = { ...state, pageSize: rows.meta.pagination.pageSize };
    if (await send(() => moveRow({ type, model, state: served }, { documentIds, at })))
      say(texts.orderStored);
    await client.invalidateQueries({ queryKey: ['list'] });
    setWanted(null);
  };
  const move = (from: number, to: number): void => {
    if (!isSending && page !== undefined) void store(page, moved(shown, from, to), to);
  };
  return { documents: shown, move: isOrdered(type, state) ? move : null, alert };
}

export function ListScreen({ type }: { readonly type: Type }) {
  const texts = useTexts();
  const model = useModel();
  const [address, setAddress] = useSearchParams();
  const state = readState(address, { type, model });
  const [columns, allColumns, toggleColumn] = useColumns(type);
  const [selected, setSelected] = useState<ReadonlyMap<string, string>>(new Map());
  const query = listQuery(state, columns, { type, model });
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: ['list', type.name, query],
    queryFn: async ({ signal }) =>
      (await request<Page>(`${settings.api}/${type.route}`, { query, signal })).body,
    placeholderData: keepPreviousData,
  });
  useEffect(() => keepList(type.name, address.toString()), [type.name, address]);
  // Views and steps in the history change the address, too.
  useEffect(() => setSelected(new Map()), [address.toString()]);
  const open = (change: Partial<ListState>, replace: boolean): void =>
    setAddress(writeState({ ...state, page: 1, ...change }, { type, model }), { replace });
  // The browser returns from a page of the list to the one before; filters and searches are not steps.
  const go = (change: Partial<ListState>): void => open(change, change.page === undefined);
  const page = isPlaceholderData ? undefined : data;
  useLastPage(state.page, page?.meta.pagination.pageCount, (last) => open({ page: last }, true));
  const { documents, move, alert } = useMoves({ type, state, page, documents: data?.data ?? [] });
  useReturn(type, data !== undefined);
  const isPart = isNarrowed(state);
  return (
    <Frame
      title={type.listLabel}
      isLoading={isFetching}
      error={error}
      retry={() => void refetch()}
      tools={<HeadButtons type={type} locale={state.locale} />}
    >
      {type.description !== null && (
        <Text c="dimmed" className="desk-described">
          {type.description}
        </Text>
      )}
      <Tools {...{ type, state, go }}>
        <ColumnMenu {...{ all: allColumns, chosen: columns, toggle: toggleColumn }} />
        <SavedViews
          type={type}
          query={writeState({ ...state, page: 1 }, { type, model }).toString()}
          open={(query) => setAddress(new URLSearchParams(query))}
        />
        <FilterBar type={type} filters={state.filters} change={(filters) => go({ filters })} />
        {address.getAll('filter').length > state.filters.length && (
          <Text size="sm" role="status" c="var(--desk-alarm)">
            {texts.lostFilter}
          </Text>
        )}
      </Tools>
      <BulkBar
        {...{ type, state, selected }}
        documents={data?.data ?? []}
        total={data?.meta.pagination.total ?? 0}
        deselect={(ids) => setSelected((now) => new Map([...now].filter(([id]) => !ids.includes(id))))}
      />
      {alert}
      {data !== undefined && data.data.length > 0 && (
        // Rows of the former address look like it until those of this one arrive.
        <div className={isPlaceholderData ? 'desk-former' : undefined} aria-busy={isPlaceholderData}>
          <DocumentTable
            {...{ type, state, columns, documents, selected, go, move }}
            setSelected={mayActOnMany(type) ? setSelected : null}
          />
        </div>
      )}
      {data?.data.length === 0 && (
        <EmptyList text={isPart ? texts.noMatches : texts.noDocuments}>
          {isPart && (
            <Button variant="default" onClick={() => go({ search: '', filters: [] })}>
              {texts.clearSearch}
            </Button>
          )}
          {!isPart && <CreateButton type={type} locale={state.locale} />}
        </EmptyList>
      )}
      {data !== undefined && data.data.length > 0 && <Pages {...{ state, page: data, go }} />}
    </Frame>
  );
}

type Go = (change: Partial<ListState>) => void;

function Tools({ type, state, go, children }: { type: Type; state: ListState; go: Go; children: ReactNode }) {
  const texts = useTexts();
  const model = useModel();
  const { localeName } = useFormats();
  return (
    <Group gap="xs" className="desk-list-tools">
      <SearchField
        label={texts.searchIn(type.listLabel)}
        search={state.search}
        go={(search) => go({ search })}
        miw={220}
        flex={1}
        maw={420}
      />
      {type.localized && model.locales.length > 1 && (
        <Select
          aria-label={texts.locale}
          data={model.locales.map((code) => ({ value: code, label: localeName(code) }))}
          value={state.locale}
          allowDeselect={false}
          searchable={isLong(model.locales)}
          onChange={(locale) => go({ locale: locale ?? model.defaultLocale })}
          w={{ base: 120, sm: 160 }}
        />
      )}
      {children}
    </Group>
  );
}

function Pages({ state, page, go }: { state: ListState; page: Page; go: Go }) {
  const texts = useTexts();
  const { total, pageCount, pageSize } = page.meta.pagination;
  const from = (state.page - 1) * pageSize + 1;
  return (
    <Group justify="space-between">
      <Text size="sm" role="status">
        {texts.countOf(from, from + page.data.length - 1, total)}
      </Text>
      <PageLinks
        total={pageCount}
        page={state.page}
        open={(at) => {
          go({ page: at });
          scrollTo(0, 0);
        }}
      />
      <Select
        aria-label={texts.perPage}
        data={PAGE_SIZES.map(String)}
        value={String(state.pageSize)}
        allowDeselect={false}
        onChange={(size) => go({ pageSize: Number(size) })}
        w={80}
        size="xs"
      />
    </Group>
  );
}
