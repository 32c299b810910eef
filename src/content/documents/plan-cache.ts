/**
 * LRU cache of query plans and their printed statements. Lists that differ only in filter values share a
 * plan; values are bound.
 */
import QuickLRU from 'quick-lru';
import { isPersonal } from '../access/decide.js';
import { ContentError } from '../../kernel/errors.js';
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
import type { ContentSettings } from '../../kernel/settings.js';
import { fill, type Statement, type Template } from '../../kernel/sql.js';

/** Longest query text in characters that is cached, to bound memory. */
const MAX_CACHED_LENGTH = 2048;

type Planner = (query: Query) => ReadPlan;

interface Kept {
  readonly plan: ReadPlan;
  readonly open: readonly OpenOperand[];
}

/**
 * LRU of plans by permissions, route and query text or shape; at most `maxCachedPlans` entries. Plans depend
 * on nothing else, so they never go stale.
 */
export class PlanCache {
  /**
   * QuickLRU keeps two generations, so a hit in the young one moves nothing. A null entry is a shape whose
   * texts are planned one by one.
   */
  private readonly plans: QuickLRU<string, Kept | null> | null;
  private made = 0;

  constructor(private readonly settings: ContentSettings) {
    const { maxCachedPlans: most } = settings;
    this.plans = most === 0 ? null : new QuickLRU({ maxSize: Math.ceil(most / 2) });
  }

  /** Drops all plans, because statements are printed differently from now on. */
  clear(): void {
    this.plans?.clear();
  }

  /** Returns the cached plan of a request, or the result of `make`. Errors are not cached. */
  plan(text: string, request: ReadRequest, make: Planner): ReadPlan {
    const { by, caller, type, action, kind, format } = request;
    const isLong = text.length > Math.min(MAX_CACHED_LENGTH, this.settings.limits.queryLength);
    // Only account routes read by row id, which is too rare to cache.
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

  /** Returns the plan of the text's shape with bound values, or null if the text must be planned itself. */
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
   * Returns null if a value decides more than a comparison, or if the query is invalid: planning the text
   * itself then reports the error.
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

  /** Returns the plan with an empty slot for its statement and derived facts. */
  private keeping(plan: ReadPlan): ReadPlan {
    this.made += 1;
    const nothing = { statement: null, last: null, shape: null, subject: null, filter: null, heavy: null };
    return { ...plan, kept: { key: `read:${this.made}`, ...nothing } };
  }
}

type Compile = (plan: ReadPlan) => Template<ReadPlan>;

/** Returns the statement of a read, printed by `compile` unless it is cached with the plan. */
export function statementOf(plan: ReadPlan, compile: Compile): Statement {
  const { kept } = plan;
  return fill(kept === null ? compile(plan) : (kept.statement ??= compile(plan)), plan);
}

/**
 * Returns the statement that reads a written document for the response, cached like the statement of a read.
 */
export function lastStatementOf(plan: ReadPlan, compile: Compile): Statement {
  const { kept, documentId } = plan;
  if (kept === null || documentId === null) return fill(compile(plan), plan);
  return fill((kept.last ??= compile(plan)), plan);
}

/** Returns the key that equal reads share, or null for a read that shares with none. */
export function readKeyOf({ kept, documentId, operands }: ReadPlan): string | null {
  const about = documentId ?? operands?.text ?? null;
  return kept === null || about === null ? (kept?.key ?? null) : `${kept.key} ${about}`;
}

export function heavyOf(plan: ReadPlan): boolean {
  if (plan.kept === null) return isHeavy(plan);
  return (plan.kept.heavy ??= isHeavy(plan));
}
