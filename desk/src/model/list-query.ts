/** State of a list in the address of its page, and the one request that serves it. */
import type { Parameter, Parameters } from '../api/query.ts';
import { isValidTime, startOfDay, timeOf } from './local-time.ts';
import {
  type Attribute,
  hasDrafts,
  isInstant,
  isMorph,
  isReadable,
  isWritable,
  kindOf,
  type Model,
  type Type,
} from './model.ts';

/** Condition on one attribute, as the address and the request contain it. */
export interface Filter {
  readonly name: string;
  readonly operator: string;
  readonly value: string;
}

export interface ListState {
  readonly page: number;
  readonly pageSize: number;
  readonly search: string;
  readonly sort: string;
  readonly locale: string;
  readonly filters: readonly Filter[];
}

/** Columns of every type beside its attributes. */
const SYSTEM = ['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale'];

const DAYS = ['createdAt', 'updatedAt', 'publishedAt'];

/** Values of the filter by status, with those of the parameter `publicationFilter`. */
const STATES: Readonly<Record<string, string>> = {
  draft: 'never-published',
  modified: 'modified',
  published: 'unmodified',
};

export const PAGE_SIZES = [10, 25, 50, 100];
const PAGE_SIZE = 25;
const MAX_PAGE = 1e6;

const TEXTS = ['$containsi', '$eqi', '$startsWithi', '$null', '$notNull'];
const NUMBERS = ['$eq', '$gte', '$lte', '$null', '$notNull'];

/** Operators that editors may choose, by the type of an attribute. */
const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  string: TEXTS,
  text: TEXTS,
  richtext: TEXTS,
  email: TEXTS,
  uid: TEXTS,
  enumeration: ['$eq', '$ne', '$null', '$notNull'],
  boolean: ['$eq', '$null'],
  integer: NUMBERS,
  biginteger: NUMBERS,
  float: NUMBERS,
  decimal: NUMBERS,
  date: NUMBERS,
  datetime: NUMBERS,
  timestamp: NUMBERS,
  time: NUMBERS,
  relation: ['$containsi', '$null', '$notNull'],
  day: ['$eq', '$gte', '$lte'],
  state: ['$eq'],
};

export const operatorsOf = ({ type }: Attribute): readonly string[] => OPERATORS[type] ?? [];

export const needsValue = (operator: string): boolean => operator !== '$null' && operator !== '$notNull';

/** Sort key of a list without one in its address: the order of the editors, else the title. */
function firstSort({ order, title }: Type): string {
  if (order !== null) return `${order}:asc`;
  return title === 'documentId' ? 'updatedAt:desc' : `${title}:asc`;
}

/** Whether the rows of a list can be moved: it shows all documents in the order of the editors. */
export const isOrdered = ({ order, verbs, attributes }: Type, state: ListState): boolean =>
  order !== null &&
  'update' in verbs &&
  attributes.some((one) => one.name === order && isWritable(one, false)) &&
  state.sort === `${order}:asc` &&
  !isNarrowed(state);

/** Whether a list can be sorted by a key: an address may name an attribute that the editor may not read. */
function isSortable(key: string, type: Type): boolean {
  const [name, direction = ''] = key.split(':');
  const isKnown = columnsOf(type).some((column) => column.sortable && column.name === name);
  return isKnown && ['asc', 'desc'].includes(direction);
}

export function readState(address: URLSearchParams, { type, model }: Source): ListState {
  const number = (name: string, fallback: number, max: number): number =>
    Math.min(Math.max(1, Math.floor(Number(address.get(name)) || fallback)), max);
  const sort = address.get('sort') ?? '';
  return {
    page: number('page', 1, MAX_PAGE),
    pageSize: number('pageSize', PAGE_SIZE, 100),
    search: address.get('q') ?? '',
    sort: isSortable(sort, type) ? sort : firstSort(type),
    locale: model.localeOf(address),
    filters: address.getAll('filter').flatMap((text) => {
      const [name = '', operator = '', ...rest] = text.split(' ');
      const [attribute, value] = [filtered(type, name), rest.join(' ')];
      const isKnown = attribute !== undefined && operatorsOf(attribute).includes(operator);
      return isKnown && isValid(attribute, value) ? [{ name, operator, value }] : [];
    }),
  };
}

export function writeState(state: ListState, source: Source): URLSearchParams {
  const start = readState(new URLSearchParams(), source);
  const address = new URLSearchParams();
  if (state.page !== 1) address.set('page', String(state.page));
  if (state.pageSize !== PAGE_SIZE) address.set('pageSize', String(state.pageSize));
  if (state.search !== '') address.set('q', state.search);
  if (state.sort !== start.sort) address.set('sort', state.sort);
  if (state.locale !== start.locale) address.set('locale', state.locale);
  for (const { name, operator, value } of state.filters)
    address.append('filter', [name, operator, value].join(' ').trim());
  return address;
}

interface Source {
  readonly type: Type;
  readonly model: Model;
}

export interface Column {
  readonly name: string;
  /** Null for columns of every type. */
  readonly attribute: Attribute | null;
  readonly sortable: boolean;
}

/** Columns that the list of a type can have. */
export function columnsOf(type: Type): readonly Column[] {
  const own = type.attributes
    .filter(
      (one) => one.actions.includes('find') && !['json', 'array', 'blocks', 'password'].includes(one.type),
    )
    .filter((one) => !['item', 'items'].includes(kindOf(one)))
    .map((attribute) => ({ name: attribute.name, attribute, sortable: kindOf(attribute) === 'value' }));
  return [...own, ...SYSTEM.map((name) => ({ name, attribute: null, sortable: true }))];
}

/** Parameters of the request for one page, with everything that the columns show. */
export function listQuery(state: ListState, columns: readonly Column[], source: Source): Parameters {
  const { type, model } = source;
  const links = columns.filter(({ attribute }) => attribute !== null && kindOf(attribute) === 'links');
  const values = columns.filter((one) => !links.includes(one) && one.name !== 'id').map(({ name }) => name);
  return {
    fields: [...new Set([type.title, 'updatedAt', ...values])],
    populate: Object.fromEntries(links.map(({ attribute }) => linkColumn(attribute as Attribute, model))),
    ...versionQuery(source, state.locale),
    ...(showsPublished(state, type) ? { status: 'published' } : {}),
    ...(hasDrafts(type) || (!type.draftAndPublish && type.localized) ? { withState: true } : {}),
    sort: state.sort,
    ...matchQuery(state, source),
    pagination: { page: state.page, pageSize: state.pageSize },
  };
}

/** Parameters that select the documents of a list, on all pages. */
export const matchQuery = (state: ListState, source: Source): Parameters => ({
  ...(state.search === '' ? {} : { _q: state.search }),
  ...filtersOf(state, source),
});

/** Parameters that select the drafts of a locale. Documents without it are shown in the default locale. */
export function versionQuery({ type, model }: Source, locale: string): Parameters {
  const fallbackLocale = locale === model.defaultLocale ? 'false' : model.defaultLocale;
  return {
    ...(hasDrafts(type) ? { status: 'draft' } : {}),
    ...(type.localized ? { locale, fallbackLocale } : {}),
  };
}

function linkColumn(attribute: Attribute, model: Model): readonly [string, Parameters | true] {
  const target = model.type(attribute.targets?.[0] ?? '');
  const isPlain = attribute.type === 'relation' && target !== null && (attribute.targets ?? []).length === 1;
  return [attribute.name, isPlain ? { fields: [target.title] } : true];
}

/** Attributes of every type, and of its authors, that lists can be filtered by. */
const systemAttributes = (type: Type): readonly Attribute[] => [
  ...(hasDrafts(type) ? [systemAttribute('status', { type: 'state', enum: Object.keys(STATES) })] : []),
  ...DAYS.filter((name) => name !== 'publishedAt' || type.draftAndPublish).map((name) =>
    systemAttribute(name, { type: 'day' }),
  ),
  ...type.authors.map((name) => systemAttribute(name, { type: 'relation', targets: ['user'] })),
];

const systemAttribute = (name: string, more: Pick<Attribute, 'type' | 'enum' | 'targets'>): Attribute => ({
  name,
  label: name,
  required: false,
  localized: false,
  actions: ['find'],
  ...more,
});

/** Attribute that a filter names. */
export const filtered = (type: Type, name: string): Attribute | undefined =>
  [...systemAttributes(type), ...type.attributes].find((one) => one.name === name);

/** Whether a value can be sent: the address of a page may have any. */
function isValid(attribute: Attribute, value: string): boolean {
  if (attribute.type === 'state') return Object.hasOwn(STATES, value);
  return attribute.type !== 'day' || (/^\d{4}-\d\d-\d\d$/.test(value) && isValidTime(`${value}T00:00`));
}

/** Whether the list shows published versions: drafts have no time of publishing. */
export const showsPublished = ({ filters }: Pick<ListState, 'filters'>, type: Type): boolean =>
  hasDrafts(type) && filters.some(({ name }) => name === 'publishedAt');

/** Whether a bulk request can select the documents of the list: it has no filter by status. */
export const isSelectable = ({ filters }: ListState, type: Type): boolean =>
  !filters.some((one) => isState(one, type));

/** Whether a search or a filter leaves documents out. */
export const isNarrowed = ({ search, filters }: ListState): boolean => search !== '' || filters.length > 0;

const isState = ({ name }: Filter, type: Type): boolean => filtered(type, name)?.type === 'state';

/** Returns the filters with another one. A list has one filter by status. */
export const withFilter = (filters: readonly Filter[], added: Filter, type: Type): readonly Filter[] => [
  ...filters.filter((one) => !isState(added, type) || !isState(one, type)),
  added,
];

/** Times of a day in the zone of the editor, by the operator. */
const DAY_CONDITIONS: Readonly<Record<string, (day: string) => Parameters>> = {
  $eq: (day) => ({ $gte: startOfDay(day), $lt: startOfDay(day, 1) }),
  $gte: (day) => ({ $gte: startOfDay(day) }),
  $lte: (day) => ({ $lt: startOfDay(day, 1) }),
};

function conditionOf({ operator, value }: Filter, attribute: Attribute | undefined): Parameters {
  if (attribute?.type === 'day') return DAY_CONDITIONS[operator]?.(value) ?? {};
  const isTime = attribute !== undefined && isInstant(attribute) && isValidTime(value);
  const sought = isTime ? timeOf(value) : value;
  return { [operator]: needsValue(operator) ? sought : true } satisfies Record<string, Parameter>;
}

function filtersOf({ filters }: ListState, { type, model }: Source): Parameters {
  const state = filters.findLast((one) => isState(one, type));
  const conditions = filters
    .filter((one) => !isState(one, type))
    .map((filter): Parameters => {
      const { name, operator } = filter;
      const attribute = filtered(type, name);
      const condition = conditionOf(filter, attribute);
      const target = attribute?.type === 'relation' ? model.type(attribute.targets?.[0] ?? '') : null;
      if (target === null || !needsValue(operator)) return { [name]: condition };
      return { [name]: { [target.title]: condition } };
    });
  return {
    ...(state === undefined ? {} : { publicationFilter: STATES[state.value] ?? '' }),
    ...(conditions.length === 0 ? {} : { filters: { $and: conditions } }),
  };
}

export const searchableAttributes = (type: Type): readonly Attribute[] =>
  [...systemAttributes(type), ...type.attributes].filter(
    (one) => isReadable(one) && !isMorph(one) && operatorsOf(one).length > 0,
  );
