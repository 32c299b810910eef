/**
 * The pipeline without HTTP and database: compiles a query string to a statement or to an error of the
 * protocol.
 */
import { Permissions } from 'nestjs-content-api';
import type { FuzzRequest } from './arbitraries.ts';
import { buildSchema, ContentError, resolveSettings, statementOf } from './internals.ts';
import { model } from './model.ts';
import { CALLERS } from './server.ts';

export const schema = buildSchema(model.contentTypes, model.components);
const settings = resolveSettings({ locales: model.locales });
export const PERMISSIONS = { all: Permissions.of(CALLERS.all), reader: Permissions.of(CALLERS.reader) };

/** Maximum duration of parsing, planning and printing a query, in milliseconds. */
export const BLOCK = 50;

const cpu = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

export interface PureResult {
  readonly kind: 'statement' | 'refused';
  readonly milliseconds: number;
  readonly text: string;
}

/** Runs a request through the pipeline. Throws unless the result is a statement or a 4xx. */
export function runPure({ type, path, query, v4, caller }: FuzzRequest): PureResult {
  const one = path.includes('{') ? { documentId: 'abcdefghijklmnopqrstuvwx' } : {};
  const start = cpu();
  try {
    const { text } = statementOf(query, {
      schema,
      settings,
      permissions: PERMISSIONS[caller ?? 'reader'],
      type,
      format: v4 ? 'v4' : 'flat',
      ...one,
    });
    return { kind: 'statement', milliseconds: cpu() - start, text };
  } catch (error) {
    if (!(error instanceof ContentError) || error.status < 400 || error.status > 499) throw error;
    return { kind: 'refused', milliseconds: cpu() - start, text: error.message };
  }
}
