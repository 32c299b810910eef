/**
 * LRU cache of query plans and their printed statements. Lists that differ only in filter values share a
 * plan, and so do callers that differ only in values of conditions. Values are bound.
 */
import { LRUCache } from 'lru-cache';
import { isPersonal } from '../access/decide.js';
import { ContentError } from '../../kernel/errors.js';
import type { ContentType } from '../model/model.js';
import { isHeavy } from '../plan/is-heavy.js';
import { openConditions } from '../plan/open-conditions.js';
import { openOperandsOf, operandsOf, withGranted } from '../plan/open-operands.js';
import { PerPlan } from '../plan/per-plan.js';
import type { ReadPlan } from '../plan/plan.js';
import type { ReadRequest } from '../plan/plan-read.js';
import type { Query } from '../query/query.js';
import { objectSource, type QuerySource, textSource } from '../query/query-source.js';
import type { RawQuery } from '../query/read-raw.js';
import type { OpenOperand, TextShape } from '../query/text-shape.js';
import type { ContentSettings } from '../../kernel/settings.js';
import { fill, type Statement, type Template } from '../../kernel/sql.js';

/** Longest query text in characters that is cached, to bound memory. */
const MAX_CACHED_LENGTH = 2048;

const ONE_BY_ONE = 'one by one';

type Planner = (query: Query, request: ReadRequest) => ReadPlan;

type SharedPlanner = (query: Query) => ReadPlan;

/** Request, whose conditions may have placeholders; the values for them; and the key of its plans. */
interface CacheableRequest {
  readonly request: ReadRequest;
  readonly granted: readonly unknown[] | null;
  readonly key: string;
}

/** Numbers of types. The published side of a type has its uid, but plans of its own. */
const typeNumbers = new WeakMap<ContentType, number>();
let lastNumber = 0;

function numberOf(type: ContentType): number {
  const known = typeNumbers.get(type);
  if (known !== undefined) return known;
  lastNumber += 1;
  typeNumbers.set(type, lastNumber);
  return lastNumber;
}

function cacheableOf(request: ReadRequest): CacheableRequest | null {
  const { by, caller, type, action, kind, format } = request;
  // Of callers with the same permissions, only the application itself compares whole versions.
  const group = caller.kind === 'system' ? `s${caller.permissions.id}` : caller.permissions.id;
  const key = `${group} ${numberOf(type)} ${action} ${kind}${by === null ? '' : '!'} ${format}`;
  if (!isPersonal(caller, type, action)) return { request, granted: null, key };
  const open = openConditions(caller);
  if (open === null || open.key.length > MAX_CACHED_LENGTH) return null;
  return {
    request: { ...request, caller: open.caller },
    granted: open.values,
    key: `${key} ${open.key}`,
  };
}

interface CachedPlan {
  readonly plan: ReadPlan;
  readonly open: readonly OpenOperand[];
}

/**
 * LRU of plans by permissions, route and query text or shape; at most `maxCachedPlans` entries. Plans depend
 * on nothing else, so they never go stale.
 */
export class PlanCache {
  private readonly plans: LRUCache<string, CachedPlan | typeof ONE_BY_ONE> | null;
  private planCount = 0;

  constructor(private readonly settings: ContentSettings) {
    const { maxCachedPlans: most } = settings;
    this.plans = most === 0 ? null : new LRUCache({ max: most });
  }

  /** Drops all plans, because statements are printed differently from now on. */
  clear(): void {
    this.plans?.clear();
  }

  /**
   * Returns the cached plan of a request with a query string or a query object, or the result of `make`.
   * Errors are not cached.
   */
  plan(asked: string | RawQuery, request: ReadRequest, make: Planner): ReadPlan {
    const { by, kind } = request;
    const source =
      typeof asked === 'string' ? textSource(asked, this.settings) : objectSource(asked, this.settings);
    const { key } = source;
    const isLong = key === null || key.length > Math.min(MAX_CACHED_LENGTH, this.settings.limits.queryLength);
    // Only account routes read by row id, which is too rare to cache.
    const isByRow = by !== null && !('documentId' in by);
    const cacheable = this.plans === null || isLong || isByRow ? null : cacheableOf(request);
    if (cacheable === null) return make(source.query(), request);
    const planned = (query: Query): ReadPlan => make(query, cacheable.request);
    const filled = kind === 'list' ? this.ofShape(source, cacheable.key, planned) : null;
    const shared = filled ?? this.ofKey(`${cacheable.key} ${key}`, () => planned(source.query()));
    const plan = cacheable.granted === null ? shared : withGranted(shared, cacheable.granted);
    return by === null || isByRow ? plan : { ...plan, documentId: by.documentId };
  }

  private ofKey(key: string, make: () => ReadPlan): ReadPlan {
    const cached = this.plans?.get(key);
    if (cached !== undefined && cached !== ONE_BY_ONE) return cached.plan;
    const plan = this.sharing(make());
    this.plans?.set(key, { plan, open: [] });
    return plan;
  }

  private ofShape(source: QuerySource, keyPrefix: string, make: SharedPlanner): ReadPlan | null {
    const shape = source.shape();
    if (shape.values.length === 0) return null;
    const key = `${keyPrefix}? ${shape.text}`;
    let cached = this.plans?.get(key);
    if (cached === undefined) {
      cached = this.planShape(source, shape, make);
      this.plans?.set(key, cached);
    }
    if (cached === ONE_BY_ONE) return null;
    const operands = operandsOf(cached.open, shape.values);
    return operands === null ? null : { ...cached.plan, operands };
  }

  /**
   * Returns ONE_BY_ONE if a value decides more than a comparison, or if the query is invalid: planning the
   * text itself then reports the error.
   */
  private planShape(
    source: QuerySource,
    { values }: TextShape,
    make: SharedPlanner,
  ): CachedPlan | typeof ONE_BY_ONE {
    try {
      const plan = make(source.open());
      const open = openOperandsOf(plan, values.length);
      return open === null ? ONE_BY_ONE : { plan: this.sharing(plan), open };
    } catch (error) {
      if (error instanceof ContentError) return ONE_BY_ONE;
      throw error;
    }
  }

  private sharing(plan: ReadPlan): ReadPlan {
    this.planCount += 1;
    return { ...plan, shared: { key: `read:${this.planCount}` } };
  }
}

type Compile = (plan: ReadPlan) => Template<ReadPlan>;

const statements = new PerPlan<Template<ReadPlan>>();

export const statementOf = (plan: ReadPlan, compile: Compile): Statement =>
  fill(
    statements.of(plan, () => compile(plan)),
    plan,
  );

const lastStatements = new PerPlan<Template<ReadPlan>>();

export const lastStatementOf = (plan: ReadPlan, compile: Compile): Statement =>
  fill(plan.documentId === null ? compile(plan) : lastStatements.of(plan, () => compile(plan)), plan);

/**
 * Returns the key of a read's response; null if its plan is not shared. Equal keys have equal statements and
 * values, those of the caller's conditions included.
 */
export function readKeyOf({ shared, documentId, operands }: ReadPlan): string | null {
  if (shared === null) return null;
  const about = documentId ?? operands?.text ?? null;
  if (documentId !== null && operands !== null)
    return `${shared.key} ${JSON.stringify([documentId, operands.text])}`;
  return about === null ? shared.key : `${shared.key} ${about}`;
}

const heavy = new PerPlan<boolean>();

export const heavyOf = (plan: ReadPlan): boolean => heavy.of(plan, () => isHeavy(plan));
