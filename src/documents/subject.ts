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
  /** Whether, of the type that is asked for, only the document does that is asked for. */
  readonly isAlone: boolean;
}

/**
 * Every table stands in a statement's text between quotes; what else has such a name makes the subject larger
 * at most. Only the document asked for matters of its type where no table of the type is looked at twice, and
 * none but for the document itself and for the links that it owns: nothing leads back to others then.
 */
export function planSubject({ text }: Statement, plan: ReadPlan, holders: Holders): PlanSubject {
  const named = [...text.matchAll(NAME)].flatMap(([, name = '']) => (holders.has(name) ? [name] : []));
  const types = new Set(named.map((name) => holders.get(name) as string));
  const ofType = named.filter((name) => holders.get(name) === plan.type.singularApiId);
  const own = ownTables(plan);
  const isOwn = ofType.every((name, i) => own.includes(name) && ofType.indexOf(name) === i);
  return { types: [...types].sort(), isAlone: plan.documentId !== null && isOwn };
}

/** The tables of a document and of the links that it shows and owns. */
function ownTables({ type, object }: ReadPlan): readonly string[] {
  const shown = new Set(object.children.map(({ attribute }) => attribute.name));
  const links = type.storage.links.filter(({ attribute }) => shown.has(attribute.name));
  return [type.table, ...links.map(({ table: { table } }) => table)].map((table) => parted(table).bare);
}

export function subjectOf({ types, isAlone }: PlanSubject, { documentId, type }: ReadPlan): Subject {
  if (!isAlone || documentId === null) return { types, document: null };
  const { singularApiId } = type;
  return {
    types: types.filter((one) => one !== singularApiId),
    document: { type: singularApiId, id: documentId },
  };
}
