/** Schemas of `meta` in responses. */
import { type JsonSchema, open } from './document.js';

const COUNT: JsonSchema = { type: 'integer', minimum: 0 };

/** Pagination by page or by offset; totals only if they are counted. */
const PAGINATION: JsonSchema = {
  anyOf: [
    open({ page: COUNT, pageSize: COUNT, pageCount: COUNT, total: COUNT }, ['page', 'pageSize']),
    open({ start: COUNT, limit: COUNT, total: COUNT }, ['start', 'limit']),
  ],
};

/** Metadata of a response; interceptors may add members. */
export const META: JsonSchema = { type: 'object', additionalProperties: true };

export const LIST_META: JsonSchema = {
  ...open({ pagination: PAGINATION }, ['pagination']),
  additionalProperties: true,
};

export const envelope = (data: JsonSchema, meta: JsonSchema = META): JsonSchema =>
  open({ data, meta }, ['data', 'meta']);
