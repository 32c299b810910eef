/** Queries for the comparison of two servers, from a model and from documents of it. */
import type { Attribute, ContentType, Model, ScalarAttribute, Schema } from '../../content/model/model.js';
import type { ScalarTypeName } from '../../content/model/definitions.js';
import { isObject, isText } from '../../kernel/json.js';
import { FormerNames } from './former-names.js';

export type Sample = Readonly<Record<string, unknown>>;

/** Request of a GET, below the prefix of the API. */
export interface Query {
  readonly type: string;
  readonly path: string;
  /** The same request, with the names of the former server. */
  readonly formerPath: string;
  /** The request filters by a relation. */
  readonly filtersLinks: boolean;
}

interface QueryScope {
  readonly type: ContentType;
  readonly names: FormerNames;
  readonly samples: readonly Sample[];
  /** State and locale parameters of the requests. */
  readonly moments: readonly string[];
}

/** Deepest populated level: components in components. */
const DEPTH = 5;
const ORDERED_TYPES: readonly ScalarTypeName[] = [
  ...(['integer', 'biginteger', 'float', 'decimal', 'date', 'time', 'datetime', 'timestamp'] as const),
];
const TEXTS: readonly ScalarTypeName[] = ['string', 'text', 'richtext', 'email', 'uid', 'enumeration'];
const EQUAL: readonly ScalarTypeName[] = [...ORDERED_TYPES, ...TEXTS, 'boolean'];
/** Longest text in a filter. */
const LONGEST = 40;

/** Returns `path?a&b` with the page of a list. */
const listQuery = ({ type, names }: QueryScope, parts: readonly string[]): string => {
  const page = type.kind === 'singleType' ? [] : ['pagination[pageSize]=50'];
  return `${names.route(type)}?${[...page, ...parts].join('&')}`;
};

const typeOf = ({ def }: ScalarAttribute): ScalarTypeName => def.type;

function isAskable(attribute: Attribute): boolean {
  return !attribute.private && !attribute.hidden && !attribute.system;
}

const scalarsOf = (type: ContentType): ScalarAttribute[] =>
  type.shown.filter((one) => isAskable(one) && one.type.readable);

/** Populate parameters of all relations, media, components and zones. */
function populateAll(
  model: Model,
  names: FormerNames,
  { at, depth }: { readonly at: string; readonly depth: number },
): string[] {
  return [...model.attributes.values()].filter(isAskable).flatMap((attribute): string[] => {
    const here = `${at}[${names.attribute(model, attribute.name)}]`;
    if (!attribute.linked && !('components' in attribute)) return [];
    if (attribute.linked)
      return attribute.targets.some(({ routes }) => routes.length > 0) || attribute.media
        ? [`${here}=true`]
        : [];
    return attribute.components.flatMap((component) => {
      const inner = attribute.named ? `${here}[on][${names.uid(component)}]` : here;
      const next = { at: `${inner}[populate]`, depth: depth - 1 };
      const deeper = depth === 0 ? [] : populateAll(component, names, next);
      return deeper.length === 0 ? [`${inner}=true`] : deeper;
    });
  });
}

/** Cuts a text between code points: `encodeURIComponent` throws for half an emoji. */
const cut = (text: string, start: number, end?: number): string =>
  Array.from(text).slice(start, end).join('');

/** Distinct values of an attribute that fit into a query. */
function valuesOf(samples: readonly Sample[], name: string): string[] {
  const values = samples
    .map((sample) => sample[name])
    .filter((value) => value !== null && value !== undefined);
  const texts = values.flatMap((value) => (typeof value === 'object' ? [] : [String(value as string)]));
  return [...new Set(texts)].filter((text) => text !== '' && text.length <= LONGEST).slice(0, 3);
}

function filtersOf(attribute: ScalarAttribute, { type: owner, names, samples }: QueryScope): string[] {
  const type = typeOf(attribute);
  const name = names.attribute(owner, attribute.name);
  const at = (operator: string, value: string, more = ''): string =>
    `filters[${name}][${operator}]${more}=${encodeURIComponent(value)}`;
  const always = [at('$null', 'true'), at('$notNull', 'true')];
  const values = valuesOf(samples, attribute.name);
  const [first, second = first] = values;
  if (first === undefined || second === undefined) return always;
  const equal = EQUAL.includes(type)
    ? [
        at('$eq', first),
        at('$ne', first),
        `${at('$in', first, '[0]')}&${at('$in', second, '[1]')}`,
        at('$notIn', first, '[0]'),
      ]
    : [];
  const ordered = ORDERED_TYPES.includes(type)
    ? [
        at('$lt', first),
        at('$gte', second),
        `${at('$between', first, '[0]')}&${at('$between', second, '[1]')}`,
      ]
    : [];
  const part = cut(first, 1, 4);
  const texts =
    TEXTS.includes(type) && part.trim() === part && part !== ''
      ? [
          at('$contains', part),
          at('$startsWith', cut(first, 0, 2)),
          at('$endsWithi', cut(first, -2)),
          at('$containsi', part.toUpperCase()),
          at('$notContains', part),
        ]
      : [];
  return [...always, ...equal, ...ordered, ...texts];
}

const RELATION_KINDS: readonly string[] = ['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany'];

/** Filters over relations: by the id of a target, and by whether there is one. */
function linkFilters({ type, names, samples }: QueryScope): string[] {
  return [...type.attributes.values()].filter(isAskable).flatMap((attribute): string[] => {
    if (!attribute.linked || attribute.polymorphic || attribute.media) return [];
    if (attribute.name === 'localizations') return [];
    if (!RELATION_KINDS.includes(attribute.def.type === 'relation' ? attribute.def.relation : '')) return [];
    if (attribute.targets.every(({ routes }) => routes.length === 0)) return [];
    const linked = samples.map((sample) => [sample[attribute.name] ?? []].flat()[0]);
    const id = linked.filter(isObject).map((one) => one['documentId'])[0];
    const name = names.attribute(type, attribute.name);
    const by = isText(id) ? [`filters[${name}][documentId][$eq]=${id}`] : [];
    return [...by, `filters[${name}][id][$notNull]=true`];
  });
}

function listQueries(scope: QueryScope): string[] {
  const { type, names, samples, moments } = scope;
  const [moment = ''] = moments;
  const scalars = scalarsOf(type);
  const sorted = [
    'sort=id',
    ...scalars
      .filter((one) => EQUAL.includes(typeOf(one)))
      .map((one) => names.attribute(type, one.name))
      .flatMap((name) => [`sort[0]=${name}:asc&sort[1]=id`, `sort[0]=${name}:desc&sort[1]=id`]),
  ];
  const words = scalars
    .filter((one) => TEXTS.includes(typeOf(one)))
    .flatMap(({ name }) => valuesOf(samples, name));
  const pages = [
    'pagination[page]=2&pagination[pageSize]=3',
    'pagination[start]=1&pagination[limit]=2',
    'pagination[withCount]=false',
  ];
  return [
    ...sorted.map((sort) => listQuery(scope, [sort, moment])),
    ...[...scalars.flatMap((one) => filtersOf(one, scope)), ...linkFilters(scope)].map((filter) =>
      listQuery(scope, [filter, 'sort=id', moment]),
    ),
    ...words
      .slice(0, 5)
      .map((word) => listQuery(scope, [`_q=${encodeURIComponent(cut(word, 0, 6))}`, 'sort=id', moment])),
    ...pages.map((page) => `${names.route(type)}?${page}&sort=id&${moment}`),
  ];
}

/** All queries of a type, the most significant ones first. */
function queriesOfType(scope: QueryScope): string[] {
  const { type, names, samples, moments } = scope;
  const deep = populateAll(type, names, { at: 'populate', depth: DEPTH });
  const whole = moments.flatMap((moment) => [
    listQuery(scope, ['sort=id', moment, ...deep]),
    listQuery(scope, ['sort=id', moment, 'populate=*']),
  ]);
  const shown = scalarsOf(type).map(({ name }) =>
    listQuery(scope, [`fields[0]=${names.attribute(type, name)}`, 'sort=id', moments[0] ?? '']),
  );
  const ones = samples
    .slice(0, 3)
    .flatMap(({ documentId }) =>
      isText(documentId)
        ? moments.map((moment) => `${names.route(type)}/${documentId}?${[moment, ...deep].join('&')}`)
        : [],
    );
  if (type.kind === 'singleType') return [...whole, ...shown];
  return [...whole, ...ones, ...listQueries(scope), ...shown];
}

interface QuerySettings {
  readonly count: number;
  readonly locales: readonly string[];
  readonly names: FormerNames;
}

/** Returns at most `count` queries; types take turns. */
export function compareQueries(
  schema: Schema,
  samples: ReadonlyMap<string, readonly Sample[]>,
  { count, locales, names }: QuerySettings,
): Query[] {
  const own = new FormerNames(schema, {});
  const types = [...schema.types.values()].filter(({ routes, internal }) => routes.length > 0 && !internal);
  const queues = types.map((type) => {
    const states = type.draftAndPublish ? ['status=published', 'status=draft'] : ['status=published'];
    const moments = states.flatMap((state) =>
      type.localized ? locales.map((one) => `${state}&locale=${one}`) : [state],
    );
    const scope = { type, names: own, moments, samples: samples.get(type.singularApiId) ?? [] };
    const byLinks = new Set(linkFilters(scope));
    const former = queriesOfType({ ...scope, names });
    return queriesOfType(scope).map((path, i): Query => {
      const filtersLinks = [...byLinks].some((filter) => path.includes(filter));
      return { type: type.singularApiId, path, formerPath: former[i] ?? path, filtersLinks };
    });
  });
  const longest = Math.max(0, ...queues.map(({ length }) => length));
  const turns = Array.from({ length: longest }, (_, i) => queues.flatMap((queue) => queue[i] ?? []));
  return turns.flat().slice(0, count);
}
