import { ContentModelError } from '../../../content/model/content-model-error.js';

/** Options of `AuditModule.forRoot`. */
export interface AuditOptions {
  /** Whether entries have the address of the client, as Express and Fastify know it. Default false. */
  readonly addresses?: boolean;
}

export type ResolvedAuditOptions = Required<AuditOptions>;

export const AUDIT_OPTIONS = Symbol('AuditOptions');

/** Adds the defaults. Throws a ContentModelError for unknown options and wrong values. */
export function resolveAuditOptions(options: AuditOptions): ResolvedAuditOptions {
  const mistakes = Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    if (name !== 'addresses') return [`AuditModule: unknown option "${name}"`];
    return typeof value === 'boolean' ? [] : ['AuditModule: "addresses" must be true or false'];
  });
  if (mistakes.length > 0) throw new ContentModelError(mistakes, 'options');
  return Object.freeze({ addresses: false, ...options });
}
