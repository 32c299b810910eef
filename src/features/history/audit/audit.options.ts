import { checkModuleOptions, FLAG, type OptionsOf } from '../../../content/model/option-table.js';

/** Options of `AuditModule.forRoot`. */
export interface AuditOptions {
  /** Whether entries have the address of the client, as Express and Fastify know it. Default false. */
  readonly addresses?: boolean;
}

export type ResolvedAuditOptions = Required<AuditOptions>;

export const AUDIT_OPTIONS = Symbol('AuditOptions');

const OPTIONS: OptionsOf<AuditOptions> = { addresses: FLAG };

/** Adds the defaults. Throws a ContentModelError for unknown options and wrong values. */
export function resolveAuditOptions(options: AuditOptions): ResolvedAuditOptions {
  checkModuleOptions('AuditModule', options, OPTIONS);
  return Object.freeze({ addresses: options.addresses ?? false });
}
