/**
 * The library's own rooms, for tests that look below HTTP: the sources under jest, the built package in plain
 * Node, which cannot run decorators.
 */
import type * as BuildSchema from '../../src/schema/build-schema.ts';
import type * as CompileRead from '../../src/compile/compile-read.ts';
import type * as Errors from '../../src/errors.ts';
import type * as Operators from '../../src/query/operators.ts';
import type * as ParseQuery from '../../src/query/parse-query.ts';
import type * as PlanRead from '../../src/plan/plan-read.ts';
import type * as ReadRaw from '../../src/query/read-raw.ts';
import type * as Settings from '../../src/settings.ts';
import type { Permissions } from 'nestjs-content-api';
import type { Schema } from '../../src/schema/model.ts';
import type { ContentSettings } from '../../src/settings.ts';
import type { Statement } from '../../src/sql.ts';

export type {
  Attribute,
  Component,
  ContentType,
  Model,
  MorphAttribute,
  RelationAttribute,
  ScalarAttribute,
  Schema,
} from '../../src/schema/model.ts';

const underJest = process.env.JEST_WORKER_ID !== undefined;
const load = <T>(room: string): Promise<T> =>
  import(underJest ? `../../src/${room}.ts` : `../../dist/${room}.js`) as Promise<T>;

export const { buildSchema } = await load<typeof BuildSchema>('schema/build-schema');
const { readRaw } = await load<typeof ReadRaw>('query/read-raw');
const { parseQuery } = await load<typeof ParseQuery>('query/parse-query');
const { planRead } = await load<typeof PlanRead>('plan/plan-read');
const { compileRead } = await load<typeof CompileRead>('compile/compile-read');
export const { OPERATORS } = await load<typeof Operators>('query/operators');
export const { resolveSettings } = await load<typeof Settings>('settings');
export const { ContentError, ERRORS } = await load<typeof Errors>('errors');

/** What a request is beside its query string. */
export interface Request {
  readonly schema: Schema;
  readonly settings: ContentSettings;
  readonly permissions: Permissions;
  /** `singularApiId`. */
  readonly type: string;
  readonly documentId?: string;
  readonly format?: 'flat' | 'v4';
}

/** Query string → statement, as a GET does it. Throws the library's errors. */
export function statementOf(
  query: string,
  { schema, settings, permissions, type: name, documentId, format = 'flat' }: Request,
): Statement {
  const type = schema.types.get(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  const raw = readRaw(query, settings.limits);
  const kind = documentId === undefined && type.kind === 'collectionType' ? 'list' : 'one';
  const request = {
    kind,
    type,
    by: documentId === undefined ? null : { documentId },
    caller: { kind: 'public', id: null, permissions },
    format,
    action: kind === 'list' ? 'find' : 'findOne',
  } as const;
  return compileRead(planRead(parseQuery(raw, settings), request, { schema, settings }));
}
