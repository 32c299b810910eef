/**
 * Deliberate improvements over the reference's responses. A case that differs from its record counts as
 * matched only if exactly one entry applies to it, and our response fits that entry. For cases that an entry
 * lists, the response must equal the one in `cases/improved.json`.
 */
import { readFileSync } from 'node:fs';
import { targetOf } from './parsed-request.ts';
import type { ParsedRequest, Parameter } from './parsed-request.ts';
import { at } from './cases.ts';
import type { Case } from './cases.ts';
import { isRefusal } from './compare.ts';
import type { Difference } from './compare.ts';
import type { Answer } from './request.ts';

export interface Improvement {
  readonly id: string;
  /** Reason, with the number of the protocol's item or decision. */
  readonly reason: string;
  /** Numbers of its recorded cases; their responses are in `cases/improved.json`. */
  readonly cases: readonly number[];
  readonly applies: (request: ParsedRequest) => boolean;
  readonly expects: (ours: Answer, request: ParsedRequest, differences: readonly Difference[]) => boolean;
}

/** A response in the form of the recording, which replaces the recorded one. */
export type ExactAnswer = Pick<Case, 'status' | 'response' | 'responseHeaders'>;

const ANSWERS = new URL('./cases/improved.json', import.meta.url);

/** Whole response to each listed case. */
export const EXACT: ReadonlyMap<number, ExactAnswer> = new Map(
  Object.entries(JSON.parse(readFileSync(ANSWERS, 'utf8')) as Record<string, ExactAnswer>).map(
    ([n, answer]) => [Number(n), answer],
  ),
);

interface Problem {
  readonly path: readonly string[];
  readonly message: string;
}

const refuses = (ours: Answer, message: RegExp): boolean =>
  isRefusal(ours) && ours.status === 400 && message.test(String(at(ours.body, 'error.message')));

const problems = (body: unknown): readonly Problem[] =>
  (at(body, 'error.details.errors') ?? []) as readonly Problem[];

const total = (body: unknown): number => Number(at(body, 'meta.pagination.total'));

const wasAnswered = ({ recorded }: ParsedRequest): boolean =>
  recorded.status === 200 || recorded.status === 201;

/** Our total is smaller: we apply a condition that the reference drops or widens. */
const findsFewer = (ours: Answer, { recorded }: ParsedRequest): boolean =>
  ours.status === 200 && total(ours.body) < total(recorded.response);

const of = (parameters: readonly Parameter[], first: string): Parameter[] =>
  parameters.filter(({ keys }) => keys[0] === first);

const PAGE_KEYS = ['page', 'pageSize', 'start', 'limit'];

/** Whether a page parameter has a value, or several, that is not an integer. */
function asksForNoInteger({ parameters }: ParsedRequest): boolean {
  const paging = of(parameters, 'pagination').filter(
    ({ keys }) => keys.length === 2 && PAGE_KEYS.includes(keys[1] ?? ''),
  );
  return (
    paging.some(({ value }) => !Number.isInteger(Number(value))) ||
    new Set(paging.map(({ keys }) => keys[1])).size < paging.length
  );
}

/** `author.employer` → [`author`, `employer`] for every dotted path of populate. */
const dottedPopulates = ({ parameters }: ParsedRequest): string[][] =>
  of(parameters, 'populate').flatMap(({ value }) =>
    value
      .split(',')
      .map((path) => path.trim().split('.'))
      .filter((path) => path.length > 1),
  );

/** Returns every `locale` below the documents of a response. */
function localesBelow(value: unknown, depth = 0): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = depth > 1 && 'locale' in value ? [value.locale] : [];
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, inner]) =>
      localesBelow(inner, depth + (Number.isInteger(Number(key)) ? 0 : 1)),
    ),
  ];
}

/** Returns the JSON attributes that the body sets to a text. */
function jsonTexts({ recorded, type }: ParsedRequest): [string, string][] {
  const data = (at(recorded.body, 'data') ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(data).filter(
    (entry): entry is [string, string] =>
      type?.attributes[entry[0]]?.type === 'json' && typeof entry[1] === 'string',
  );
}

/** Returns the attributes that the body sets to a time without seconds. */
const timesWithoutSeconds = (body: unknown): [string, string][] =>
  Object.entries((at(body, 'data') ?? {}) as Readonly<Record<string, unknown>>).filter(
    (entry): entry is [string, string] => /^\d\d:\d\d$/.test(String(entry[1])),
  );

export const IMPROVEMENTS: readonly Improvement[] = [
  {
    id: 'nobody-is-not-found',
    reason:
      'A user who does not exist is a 404 (1.6, 19.17); the reference answers 204, as if there were one without anything to show.',
    cases: [],
    applies: ({ recorded }) =>
      recorded.method === 'GET' && recorded.status === 204 && /^\/api\/users\/\w+/.test(recorded.path),
    expects: (ours) => isRefusal(ours) && at(ours.body, 'error.name') === 'NotFoundError',
  },
  {
    id: 'readers-may-list-locales',
    reason:
      'A token that may read everything may read which locales there are; the reference refuses it (18.9).',
    cases: [],
    applies: ({ recorded }) =>
      recorded.method === 'GET' &&
      recorded.status === 403 &&
      recorded.path.startsWith('/api/i18n/locales') &&
      recorded.auth === 'read-token',
    expects: (ours, { model }) =>
      ours.status === 200 &&
      (ours.body as readonly { code: string }[]).map(({ code }) => code).join() === model.locales.join(),
  },
  {
    id: 'details-name-the-place',
    reason:
      'A refusal says which key was wrong and where, also where the reference leaves the details empty (D11).',
    cases: [
      177, 184, 638, 657, 658, 1221, 1222, 1223, 1224, 1225, 1227, 1230, 1231, 1232, 1233, 1234, 1238, 1594,
    ],
    applies: ({ recorded }) =>
      recorded.status === 400 && Object.keys(at(recorded.response, 'error.details') ?? {}).length === 0,
    expects: (ours, _asked, differences) => {
      const { key, path } = (at(ours.body, 'error.details') ?? {}) as { key?: unknown; path?: unknown };
      const named = (typeof key === 'string' && typeof path === 'string') || problems(ours.body).length > 0;
      return (
        named &&
        differences.every(
          (difference) => difference.path.startsWith('error.details.') && difference.recorded === undefined,
        )
      );
    },
  },
  {
    id: 'page-parameters-are-integers',
    reason:
      'A page parameter that is not an integer is refused by its name (7.21); the reference ignores it or fails in its own arithmetic.',
    cases: [456, 457, 458, 474, 500, 505, 509],
    applies: asksForNoInteger,
    expects: (ours) => refuses(ours, /^Invalid pagination\.(page|pageSize|start|limit): expected an integer/),
  },
  {
    id: 'unknown-status-is-refused',
    reason:
      'An unknown `status` on a type with draft & publish is a 400 (8.8); the reference shows or creates drafts.',
    cases: [738, 1045],
    applies: (request) =>
      wasAnswered(request) &&
      request.type?.draftAndPublish === true &&
      of(request.parameters, 'status').some(({ value }) => !['draft', 'published'].includes(value)),
    expects: (ours) => refuses(ours, /status/),
  },
  {
    id: 'operand-shape-is-refused',
    reason:
      'An object where an operator takes a value or a list is a 400 (D11); the reference drops the condition and shows everything.',
    cases: [256],
    applies: (request) =>
      wasAnswered(request) &&
      of(request.parameters, 'filters').some(({ keys }) => {
        const operator = keys.findIndex(
          (key) => key.startsWith('$') && !['$and', '$or', '$not'].includes(key),
        );
        return operator > 0 && keys.slice(operator + 1).some((key) => !/^\d+$/.test(key));
      }),
    expects: (ours) => refuses(ours, /\$\w+/),
  },
  {
    id: 'long-lists-count',
    reason:
      'A list of more than 100 conditions or values filters like any other (23.1); the reference drops the whole condition.',
    cases: [964, 967, 972, 973, 975, 976, 978, 980, 981],
    applies: (request) => wasAnswered(request) && of(request.parameters, 'filters').length > 100,
    expects: findsFewer,
  },
  {
    id: 'populated-star-is-true',
    reason:
      '`populate[rel]=*` means `true` (4.3); the reference takes it for the relations below and stumbles over those it may not show.',
    cases: [577],
    applies: ({ recorded, parameters }) =>
      recorded.status === 400 &&
      of(parameters, 'populate').some(({ keys, value }) => value === '*' && keys.length === 2),
    expects: (ours, { parameters }) =>
      ours.status === 200 &&
      of(parameters, 'populate').every(({ keys }) => at(ours.body, `data.0.${keys[1]}`) !== undefined),
  },
  {
    id: 'dotted-populate-keeps-the-readable-part',
    reason:
      'Of `author.employer` an unreadable `employer` is left out and `author` is shown, as in the object form (4.27); the reference leaves out both.',
    cases: [569, 985],
    applies: (request) => wasAnswered(request) && dottedPopulates(request).length > 0,
    expects: (_ours, request, differences) =>
      differences.every(
        ({ path, recorded, ours }) =>
          recorded === undefined &&
          dottedPopulates(request).some(
            ([shown, hidden = '']) => path.endsWith(`.${shown}`) && at(ours, hidden) === undefined,
          ),
      ),
  },
  {
    id: 'locale-reaches-every-level',
    reason:
      "The request's locale picks the versions that a relation shows, also below a type that is not localized (D13, 9.12); the reference shows the default locale there.",
    cases: [725, 1016],
    applies: (request) =>
      wasAnswered(request) &&
      request.type?.localized !== true &&
      of(request.parameters, 'locale').length > 0 &&
      of(request.parameters, 'populate').some(({ keys }) => targetOf(request, keys[1])?.localized === true),
    expects: (ours, { parameters }) => {
      const shown = localesBelow(at(ours.body, 'data'));
      return (
        ours.status === 200 &&
        shown.every((locale) => of(parameters, 'locale').some(({ value }) => value === locale))
      );
    },
  },
  {
    id: 'filters-see-the-requested-version',
    reason:
      'A filter through a relation sees the version that the request reads (D13), so published reads cannot probe drafts; the reference compares with drafts as well.',
    cases: [935, 936],
    applies: (request) =>
      wasAnswered(request) &&
      request.type?.draftAndPublish !== true &&
      of(request.parameters, 'filters').some(
        ({ keys }) => targetOf(request, keys[1])?.draftAndPublish === true,
      ),
    expects: findsFewer,
  },
  {
    id: 'localizations-are-the-other-locales',
    reason:
      "A filter on `localizations` sees what populating shows: the other locales' versions, never the document itself (4.30). In the reference every document is among its own.",
    cases: [338],
    applies: (request) =>
      wasAnswered(request) &&
      of(request.parameters, 'filters').some(({ keys }) => keys.includes('localizations')),
    expects: findsFewer,
  },
  {
    id: 'negated-relation-filter-works',
    reason:
      '`filters[rel][$not][attribute]` is a condition like any other (5.4); the reference fails with 500.',
    cases: [862],
    applies: (request) =>
      request.recorded.status === 500 &&
      of(request.parameters, 'filters').some(
        ({ keys }) => keys[2] === '$not' && targetOf(request, keys[1]) !== undefined && keys.length > 3,
      ),
    expects: (ours) => ours.status === 200 && total(ours.body) > 0,
  },
  {
    id: 'one-shape-for-wrong-methods',
    reason:
      'A method that a route does not have is a 405 in the error shape, with `Allow`; below the routes any method is a 404 (1.8, 1.9, 2.1). The reference answers 405 in plain text.',
    cases: [1031, 1035],
    applies: ({ recorded }) => recorded.status === 405 && typeof recorded.response === 'string',
    expects: (ours, { recorded }) => {
      const isRoute =
        recorded.path
          .split('?')[0]
          ?.split('/')
          .filter((part) => part !== '').length === 2;
      return (
        isRefusal(ours) &&
        (ours.status === 405 ? ours.headers.allow !== undefined : ours.status === 404 && !isRoute)
      );
    },
  },
  {
    id: 'json-texts-are-texts',
    reason:
      'A text in a JSON attribute is the JSON text that was sent (14.14); the reference parses it, and fails with 500 where it cannot.',
    cases: [1239, 1240, 1244],
    applies: (request) => request.recorded.status !== 400 && jsonTexts(request).length > 0,
    expects: (ours, request) =>
      [200, 201].includes(ours.status) &&
      jsonTexts(request).every(([name, text]) => at(ours.body, `data.${name}`) === text),
  },
  {
    id: 'all-problems-at-once',
    reason:
      'One answer lists every problem of a body (14.21); the reference stops at the first attribute whose components are wrong.',
    cases: [1292],
    applies: ({ recorded }) => recorded.status === 400 && problems(recorded.response).length > 0,
    expects: (ours, { recorded }) => {
      const found = problems(ours.body).map(({ path, message }) => `${path.join('.')} ${message}`);
      const first = problems(recorded.response).map(({ path, message }) => `${path.join('.')} ${message}`);
      return (
        refuses(ours, new RegExp(`^${found.length} errors occurred$`)) &&
        found.length > first.length &&
        first.every((problem) => found.includes(problem))
      );
    },
  },
  {
    id: 'required-inside-components',
    reason:
      'A required attribute of a component instance is required on every write that is not a draft (protocol 12.11); the reference lets updates of types without drafts store incomplete instances.',
    cases: [1602, 1603],
    applies: (request) => request.recorded.method === 'PUT' && wasAnswered(request),
    expects: (ours) =>
      refuses(ours, /(must be defined\.|final value was: `null`\.)$/) &&
      problems(ours.body).every(({ path }) => path.length > 1),
  },
  {
    id: 'times-without-seconds',
    reason: 'A time may leave its seconds out (protocol 5.29, 14.11).',
    cases: [181, 1053, 1228],
    applies: ({ recorded }) =>
      recorded.status === 400 &&
      /"\d\d:\d\d"|=\d\d:\d\d(&|$)/.test(JSON.stringify(recorded.body) + recorded.path),
    expects: (ours, { recorded }) =>
      [200, 201].includes(ours.status) &&
      (recorded.method === 'GET' ||
        timesWithoutSeconds(recorded.body).every(
          ([name, time]) => at(ours.body, `data.${name}`) === `${time}:00`,
        )),
  },
  {
    id: 'files-have-document-ids',
    reason:
      'A file is found by its document id as well as by the id of its row (20.7); the reference fails with 500.',
    cases: [1816],
    applies: ({ recorded }) => /^\/api\/upload\/files\/[a-z][a-z0-9]{23}$/.test(recorded.path),
    expects: (ours, { recorded }) =>
      ours.status === 200 && at(ours.body, 'documentId') === recorded.path.split('/').at(-1),
  },
  {
    id: 'forms-are-no-json',
    reason:
      'A body of content that does not say that it is JSON is refused by its type, because pages of other sites can send forms with what a browser knows of its visitor (1.11, 1.13); the reference says that it lacks `data`.',
    cases: [1828],
    applies: ({ recorded }) =>
      recorded.status === 400 &&
      !recorded.path.startsWith('/api/upload') &&
      at(recorded.body, '__multipart') !== undefined,
    expects: (ours) => isRefusal(ours) && ours.status === 415,
  },
  {
    id: 'no-condition-is-lost',
    reason:
      'A condition on a name that objects inherit is refused like any other unknown name (D9, 15.7); the reference drops it and answers all rows.',
    cases: [262, 264],
    applies: (request) =>
      wasAnswered(request) &&
      request.parameters.some(
        ({ keys }) =>
          ['filters', 'populate', 'sort', 'fields'].includes(keys[0] ?? '') &&
          keys.slice(1).some((key) => key in Object.prototype),
      ),
    expects: (ours) => refuses(ours, /^Invalid key \w+/),
  },
];
