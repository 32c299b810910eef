/** Keeps what a query text was planned and printed as: front ends ask the same few questions again and again. */
import type { Permissions } from '../access/permissions.js';
import type { ReadPlan } from '../plan/plan.js';
import type { ReadRequest } from '../plan/plan-read.js';
import type { Statement } from '../sql.js';

/** Longer texts are planned anew each time, so that the cache stays small. */
const LONGEST = 2048;

/** Stands for the document's id in what is kept; an id that no document has. */
const HOLE = `:documentId:${Math.random()}`;

/** Plans by the caller's rights, the route and the text. They are pure values of these, so they never go stale. */
export class PlanCache {
  private readonly byRights = new WeakMap<Permissions, Map<string, ReadPlan>>();

  constructor(private readonly limit: number) {}

  /** The plan of a request: kept, or made by `make`. What `make` throws is not kept. */
  plan(text: string, request: ReadRequest, make: (request: ReadRequest) => ReadPlan): ReadPlan {
    const { documentId, permissions, type, action } = request;
    // A plan for somebody's own documents has their name in it.
    const own = request.user !== null && (permissions.allowsOwn(type.singularApiId, action) || permissions.allowsOwn(type.singularApiId, 'readDrafts'));
    if (text.length > LONGEST || this.limit === 0 || own) return make(request);
    const key = `${type.uid} ${action} ${request.kind} ${request.format} ${documentId === null ? '' : 1} ${text}`;
    const plans = this.plansOf(permissions);
    const plan = plans.get(key) ?? { ...make(documentId === null ? request : { ...request, documentId: HOLE }), kept: { statement: null } };
    // The least recently used is the first.
    plans.delete(key);
    plans.set(key, plan);
    if (plans.size > this.limit) plans.delete(plans.keys().next().value ?? key);
    return documentId === null ? plan : { ...plan, documentId };
  }

  private plansOf(permissions: Permissions): Map<string, ReadPlan> {
    const known = this.byRights.get(permissions);
    if (known !== undefined) return known;
    const plans = new Map<string, ReadPlan>();
    this.byRights.set(permissions, plans);
    return plans;
  }
}

/** The statement of a plan: kept, or printed by `print`. */
export function statementOf(plan: ReadPlan, print: (plan: ReadPlan) => Statement): Statement {
  const { kept, documentId } = plan;
  if (kept === null) return print(plan);
  kept.statement ??= print(documentId === null ? plan : { ...plan, documentId: HOLE });
  const { text, values } = kept.statement;
  return documentId === null ? kept.statement : { text, values: values.map((value) => (value === HOLE ? documentId : value)) };
}
