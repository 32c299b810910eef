/**
 * Keeps what a query text was planned and printed as: front ends ask the same few questions again and again.
 * The questions of lists are the same where only the values of filters differ: these are filled in.
 */
import QuickLRU from 'quick-lru';
import { isPersonal } from '../access/decide.js';
import { ContentError } from '../errors.js';
import { isHeavy } from '../plan/is-heavy.js';
import { openOperandsOf, operandsOf } from '../plan/open-operands.js';
import type { ReadPlan } from '../plan/plan.js';
import type { ReadRequest } from '../plan/plan-read.js';
import { parseQuery } from '../query/parse-query.js';
import type { Query } from '../query/query.js';
import { readRaw } from '../query/read-raw.js';
import {
  type OpenOperand,
  openText,
  shapeOf,
  type TextShape,
  withOpenOperands,
} from '../query/text-shape.js';
import type { ContentSettings } from '../settings.js';
import { fill, type Statement, type Template } from '../sql.js';

/** Longer texts are planned anew each time, so that the cache stays small. */
const LONGEST = 2048;

/** Makes the plan of what a text asks for. */
type Planner = (query: Query) => ReadPlan;

/** The plan of a text, or of all texts of a shape. */
interface Kept {
  readonly plan: ReadPlan;
  readonly open: readonly OpenOperand[];
}

/**
 * Plans by the caller's rights, the route and the text or its shape, of all rights together at most
 * `maxCachedPlans`: those that were used lately. They are pure values of these, so they never go stale.
 */
export class PlanCache {
  /**
   * Holds a generation that is filled and the full one before it: a hit in the young one changes nothing.
   * Null for a shape whose texts are planned as they are.
   */
  private readonly plans: QuickLRU<string, Kept | null> | null;
  private made = 0;

  constructor(private readonly settings: ContentSettings) {
    const { maxCachedPlans: most } = settings;
    this.plans = most === 0 ? null : new QuickLRU({ maxSize: Math.ceil(most / 2) });
  }

  /** Forgets all of them: statements are printed otherwise from now on. */
  clear(): void {
    this.plans?.clear();
  }

  /** The plan of a request: kept, or made by `make`. What is thrown is not kept. */
  plan(text: string, request: ReadRequest, make: Planner): ReadPlan {
    const { by, caller, type, action, kind, format } = request;
    const isLong = text.length > Math.min(LONGEST, this.settings.limits.queryLength);
    // A row's id is asked for by account routes alone, which are not worth a place.
    const isByRow = by !== null && !('documentId' in by);
    if (this.plans === null || isLong || isByRow || isPersonal(caller, type, action))
      return make(this.queryOf(text));
    const asked = `${caller.permissions.id} ${type.uid} ${action} ${kind}${by === null ? '' : '!'} ${format}`;
    const filled = kind === 'list' ? this.ofShape(text, asked, make) : null;
    const plan = filled ?? this.ofText(text, asked, make);
    return by === null ? plan : { ...plan, documentId: by.documentId };
  }

  private queryOf(text: string): Query {
    return parseQuery(readRaw(text, this.settings.limits), this.settings);
  }

  private ofText(text: string, asked: string, make: Planner): ReadPlan {
    const key = `${asked} ${text}`;
    const known = this.plans?.get(key)?.plan;
    if (known !== undefined) return known;
    const plan = this.keeping(make(this.queryOf(text)));
    this.plans?.set(key, { plan, open: [] });
    return plan;
  }

  /** The plan of a text's shape, filled in. Null where the text has to be planned as it is. */
  private ofShape(text: string, asked: string, make: Planner): ReadPlan | null {
    const shape = shapeOf(text);
    if (shape.values.length === 0) return null;
    const key = `${asked}? ${shape.text}`;
    let kept = this.plans?.get(key);
    if (kept === undefined) {
      kept = this.planShape(shape, make);
      this.plans?.set(key, kept);
    }
    const operands = kept === null ? null : operandsOf(kept.open, shape.values);
    return kept === null || operands === null ? null : { ...kept.plan, operands };
  }

  /**
   * Null where a value decides more than what is compared, and where something is wrong: it is told once the
   * text is planned.
   */
  private planShape(shape: TextShape, make: Planner): Kept | null {
    try {
      const plan = make(withOpenOperands(this.queryOf(openText(shape))));
      const open = openOperandsOf(plan, shape.values.length);
      return open === null ? null : { plan: this.keeping(plan), open };
    } catch (error) {
      if (error instanceof ContentError) return null;
      throw error;
    }
  }

  /** A plan that keeps what is found out about it. */
  private keeping(plan: ReadPlan): ReadPlan {
    this.made += 1;
    const nothing = { statement: null, last: null, shape: null, subject: null, filter: null, heavy: null };
    return { ...plan, kept: { key: `read:${this.made}`, ...nothing } };
  }
}

/** How a plan is printed. */
type Compile = (plan: ReadPlan) => Template<ReadPlan>;

/** The statement of a read: kept with its plan, or printed by `compile`. */
export function statementOf(plan: ReadPlan, compile: Compile): Statement {
  const { kept } = plan;
  return fill(kept === null ? compile(plan) : (kept.statement ??= compile(plan)), plan);
}

/** The same of the statement that answers a write about a document. */
export function lastStatementOf(plan: ReadPlan, compile: Compile): Statement {
  const { kept, documentId } = plan;
  if (kept === null || documentId === null) return fill(compile(plan), plan);
  return fill((kept.last ??= compile(plan)), plan);
}

/** The name of a read: equal ones, which are answered alike, have the same. Null for one of its own. */
export function readKeyOf({ kept, documentId, operands }: ReadPlan): string | null {
  const about = documentId ?? operands?.text ?? null;
  return kept === null || about === null ? (kept?.key ?? null) : `${kept.key} ${about}`;
}

/** Whether a plan may take long: kept, or found out. */
export function heavyOf(plan: ReadPlan): boolean {
  if (plan.kept === null) return isHeavy(plan);
  return (plan.kept.heavy ??= isHeavy(plan));
}
