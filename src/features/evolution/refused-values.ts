/** Stored values that violate the model: responses show them, but a write with them fails. */
import type { Issue } from '../../kernel/errors.js';
import { checkCount } from '../../content/plan/plan-values.js';
import { instancesOf } from '../../content/plan/stored-instances.js';
import type { Attribute } from '../../content/model/model.js';
import { storedValue } from '../../content/model/value-context.js';
import type { Holder } from './leftovers.js';

const MAX_ROWS = 5;

/** Returns why a write would reject or clear a stored value; null if a request body may contain it. */
export function problemOf(attribute: Attribute, value: unknown, draft: boolean): string | null {
  const isMissing = (value ?? null) === null;
  if (attribute.linked || attribute.def.type === 'password' || (isMissing && !attribute.required))
    return null;
  const issues: Issue[] = [];
  const at = storedValue({ path: [attribute.name], draft, issues });
  if ('components' in attribute) checkCount(instancesOf(value), attribute, at);
  else if (!isMissing && attribute.type.castValue(value, attribute.def, at) === null)
    at.reportType(attribute.type.label, value);
  if (isMissing && !draft) at.report(`${attribute.name} must be defined`);
  return issues[0]?.message ?? null;
}

/** Counts invalid values by location and reason. */
export class RefusedValues {
  private readonly found = new Map<string, { count: number; readonly rows: string[] }>();

  look(
    { model, at, values }: Holder,
    { row, draft }: { readonly row: string; readonly draft: boolean },
  ): void {
    for (const attribute of model.attributes.values()) {
      const problem = problemOf(attribute, values[attribute.name], draft);
      if (problem === null) continue;
      const key = `${at}.${attribute.name}: ${problem}`;
      const known = this.found.get(key) ?? { count: 0, rows: [] };
      this.found.set(key, known);
      known.count += 1;
      if (known.rows.length < MAX_ROWS && !known.rows.includes(row)) known.rows.push(row);
    }
  }

  /** Returns one message per location and reason. */
  told(): string[] {
    return [...this.found].map(([key, { count, rows }]) => {
      const more = count > rows.length ? ', …' : '';
      return `${key}; ${count} stored ${count === 1 ? 'value violates' : 'values violate'} this: ${rows.join(', ')}${more}`;
    });
  }
}
