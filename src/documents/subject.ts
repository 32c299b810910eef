/** What an answer is about, hence when it has to be read anew: the tables that its statement names. */
import type { Subject } from '../ledger/ledger.js';
import type { ReadPlan } from '../plan/plan.js';
import { notedTables } from '../schema/ledger.js';
import type { Schema } from '../schema/model.js';
import { parted } from '../schema/naming.js';
import type { Statement } from '../sql.js';

/** The name of the type whose content a table holds, by the table's. */
export type Holders = ReadonlyMap<string, string>;

export const holdersOf = (schema: Schema): Holders =>
  new Map(notedTables(schema).map(({ table, type }) => [parted(table).bare, type.singularApiId]));

const NAME = /"([^"]+)"/g;

/** What a plan's answers are about, whichever document they show. */
export interface PlanSubject {
  readonly types: readonly string[];
  /** Whether the one document that is asked for is all that matters. */
  readonly isAlone: boolean;
}

/**
 * Every table stands in a statement's text between quotes; what else has such a name makes the subject larger
 * at most. A document that is looked at by itself, in one place, is a subject alone.
 */
export function planSubject(
  { text }: Statement,
  { documentId, type }: ReadPlan,
  holders: Holders,
): PlanSubject {
  const named = [...text.matchAll(NAME)].flatMap(([, name = '']) => holders.get(name) ?? []);
  const isAlone = documentId !== null && named.length === 1 && named[0] === type.singularApiId;
  return { types: [...new Set(named)].sort(), isAlone };
}

export const subjectOf = ({ types, isAlone }: PlanSubject, { documentId }: ReadPlan): Subject => ({
  types,
  documentId: isAlone ? documentId : null,
});
