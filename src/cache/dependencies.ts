/**
 * Dependencies of a response: the tables that its statement names. A change of one makes the response stale.
 */
import { notedTables } from '../content/model/change-log-tables.js';
import type { Schema } from '../content/model/model.js';
import { PerPlan } from '../content/plan/per-plan.js';
import type { ReadPlan } from '../content/plan/plan.js';
import type { Identifier, Statement } from '../kernel/sql.js';
import type { Subject } from './change-log.js';

interface PlanSubject {
  readonly types: readonly string[];
  readonly isAlone: boolean;
}

function ownTables({ type, object }: ReadPlan): readonly Identifier[] {
  const shown = new Set(object.children.map(({ attribute }) => attribute.name));
  const links = type.storage.links.filter(({ attribute }) => shown.has(attribute.name));
  return [type.table, ...links.map(({ table: { table } }) => table)];
}

export class Dependencies {
  private readonly holders: ReadonlyMap<Identifier, string>;
  private readonly plans = new PerPlan<PlanSubject>();

  constructor(schema: Schema) {
    this.holders = new Map(notedTables(schema).map(({ table, type }) => [table, type.singularApiId]));
  }

  typesOf(plan: ReadPlan, statement: Statement): readonly string[] {
    return this.subjectOfPlan(plan, statement).types;
  }

  of(plan: ReadPlan, statement: Statement): Subject {
    const { types, isAlone } = this.subjectOfPlan(plan, statement);
    const { documentId, type } = plan;
    if (!isAlone || documentId === null) return { types, document: null };
    return {
      types: types.filter((one) => one !== type.singularApiId),
      document: { type: type.singularApiId, id: documentId },
    };
  }

  private subjectOfPlan(plan: ReadPlan, statement: Statement): PlanSubject {
    return this.plans.of(plan, () => this.subjectOf(plan, statement));
  }

  /**
   * An equal name of something else only adds a dependency. If each table of the type occurs once, as its own
   * table or as an owned link, nothing leads to other documents of the type. The requested document is then
   * the only dependency of its type.
   */
  private subjectOf(plan: ReadPlan, { names = [] }: Statement): PlanSubject {
    const named = names.filter((name) => this.holders.has(name));
    const types = new Set(names.flatMap((name) => this.holders.get(name) ?? []));
    const ofType = named.filter((name) => this.holders.get(name) === plan.type.singularApiId);
    const own = ownTables(plan);
    const isOwn = ofType.every((name, i) => own.includes(name) && ofType.indexOf(name) === i);
    return { types: [...types].sort(), isAlone: plan.documentId !== null && isOwn };
  }
}
