/**
 * Keeps what a query text was planned and printed as: front ends ask the same few questions again and again.
 */
import QuickLRU from 'quick-lru';
import { isPersonal } from '../access/decide.js';
import { isHeavy } from '../plan/is-heavy.js';
import type { KeptStatement, ReadPlan } from '../plan/plan.js';
import { byDocumentId, type ReadRequest } from '../plan/plan-read.js';
import type { Statement } from '../sql.js';

/** Longer texts are planned anew each time, so that the cache stays small. */
const LONGEST = 2048;

/** Stands for the document's id in what is kept; an id that no document has. */
const PLACEHOLDER_ID = `:documentId:${Math.random()}`;

/**
 * Plans by the caller's rights, the route and the text, of all rights together at most `limit`: those that
 * were used lately. They are pure values of these, so they never go stale.
 */
export class PlanCache {
  /** Holds a generation that is filled and the full one before it: a hit in the young one changes nothing. */
  private readonly plans: QuickLRU<string, ReadPlan> | null;
  private made = 0;

  constructor(limit: number) {
    this.plans = limit === 0 ? null : new QuickLRU({ maxSize: Math.ceil(limit / 2) });
  }

  /** Forgets all of them: statements are printed otherwise from now on. */
  clear(): void {
    this.plans?.clear();
  }

  /** The plan of a request: kept, or made by `make`. What `make` throws is not kept. */
  plan(text: string, request: ReadRequest, make: (request: ReadRequest) => ReadPlan): ReadPlan {
    const { by, caller, type, action, kind, format } = request;
    const { plans } = this;
    if (plans === null || text.length > LONGEST) return make(request);
    // A row's id is asked for by account routes alone, which are not worth a place.
    if (by !== null && !('documentId' in by)) return make(request);
    if (isPersonal(caller, type, action)) return make(request);
    const key = `${caller.permissions.id} ${type.uid} ${action} ${kind}${by === null ? '' : '!'} ${format} ${text}`;
    let plan = plans.get(key);
    if (plan === undefined) {
      const made = make(by === null ? request : { ...request, by: byDocumentId(PLACEHOLDER_ID) });
      this.made += 1;
      plan = { ...made, kept: keeping(`read:${this.made}`) };
      plans.set(key, plan);
    }
    return by === null ? plan : { ...plan, documentId: by.documentId };
  }
}

/** What a new plan keeps. */
const keeping = (key: string): KeptStatement => ({
  key,
  statement: null,
  last: null,
  shape: null,
  subject: null,
  filter: null,
  heavy: null,
});

/** The statement of a read: kept with its plan, or printed by `print`. */
export function statementOf(plan: ReadPlan, print: (plan: ReadPlan) => Statement): Statement {
  const { kept, documentId } = plan;
  if (kept === null) return print(plan);
  kept.statement ??= print(documentId === null ? plan : { ...plan, documentId: PLACEHOLDER_ID });
  return documentId === null ? kept.statement : about(documentId, kept.statement);
}

/** The same of the statement that answers a write about a document. */
export function lastStatementOf(plan: ReadPlan, print: (plan: ReadPlan) => Statement): Statement {
  const { kept, documentId } = plan;
  if (kept === null || documentId === null) return print(plan);
  kept.last ??= print({ ...plan, documentId: PLACEHOLDER_ID });
  return about(documentId, kept.last);
}

/** A statement that is kept, about a document. */
const about = (documentId: string, { text, values }: Statement): Statement => ({
  text,
  values: values.map((value) => (value === PLACEHOLDER_ID ? documentId : value)),
});

/** The name of a read: equal ones, which are answered alike, have the same. Null for one of its own. */
export function readKeyOf({ kept, documentId }: ReadPlan): string | null {
  if (kept === null || documentId === null) return kept?.key ?? null;
  return `${kept.key} ${documentId}`;
}

/** Whether a plan may take long: kept, or found out. */
export function heavyOf(plan: ReadPlan): boolean {
  if (plan.kept === null) return isHeavy(plan);
  return (plan.kept.heavy ??= isHeavy(plan));
}
