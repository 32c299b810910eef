/**
 * Keeps what a query text was planned and printed as: front ends ask the same few questions again and again.
 */
import type { Permissions } from '../access/permissions.js';
import { isHeavy } from '../plan/is-heavy.js';
import type { ReadPlan } from '../plan/plan.js';
import { byDocumentId, type ReadRequest } from '../plan/plan-read.js';
import type { Statement } from '../sql.js';

/** Longer texts are planned anew each time, so that the cache stays small. */
const LONGEST = 2048;

/** Stands for the document's id in what is kept; an id that no document has. */
const HOLE = `:documentId:${Math.random()}`;

/**
 * What was used lately, and what was before that: a generation that is full ends the one before it. A hit
 * changes nothing, where an order by last use would rebuild its table again and again.
 */
interface Generations {
  young: Map<string, ReadPlan>;
  old: Map<string, ReadPlan>;
}

/**
 * Plans by the caller's rights, the route and the text. They are pure values of these, so they never go
 * stale.
 */
export class PlanCache {
  private readonly byRights = new WeakMap<Permissions, Generations>();

  constructor(private readonly limit: number) {}

  /** The plan of a request: kept, or made by `make`. What `make` throws is not kept. */
  plan(text: string, request: ReadRequest, make: (request: ReadRequest) => ReadPlan): ReadPlan {
    const { by, permissions, type, action } = request;
    // A row's id is asked for by account routes alone, which are not worth a place.
    if (by !== null && !('documentId' in by)) return make(request);
    const documentId = by?.documentId ?? null;
    // A plan for somebody's own documents has their name in it.
    const own =
      request.user !== null &&
      ([action, 'find', 'findOne', 'readDrafts'] as const).some((right) =>
        permissions.allowsOwn(type.singularApiId, right),
      );
    if (text.length > LONGEST || this.limit === 0 || own) return make(request);
    const key = `${type.uid} ${action} ${request.kind} ${request.format} ${documentId === null ? '' : 1} ${text}`;
    const generations = this.generationsOf(permissions);
    let plan = generations.young.get(key);
    if (plan === undefined) {
      plan = generations.old.get(key) ?? {
        ...make(documentId === null ? request : { ...request, by: byDocumentId(HOLE) }),
        kept: { statement: null, heavy: null },
      };
      if (generations.young.size >= this.limit / 2) {
        generations.old = generations.young;
        generations.young = new Map();
      }
      generations.young.set(key, plan);
    }
    return documentId === null ? plan : { ...plan, documentId };
  }

  private generationsOf(permissions: Permissions): Generations {
    const known = this.byRights.get(permissions);
    if (known !== undefined) return known;
    const generations = { young: new Map<string, ReadPlan>(), old: new Map<string, ReadPlan>() };
    this.byRights.set(permissions, generations);
    return generations;
  }
}

/** The statement of a plan: kept, or printed by `print`. */
export function statementOf(plan: ReadPlan, print: (plan: ReadPlan) => Statement): Statement {
  const { kept, documentId } = plan;
  if (kept === null) return print(plan);
  kept.statement ??= print(documentId === null ? plan : { ...plan, documentId: HOLE });
  const { text, values } = kept.statement;
  return documentId === null
    ? kept.statement
    : { text, values: values.map((value) => (value === HOLE ? documentId : value)) };
}

/** Whether a plan may take long: kept, or found out. */
export function heavyOf(plan: ReadPlan): boolean {
  if (plan.kept === null) return isHeavy(plan);
  return (plan.kept.heavy ??= isHeavy(plan));
}
