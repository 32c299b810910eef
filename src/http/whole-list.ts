/** The query of lists without an envelope. */
import { isObject } from '../json.js';
import type { QueryDefaults } from '../query/read-raw.js';

/**
 * A bare list has no place to say that there is more, so it has as many as a page may have. `start` and
 * `limit` stand at the root, or in `pagination` as everywhere else.
 */
export const wholeList: QueryDefaults = (query, { maxLimit }) =>
  isObject(query['pagination'])
    ? query
    : { ...query, pagination: { start: query['start'] ?? 0, limit: query['limit'] ?? maxLimit } };
