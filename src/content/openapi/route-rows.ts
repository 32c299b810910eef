/** OpenAPI operations of a table of routes whose grants are those of one subject. */
import type { Action } from '../access/actions.js';
import type { Describe } from './describing.js';
import { json, type JsonSchema, open, type Operation, type Parameter } from './document.js';
import { envelope } from './meta.js';
import { needsGrant } from './operation-texts.js';
import { errorAnswers, ON_DOCUMENT, statusesOf } from './error-answers.js';

/** Route below the path of its subject. */
export interface RouteRow {
  readonly path: '' | `/{id}${string}`;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly handler: string;
  /** Grant that the route needs. */
  readonly action: Action;
  readonly summary: string;
  /** Default 200. */
  readonly status?: 200 | 201 | 204;
  /** Schema of `data` in the response; omitted without a body. */
  readonly answer?: JsonSchema;
  /** Schema of `meta` in the response; omitted without one. */
  readonly meta?: JsonSchema;
  /** Schema of `data` in the request; omitted without a body. */
  readonly body?: JsonSchema;
  /** Whether the body may be omitted. Default false. */
  readonly optionalBody?: boolean;
  /** Parameters in addition to `id`. Default none. */
  readonly more?: readonly Parameter[];
}

export interface RouteTable {
  /** Subject of the grants, such as `webhook`. */
  readonly subject: string;
  /** First segment of the paths, and tag of the operations. */
  readonly path: string;
  /** Prefix of the operation ids. */
  readonly name: string;
  /** Parameter `id` of the paths; omitted if no path has it. */
  readonly id?: Parameter;
  readonly rows: readonly RouteRow[];
}

const dataOf = (schema: JsonSchema): JsonSchema => open({ data: schema }, ['data']);

/** Describes the routes of a table that a caller can use. */
export const routesOf =
  ({ subject, path: first, name, id, rows }: RouteTable): Describe =>
  ({ base, caller, components }) => {
    const paths: Record<string, Record<string, Operation>> = {};
    for (const row of rows) {
      const { path, method, handler, action, summary, status = 200, answer, body, more = [], meta } = row;
      if (!caller.permissions.allowsWhole(subject, action)) continue;
      const onOne = path === '' ? [] : ON_DOCUMENT;
      const parameters = [...(path === '' || id === undefined ? [] : [id]), ...more];
      (paths[`${base}/${first}${path}`] ??= {})[method] = {
        operationId: `${name}_${handler}`,
        tags: [first],
        summary,
        description: needsGrant(action, subject),
        ...(parameters.length === 0 ? {} : { parameters }),
        ...(body === undefined
          ? {}
          : { requestBody: { required: row.optionalBody !== true, content: json(dataOf(body)) } }),
        responses: {
          [status]: {
            description: 'Success.',
            ...(answer === undefined
              ? {}
              : { content: json(meta === undefined ? dataOf(answer) : envelope(answer, meta)) }),
          },
          ...errorAnswers(statusesOf(method, onOne), components),
        },
      };
    }
    return paths;
  };
