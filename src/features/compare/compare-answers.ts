/** Differences of two responses, each with the rule of the protocol that decides it. */
import { isObject } from '../../kernel/json.js';

export interface Difference {
  /** Place in the response, such as `data.0.cover.formats`. */
  readonly path: readonly string[];
  /** Values of the former server and of this one; undefined for none. */
  readonly former: unknown;
  readonly now: unknown;
  /** Objects that contain the value, innermost first, as this server returns them. */
  readonly parents: readonly unknown[];
}

export interface DecidedDifference extends Difference {
  /** Number of the rule; null for a difference that no rule decides. */
  readonly rule: string | null;
}

/** Facts about the request. */
export interface RequestFacts {
  /** The request filters by a relation. */
  readonly filtersLinks: boolean;
  /** Names of attributes that show the polymorphic links of other documents. */
  readonly inverse: ReadonlySet<string>;
}

type DifferencePlace = Omit<Difference, 'former' | 'now'>;

function differing(former: unknown, now: unknown, at: DifferencePlace): Difference[] {
  if (Object.is(former, now)) return [];
  const inside = (a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): Difference[] =>
    [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
      differing(a[key], b[key], { path: [...at.path, key], parents: [now, ...at.parents] }),
    );
  if (Array.isArray(former) && Array.isArray(now)) {
    if (former.length !== now.length) return [{ ...at, former, now }];
    return inside(Object.fromEntries(former.entries()), Object.fromEntries(now.entries()));
  }
  if (isObject(former) && isObject(now) && !Array.isArray(former) && !Array.isArray(now))
    return inside(former, now);
  return [{ ...at, former, now }];
}

interface Rule {
  readonly rule: string;
  readonly decides: (difference: Difference, key: string, facts: RequestFacts) => boolean;
}

const has = (value: unknown, ...keys: readonly string[]): boolean =>
  isObject(value) && keys.every((key) => Object.hasOwn(value, key));

const isFile = ([parent]: readonly unknown[]): boolean => has(parent, 'hash', 'mime', 'url');

/** Keys of files whose bytes are stored again. */
const OF_BYTES: readonly string[] = [
  'size',
  'formats',
  'provider',
  'provider_metadata',
  'previewUrl',
  'hash',
  'url',
];

const RULES: readonly Rule[] = [
  {
    rule: 'D1',
    decides: ({ former, now }, key) =>
      key === 'locale' && (former === null || former === undefined) && typeof now === 'string',
  },
  {
    rule: 'contract "Populated related content"',
    decides: ({ former, now, parents: [parent] }, key) =>
      key === 'documentId' && former === undefined && typeof now === 'string' && !has(parent, 'createdAt'),
  },
  {
    rule: 'D18',
    decides: ({ former, now, parents: [parent] }, key) =>
      key === 'id' && typeof former === typeof now && !has(parent, 'createdAt'),
  },
  {
    rule: 'D7',
    decides: ({ path, parents }, key) =>
      path.includes('formats') || (OF_BYTES.includes(key) && isFile(parents)),
  },
  // Strapi finds no polymorphic links of other documents that were set from their side.
  { rule: 'D33', decides: ({ path }, _key, { inverse }) => path.some((key) => inverse.has(key)) },
  // A filter in Strapi finds documents by versions of their targets that the response does not show.
  { rule: 'D13', decides: ({ path }, _key, { filtersLinks }) => filtersLinks && isWhole(path) },
];

/** Whether a path names the whole list of documents, or its page. */
const isWhole = ([, part, ...rest]: readonly string[]): boolean =>
  (part === 'data' && rest.length === 0) || part === 'meta';

/** Returns the differences of two responses. */
export const compareAnswers = (former: unknown, now: unknown, facts: RequestFacts): DecidedDifference[] =>
  differing(former, now, { path: [], parents: [] }).map((difference) => {
    const key = difference.path.at(-1) ?? '';
    const found = RULES.find(({ decides }) => decides(difference, key, facts));
    return { ...difference, rule: found?.rule ?? null };
  });
