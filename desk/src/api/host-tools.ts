import type { DeskTools } from '../../../src/features/desk/desk-extension.ts';
import { settings } from '../settings.ts';
import { request } from './http.ts';
import type { Parameters } from './query.ts';

/** Tools for fields and screens of the host. */
export const hostTools = (language: string): DeskTools => ({
  language,
  request: async (path, { method = 'GET', query = {}, body } = {}) =>
    (
      await request<unknown>(`${settings.api}${path}`, {
        method,
        query: query as Parameters,
        ...(body === undefined ? {} : { body }),
      })
    ).body,
});
