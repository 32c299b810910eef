import type { ReadPlan, SharedPlan } from './plan.js';

/**
 * Values derived from plans. For a plan that many requests share, a value is computed once. It must not
 * depend on the document or the operands of a request.
 */
export class PerPlan<T> {
  private readonly values = new WeakMap<SharedPlan, { readonly value: T }>();

  of({ shared }: ReadPlan, make: () => T): T {
    if (shared === null) return make();
    const cached = this.values.get(shared);
    if (cached !== undefined) return cached.value;
    const value = make();
    this.values.set(shared, { value });
    return value;
  }
}
