/**
 * Dependencies of a response: the tables that its statement names. A change of one makes the response stale.
 */
import type { Subject } from './ledger.js';
import type { ReadPlan } from '../content/plan/plan.js';
import { notedTables } from '../content/model/ledger.js';
import type { Schema } from '../content/model/model.js';
import { parted } from '../content/model/naming.js';
import type { Statement } from '../kernel/sql.js';

/** `singularApiId` by table name, of all tables whose changes are logged. */
export type Holders = ReadonlyMap<string, string>;

export const holdersOf = (schema: Schema): Holders =>
  new Map(notedTables(schema).map(({ table, type }) => [parted(table).bare, type.singularApiId]));

const NAME = /"([^"]+)"/g;

export interface PlanSubject {
  readonly types: readonly string[];
  /** Whether the response depends on the requested document alone of its type. */
  readonly isAlone: boolean;
}

/**
 * Finds the quoted table names in the statement's text; an equal name of something else only adds a
 * dependency. If each table of the type occurs once, as its own table or as an owned link, nothing leads to
 * other documents of the type. The requested document is then the only dependency of its type.
 */
export function planSubject({ text }: Statement, plan: ReadPlan, holders: Holders): PlanSubject {
  const named = [...text.matchAll(NAME)].flatMap(([, name = '']) => (holders.has(name) ? [name] : []));
  const types = new Set(named.map((name) => holders.get(name) as string));
  const ofType = named.filter((name) => holders.get(name) === plan.type.singularApiId);
  const own = ownTables(plan);
  const isOwn = ofType.every((name, i) => own.includes(name) && ofType.indexOf(name) === i);
  return { types: [...types].sort(), isAlone: plan.documentId !== null && isOwn };
}

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
