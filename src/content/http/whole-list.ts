import { isObject } from '../../kernel/json.js';
import { finiteLimit } from '../../kernel/settings.js';
import type { QueryDefaults } from '../query/read-raw.js';

/**
 * Query defaults of lists without an envelope. They cannot report further pages, so one response has as many
 * documents as a page may have. `start` and `limit` are query parameters themselves, or part of `pagination`.
 */
export const wholeList: QueryDefaults = (query, { maxLimit }) =>
  isObject(query['pagination'])
    ? query
    : {
        ...query,
        pagination: { start: query['start'] ?? 0, limit: query['limit'] ?? finiteLimit(maxLimit) },
      };
