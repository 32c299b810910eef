/** Palette: finds screens, actions, documents and fields by a few letters, and opens them by keyboard. */
import { Combobox, Loader, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { request } from '../api/http.ts';
import { hostScreens } from '../extension.ts';
import { isField, jumpTo, shownEntries, shownFields } from '../fields/jump.ts';
import { type Json, linkOf } from '../form/values.ts';
import { versionQuery } from '../model/list-query.ts';
import type { Model, Type } from '../model/model.ts';
import { pageQuery } from '../model/page-query.ts';
import { entriesFor, type Entry, MIN_LETTERS, searchAll } from '../model/palette-order.ts';
import { Dialog, isCovered } from '../parts/dialog.tsx';
import { settings } from '../settings.ts';
import { directionOfSearch, hostText, type Texts, useLanguage, useTexts } from '../texts/texts.ts';
import { useModel } from './app.tsx';
import { hasScreen } from './people/navigation.tsx';

/** Documents that the search of one type returns. */
const MAX_DOCUMENTS = 4;

interface Spoken {
  readonly texts: Texts;
  readonly language: string;
}

/** Screens and actions that the editor may open. */
function screensOf(model: Model, { texts, language }: Spoken): readonly Entry[] {
  const lists = model.listed.map((type) => ({
    path: `/content/${type.name}`,
    label: type.listLabel,
    hint: type.group ?? texts.content,
  }));
  const creations = model.creatable.map((type) => ({
    path: `/content/${type.name}/new`,
    label: texts.newDocument(type.label),
    hint: texts.create,
  }));
  const people = (['users', 'roles', 'tokens'] as const)
    .filter((screen) => hasScreen(model.people, screen))
    .map((screen) => ({ path: `/people/${screen}`, label: texts.persons[screen], hint: texts.people }));
  const hosts = hostScreens().map(({ name, label }) => ({
    path: `/host/${name}`,
    label: hostText(label, language),
    hint: texts.menu,
  }));
  const entry = (isShown: boolean, path: string, label: string): readonly Entry[] =>
    isShown ? [{ path, label, hint: texts.menu }] : [];
  return [
    ...lists,
    ...entry('find' in (model.type('file')?.verbs ?? {}), '/media', texts.library),
    ...people,
    ...entry(model.webhooks.includes('find'), '/webhooks', texts.webhooks.title),
    ...entry(model.releases, '/releases', texts.releases.title),
    ...entry(model.audit, '/audit', texts.audit.title),
    ...hosts,
    ...entry(settings.session, '/account', texts.persons.account),
    ...creations,
    ...model.listed
      .filter(({ verbs }) => 'trash' in verbs)
      .flatMap((type) => entry(true, `/trash/${type.name}`, texts.history.trashOf(type.listLabel))),
  ];
}

interface Search {
  readonly model: Model;
  readonly text: string;
  /** Language of the page over which the palette is open. */
  readonly locale: string;
  readonly signal: AbortSignal;
}

async function documentsIn(type: Type, { model, text, locale, signal }: Search): Promise<readonly Entry[]> {
  const query = {
    ...versionQuery({ type, model }, locale),
    fields: [type.title, ...(type.localized ? ['locale'] : [])],
    _q: text,
    pagination: { pageSize: MAX_DOCUMENTS, withCount: false },
  };
  const path = `${settings.api}/${type.route}`;
  const { body } = await request<{ data: readonly Json[] }>(path, { query, signal });
  return body.data.map((document) => {
    const { documentId, title } = linkOf(document, type.name, model);
    const query = pageQuery(type, document['locale'], model);
    return {
      path: `/content/${type.name}/${documentId}${query}`,
      label: title ?? documentId,
      hint: type.label,
    };
  });
}

function useDocuments(search: string) {
  const model = useModel();
  const asked = useSearchParams()[0].get('locale') ?? '';
  const locale = model.locales.includes(asked) ? asked : model.defaultLocale;
  const types = model.listed.filter(({ kind, verbs }) => kind === 'collectionType' && 'findOne' in verbs);
  return useQuery({
    queryKey: ['palette', search, locale],
    queryFn: ({ signal }) =>
      searchAll(types, (type) => documentsIn(type, { model, text: search, locale, signal })),
    enabled: search.length >= MIN_LETTERS,
  });
}

/** Fields and entries of the form on the page, as it is when the palette opens. */
function useFields(path: string): readonly Entry[] {
  const texts = useTexts();
  const model = useModel();
  const [fields] = useState(() => {
    const type = model.type(/^\/content\/([^/]+)/.exec(path)?.[1] ?? '');
    // A drawer over the form keeps the focus.
    if (type === null || isCovered()) return [];
    return [...shownFields(type, model, { at: '', hint: texts.palette.field }), ...shownEntries()];
  });
  return fields;
}

export default function Palette({ close }: { readonly close: () => void }) {
  const texts = useTexts();
  const language = useLanguage();
  const model = useModel();
  const [page, navigate] = useLocation();
  const fields = useFields(page);
  const [search, setSearch] = useState('');
  const [asked] = useDebouncedValue(search.trim(), 200);
  const { data, isFetching } = useDocuments(asked);
  const screens = screensOf(model, { texts, language });
  // The entries have no documents of an earlier search: Enter would open one of them.
  const isCurrent = asked === search.trim();
  const entries = entriesFor(search, { fields, screens, documents: isCurrent ? (data ?? []) : [] });
  const combobox = useCombobox({ opened: true });
  const [active, setActive] = useState<string | null>(null);
  const selected = (id: string | null): string | null => {
    setActive(id);
    return id;
  };
  const store = {
    ...combobox,
    selectNextOption: () => selected(combobox.selectNextOption()),
    selectPreviousOption: () => selected(combobox.selectPreviousOption()),
  };
  const paths = entries.map(({ path }) => path).join();
  useEffect(() => {
    setActive(combobox.selectFirstOption());
  }, [paths]);
  const open = (path: string): void => {
    close();
    // The dialog keeps the focus until it is gone.
    if (isField(path)) requestAnimationFrame(() => jumpTo(path));
    else navigate(path);
  };
  return (
    <Dialog title={texts.palette.title} close={close}>
      <Combobox store={store} onOptionSubmit={open} withinPortal={false}>
        <Combobox.EventsTarget withExpandedAttribute aria-activedescendant={active ?? undefined}>
          <TextInput
            data-autofocus
            aria-label={texts.palette.title}
            aria-autocomplete="list"
            placeholder={texts.palette.hint}
            value={search}
            dir={directionOfSearch(search)}
            // The list keeps the key for itself. It may also end the composition of a letter.
            onKeyDown={({ key, nativeEvent }) => key === 'Escape' && !nativeEvent.isComposing && close()}
            rightSection={isFetching ? <Loader size="xs" aria-label={texts.loading} /> : null}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
        </Combobox.EventsTarget>
        <Combobox.Options aria-label={texts.palette.title}>
          {entries.map(({ path, label, hint }) => (
            <Combobox.Option key={path} value={path}>
              <Text size="sm" component="span" fw={500}>
                <bdi>{label}</bdi>
              </Text>{' '}
              <Text size="xs" component="span" c="dimmed">
                {hint}
              </Text>
            </Combobox.Option>
          ))}
          {entries.length === 0 && isCurrent && !isFetching && (
            <Combobox.Empty>{texts.noResults}</Combobox.Empty>
          )}
        </Combobox.Options>
      </Combobox>
    </Dialog>
  );
}
