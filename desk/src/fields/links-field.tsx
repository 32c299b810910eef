/** Field of a relation: the linked documents, a search for others, and drawers to create and edit them. */
import {
  Anchor,
  Button,
  Combobox,
  Group,
  Loader,
  Select,
  Stack,
  Text,
  TextInput,
  useCombobox,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { lazy, useEffect, useState } from 'react';
import { ApiError, messageOf } from '../api/errors.ts';
import { request } from '../api/http.ts';
import { type Json, keyOf, type Link, linkOf, textOfValue } from '../form/values.ts';
import { versionQuery } from '../model/list-query.ts';
import { isToOne, type Type } from '../model/model.ts';
import { distinct } from '../parts/distinct.ts';
import { isLong } from '../parts/long-list.ts';
import { announce } from '../parts/messages.tsx';
import { Opening } from '../parts/opening.tsx';
import { settings } from '../settings.ts';
import { reasonText } from '../texts/reasons.ts';
import { directionOfSearch, useFormats, useTexts } from '../texts/texts.ts';
import { FieldHead } from './field-head.tsx';
import { type FieldProps, useForm, useValue } from './form-context.ts';
import { LinkRows } from './link-rows.tsx';

// The drawer contains a form, which contains this field.
const DocumentDrawer = lazy(() => import('../screens/document-drawer.tsx'));

interface Opened {
  readonly type: string;
  readonly documentId: string | null;
}

export function LinksField({ attribute, path, readOnly }: FieldProps) {
  const texts = useTexts();
  const { model, locale, store } = useForm();
  const [value, set, problem] = useValue<readonly Link[] | undefined>(path);
  const [drawer, setDrawer] = useState<Opened | null>(null);
  const links = value ?? [];
  const isOne = isToOne(attribute);
  const targets = (attribute.linkable ?? []).flatMap((name) => model.type(name) ?? []);
  // A drawer closes after its last save, when the links may have changed.
  const linksNow = (): readonly Link[] => (store.get(path) ?? []) as readonly Link[];
  const isLinked = (link: Link): boolean => linksNow().some((one) => keyOf(one) === keyOf(link));
  const add = (link: Link): void => {
    if (isLinked(link)) return;
    set(isOne ? [link] : [...linksNow(), link]);
    announce(texts.added(link.title ?? texts.untitled));
  };
  const closed = (link: Link | null): void => {
    setDrawer(null);
    if (link === null) return;
    if (isLinked(link)) set(linksNow().map((one) => (keyOf(one) === keyOf(link) ? link : one)));
    // A link that is gone was removed by another editor. Only a new document is linked.
    else if (drawer?.documentId === null) add(link);
  };
  return (
    <Stack gap={6} role="group" aria-label={attribute.label} data-path={path}>
      <FieldHead attribute={attribute} problem={problem} />
      <LinkRows
        {...{ path, links, set, isOne, readOnly }}
        content={(link, name) => <LinkTitle {...{ link, name }} open={() => setDrawer(link)} />}
      />
      {!readOnly && targets.length > 0 && (
        <Adding
          {...{ attribute, targets, links, add }}
          create={(type) => setDrawer({ type, documentId: null })}
        />
      )}
      {drawer !== null && (
        <Opening>
          <DocumentDrawer {...drawer} locale={locale} close={closed} />
        </Opening>
      )}
    </Stack>
  );
}

interface TitleProps {
  readonly link: Link;
  readonly name: string;
  readonly open: () => void;
}

function LinkTitle({ link, name, open }: TitleProps) {
  const texts = useTexts();
  const { model } = useForm();
  const type = model.type(link.type);
  const title = link.title ?? texts.untitled;
  const mayOpen = type !== null && 'findOne' in type.verbs && type.route !== null;
  return (
    <Text dir="auto" className="desk-link-title" size="sm" flex={1} miw={0} truncate component="div">
      {mayOpen ? (
        <Anchor component="button" type="button" size="sm" onClick={open} aria-label={texts.editTarget(name)}>
          <bdi>{title}</bdi>
        </Anchor>
      ) : (
        <bdi>{title}</bdi>
      )}
    </Text>
  );
}

interface AddingProps {
  readonly attribute: FieldProps['attribute'];
  /** Types that can be linked. */
  readonly targets: readonly Type[];
  readonly links: readonly Link[];
  readonly add: (link: Link) => void;
  readonly create: (type: string) => void;
}

/** Search of one type, and a button for a new document. A relation to several types has a choice first. */
function Adding({ attribute, targets, links, add, create }: AddingProps) {
  const texts = useTexts();
  const { locale } = useForm();
  const [name, setName] = useState(targets[0]?.name ?? '');
  const target = targets.find((one) => one.name === name) ?? targets[0];
  if (target === undefined) return null;
  const isOneType = targets.length === 1;
  return (
    <Group gap="xs" wrap="nowrap" className="desk-search">
      {!isOneType && (
        <Select
          aria-label={texts.typeOf(attribute.label)}
          data={targets.map(({ name: value, label }) => ({ value, label }))}
          value={target.name}
          allowDeselect={false}
          searchable={isLong(targets)}
          onChange={(next) => setName(next ?? name)}
          w={170}
        />
      )}
      <DocumentSearch
        key={target.name}
        {...{ target, links, locale }}
        label={isOneType ? attribute.label : `${attribute.label}: ${target.label}`}
        isOne={isToOne(attribute)}
        pick={add}
      />
      {'create' in target.verbs && target.kind === 'collectionType' && (
        <Button variant="default" leftSection={<IconPlus size={14} />} onClick={() => create(target.name)}>
          {texts.createTarget(target.label)}
        </Button>
      )}
    </Group>
  );
}

interface SearchProps {
  readonly target: Type;
  readonly label: string;
  readonly locale: string;
  readonly isOne: boolean;
  readonly links: readonly Link[];
  readonly pick: (link: Link) => void;
  /** Whether the options are part of the surrounding dialog, which a click outside of it closes. */
  readonly isInside?: boolean;
}

interface Found {
  /** One document of a single type, null without it. */
  readonly data: Json | readonly Json[] | null;
  readonly meta: { readonly pagination?: { readonly pageSize: number } };
}

const PAGE_SIZE = 20;

/** Search for documents of a type. It asks for one page at a time, and never for a total. */
export function DocumentSearch({ target, label, locale, isOne, links, pick, isInside = false }: SearchProps) {
  const texts = useTexts();
  const { dateTime } = useFormats();
  const { model } = useForm();
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const [search, setSearch] = useState('');
  const [asked] = useDebouncedValue(search.trim(), 200);
  const { data, error, isFetching, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['targets', target.name, locale, asked],
    enabled: combobox.dropdownOpened,
    placeholderData: keepPreviousData,
    initialPageParam: 1,
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        fields: [target.title, 'updatedAt'],
        ...versionQuery({ type: target, model }, locale),
        ...(asked === '' ? {} : { _q: asked }),
        ...(target.title === 'documentId' ? {} : { sort: target.title }),
        pagination: { page: pageParam, pageSize: PAGE_SIZE, withCount: false },
      };
      try {
        const { body } = await request<Found>(`${settings.api}/${target.route ?? ''}`, { query, signal });
        const found = [body.data ?? []].flat() as readonly Json[];
        return { found, isLast: found.length < (body.meta.pagination?.pageSize ?? PAGE_SIZE) };
      } catch (problem) {
        // A single type without a document.
        if (problem instanceof ApiError && problem.status === 404) return { found: [], isLast: true };
        throw problem;
      }
    },
    getNextPageParam: ({ isLast }, all) => (isLast ? undefined : all.length + 1),
  });
  // The key that links an option has the place of the chosen one, whatever the list shows there.
  useEffect(() => combobox.resetSelectedOption(), [search]);
  useEffect(() => {
    const at = combobox.getSelectedOptionIndex();
    if (at >= 0) combobox.selectOption(at);
  }, [data]);
  const rows = (data?.pages ?? []).flatMap(({ found }) => found);
  const found = rows.map((one) => linkOf(one, target.name, model));
  const names = distinct(found.map(({ title }) => title ?? texts.untitled));
  const isTwin = ({ title }: Link): boolean => found.filter((one) => one.title === title).length > 1;
  const choose = (key: string): void => {
    if (key === 'more') return void fetchNextPage();
    const link = found.find((one) => keyOf(one) === key);
    if (link !== undefined) pick(link);
    setSearch('');
    if (isOne) combobox.closeDropdown();
  };
  return (
    <Combobox store={combobox} onOptionSubmit={choose} withinPortal={!isInside}>
      <Combobox.Target withExpandedAttribute>
        <TextInput
          flex="1 1 140px"
          aria-autocomplete="list"
          aria-label={isOne ? texts.chooseLink(label) : texts.addLink(label)}
          placeholder={isOne ? texts.chooseLink(label) : texts.addLink(label)}
          value={search}
          dir={directionOfSearch(search)}
          rightSection={isFetching ? <Loader size="xs" aria-label={texts.loading} /> : null}
          onChange={(event) => {
            setSearch(event.currentTarget.value);
            combobox.openDropdown();
          }}
          onClick={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options mah={260} style={{ overflowY: 'auto' }} aria-label={label}>
          {found.map((link, at) => (
            <Combobox.Option
              key={keyOf(link)}
              value={keyOf(link)}
              disabled={links.some((one) => keyOf(one) === keyOf(link))}
            >
              <bdi>{names[at]}</bdi>
              {isTwin(link) && (
                <Text span size="xs" c="dimmed">
                  {` ${texts.updatedAt(dateTime(new Date(textOfValue(rows[at]?.['updatedAt']))))}`}
                </Text>
              )}
            </Combobox.Option>
          ))}
          {found.length === 0 && !isFetching && (
            <Combobox.Empty>
              {error === null ? texts.noResults : reasonText(messageOf(error), texts)}
            </Combobox.Empty>
          )}
          {hasNextPage && <Combobox.Option value="more">{texts.moreResults}</Combobox.Option>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
