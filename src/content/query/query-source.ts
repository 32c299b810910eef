/** Query for the cache of plans: the text of a request, or an object of the application. */
import { isObject } from '../../kernel/json.js';
import type { ContentSettings } from '../../kernel/settings.js';
import { parseQuery } from './parse-query.js';
import type { Query } from './query.js';
import { type RawQuery, readRaw } from './read-raw.js';
import { openText, shapeOf, type TextShape, tokenOf, withOpenOperands } from './text-shape.js';

export interface QuerySource {
  /** Text that only equal queries have; null if the query cannot be cached. */
  readonly key: string | null;
  readonly query: () => Query;
  /** Returns the template of the query. */
  readonly shape: () => TextShape;
  /** Returns the query with placeholders for the values of its template. */
  readonly open: () => Query;
}

export function textSource(text: string, settings: ContentSettings): QuerySource {
  const parse = (one: string): Query => parseQuery(readRaw(one, settings.limits), settings);
  return {
    key: text,
    query: () => parse(text),
    shape: () => shapeOf(text),
    open: () => withOpenOperands(parse(openText(shapeOf(text)))),
  };
}

/** Source of a query object. Texts in its filters become parameters, like the values of a query string. */
export function objectSource(raw: RawQuery, settings: ContentSettings): QuerySource {
  const text = isExact(raw) ? JSON.stringify(raw) : null;
  // A cached plan must not contain arrays that the application changes later.
  const own = (): RawQuery => (text === null ? raw : (JSON.parse(text) as RawQuery));
  return {
    key: text === null ? null : `${OBJECT}${text}`,
    query: () => parseQuery(own(), settings),
    shape: () => {
      const values: string[] = [];
      const shape = withValues(raw, (value) => `${values.push(encodeURIComponent(value))}`);
      return { text: `${OBJECT}${JSON.stringify(shape)}`, values };
    },
    open: () => {
      let place = 0;
      return withOpenOperands(
        parseQuery(
          withValues(own(), () => tokenOf('query', place++)),
          settings,
        ),
      );
    },
  };
}

/** First character of the key of an object, which no query string of a request has. */
const OBJECT = '\u0000';

/** Whether JSON represents a query without loss, and a query string can have its texts. */
function isExact(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isExact);
  if (!isObject(value)) return value === null || typeof value === 'boolean';
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isExact);
}

/** Returns a query with other texts in its filters. An empty text stays, since it may mean null. */
const withValues = (raw: RawQuery, replace: (value: string) => string): RawQuery =>
  raw['filters'] === undefined ? raw : { ...raw, filters: withTexts(raw['filters'], replace) };

function withTexts(value: unknown, replace: (value: string) => string): unknown {
  if (typeof value === 'string') return value === '' ? value : replace(value);
  if (Array.isArray(value)) return value.map((one) => withTexts(one, replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withTexts(one, replace)]));
}
