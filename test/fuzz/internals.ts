/** Internal modules of the library that the fuzzers use. */
import type * as Authors from '../../src/content/model/authors.ts';
import type * as BuildSchema from '../../src/content/model/build-schema.ts';
import type * as CompileRead from '../../src/content/compile/compile-read.ts';
import type * as Errors from '../../src/kernel/errors.ts';
import type * as Operators from '../../src/content/query/operators.ts';
import type * as PlanCacheRoom from '../../src/content/documents/plan-cache.ts';
import type * as ParseQuery from '../../src/content/query/parse-query.ts';
import type * as PlanRead from '../../src/content/plan/plan-read.ts';
import type * as ReadRaw from '../../src/content/query/read-raw.ts';
import type * as Settings from '../../src/kernel/settings.ts';
import type { Permissions } from 'nestjs-content-api';
import type { Schema } from '../../src/content/model/model.ts';
import type { ContentSettings } from '../../src/kernel/settings.ts';
import type { ReadRequest } from '../../src/content/plan/plan-read.ts';
import type { Statement } from '../../src/kernel/sql.ts';
import { loadRoom } from '../support/rooms.ts';

export type {
  Attribute,
  Component,
  ContentType,
  Model,
  MorphAttribute,
  RelationAttribute,
  ScalarAttribute,
  Schema,
} from '../../src/content/model/model.ts';

export const { buildSchema } = await loadRoom<typeof BuildSchema>('content/model/build-schema');
export const { isAuthor } = await loadRoom<typeof Authors>('content/model/authors');
const { readRaw } = await loadRoom<typeof ReadRaw>('content/query/read-raw');
const { parseQuery } = await loadRoom<typeof ParseQuery>('content/query/parse-query');
const { planRead } = await loadRoom<typeof PlanRead>('content/plan/plan-read');
const { compileAnswer, compileRead } = await loadRoom<typeof CompileRead>('content/compile/compile-read');
const { PlanCache, statementOf: keptStatementOf } = await loadRoom<typeof PlanCacheRoom>(
  'content/documents/plan-cache',
);
export const { OPERATORS } = await loadRoom<typeof Operators>('content/query/operators');
export const { resolveSettings } = await loadRoom<typeof Settings>('kernel/settings');
export const { ContentError, ERRORS } = await loadRoom<typeof Errors>('kernel/errors');

/** Properties of a request besides its query string. */
export interface Request {
  readonly schema: Schema;
  readonly settings: ContentSettings;
  readonly permissions: Permissions;
  readonly type: string;
  readonly documentId?: string;
  readonly format?: 'flat' | 'v4';
}

const READING = { bytes: 1_000_000, noted: false, cached: false, marked: false };

function readRequestOf({
  schema,
  permissions,
  type: name,
  documentId,
  format = 'flat',
}: Request): ReadRequest {
  const type = schema.types.get(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  const kind = documentId === undefined && type.kind === 'collectionType' ? 'list' : 'one';
  return {
    kind,
    type,
    by: documentId === undefined ? null : { documentId },
    caller: { kind: 'public', id: null, permissions },
    format,
    action: kind === 'list' ? 'find' : 'findOne',
  };
}

/** Compiles a query string to the statement of a GET. Throws the errors of the library. */
export function statementOf(query: string, request: Request): Statement {
  const { schema, settings } = request;
  const asked = parseQuery(readRaw(query, settings.limits), settings);
  return compileRead(planRead(asked, readRequestOf(request), { schema, settings }));
}

/** Compiles statements with the plan cache of the settings; `made` counts cache misses. */
export class KeptPlans {
  private readonly settings: ContentSettings;
  private readonly cache: PlanCacheRoom.PlanCache;
  made = 0;

  constructor(settings: ContentSettings) {
    this.settings = settings;
    this.cache = new PlanCache(settings);
  }

  /** Returns the statement of a request. Throws the errors of the library. */
  statementOf(
    query: string | ReadRaw.RawQuery,
    { schema, ...request }: Omit<Request, 'settings'>,
  ): Statement {
    const { settings } = this;
    const asked = readRequestOf({ schema, settings, ...request });
    const plan = this.cache.plan(query, asked, (parsed) => {
      this.made += 1;
      return planRead(parsed, asked, { schema, settings });
    });
    return keptStatementOf(plan, (made) => compileAnswer(made, READING));
  }
}
