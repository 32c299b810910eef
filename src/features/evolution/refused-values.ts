/** Stored values that violate the model: responses show them, but a write with them fails. */
import { type Holder, problemOf } from '../../content/plan/stored-problems.js';

const MAX_ROWS = 5;

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
  sentences(): string[] {
    return [...this.found].map(([key, { count, rows }]) => {
      const more = count > rows.length ? ', …' : '';
      const violating = count === 1 ? 'value violates' : 'values violate';
      return `${key}; ${count} stored ${violating} this: ${rows.join(', ')}${more}`;
    });
  }
}
