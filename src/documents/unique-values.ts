/**
 * Values inside components that no two documents may have. The document's JSON holds them, which no unique
 * index can look into; so whoever publishes one takes a lock by its name first, and looks for it after that.
 * Of two writers at once the second waits, and then sees what the first has written (D14).
 */
import type { Lock } from '../compile/compile-load.js';
import { compileQueue } from '../compile/compile-load.js';
import { compileTakenValues } from '../compile/compile-taken.js';
import type { Runner } from '../database/runner.js';
import type { UniqueValue } from '../plan/settle-values.js';
import { holderOf, modelPathOf, patternOf, reportTaken } from '../plan/unique-values.js';
import type { ContentType } from '../schema/model.js';
import type { Versions, WriteRequest } from './load.js';

/** How many locks by value one write takes; PostgreSQL has room for some thousands in all. */
const MOST_LOCKS = 32;

/** A lock for each value; where there are many, one for each attribute that keeps all others out. */
function locksOf({ table }: ContentType, values: readonly UniqueValue[]): Lock[] {
  const few = values.length <= MOST_LOCKS;
  const paths = [...new Set(values.map(modelPathOf))];
  const ofPaths = paths.map((path) => ({ name: `${table}.${path}`, exclusive: !few }));
  const ofValues = values.map((value) => ({
    name: `${table}.${modelPathOf(value)}=${patternOf(value)}`,
    exclusive: true,
  }));
  return few ? [...ofPaths, ...ofValues] : ofPaths;
}

/** The locales in which a write publishes a value: its own, and the others of the document that share it. */
function localesOf({ type, locale }: WriteRequest, { all }: Versions, localized: boolean): string[] {
  const others = type.localized && !localized ? all.filter(({ published }) => published) : [];
  return [...new Set([locale, ...others.map((row) => row.locale)])];
}

/**
 * Makes sure that nobody else has, or comes to have, values that a write publishes: until its transaction
 * ends. Two statements; none where there are no such values. Reports those that somebody has (14.18).
 */
export async function holdUniqueValues(
  runner: Runner,
  request: WriteRequest,
  values: readonly UniqueValue[],
  document: { readonly documentId: string; readonly versions: Versions },
): Promise<void> {
  if (values.length === 0) return;
  const groups = [...Map.groupBy(values, holderOf)];
  const wanted = groups.map(([holder, list]) => ({
    holder,
    patterns: list.map(patternOf),
    locales: localesOf(request, document.versions, holder.localized),
  }));
  await runner.run(compileQueue(locksOf(request.type, values)));
  const taken = await runner.run(compileTakenValues(request.type, document.documentId, wanted));
  for (const row of taken) {
    const value = groups[Number(row['holder'])]?.[1][Number(row['value'])];
    if (value !== undefined) reportTaken(value);
  }
}
