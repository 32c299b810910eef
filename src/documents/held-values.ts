/**
 * Values that no two documents may have and that an index does not decide about: uids that are made here, and
 * values inside components, which the document's JSON holds, where no unique index can look. So whoever
 * publishes one takes a lock by its name first, and looks for it after that. Of two writers at once the
 * second waits, and then sees what the first has written (D14).
 */
import { compileLocks } from '../compile/compile-locks.js';
import { compileTakenValues } from '../compile/compile-taken.js';
import type { Runner } from '../database/runner.js';
import { issuesError } from '../errors.js';
import type { Lock } from '../plan/locks.js';
import type { WriteValues } from '../plan/plan-values.js';
import type { UniqueValue } from '../plan/plan-value.js';
import { rootAttributeOf, modelPathOf, patternOf, reportTaken } from '../plan/unique-values.js';
import type { ContentType } from '../schema/model.js';
import type { Versions } from '../plan/versions.js';
import type { WriteTarget } from '../plan/write-plan.js';
import { type HeldRequest, withGeneratedUids } from './generate-uid.js';

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
function localesOf({ type, locale }: WriteTarget, { all }: Versions, localized: boolean): string[] {
  const others = type.localized && !localized ? all.filter(({ published }) => published) : [];
  return [...new Set([locale, ...others.map((row) => row.locale)])];
}

/**
 * Fills in the uids that a new version leaves out, and makes sure that nobody else has, or comes to have,
 * what a write publishes: until its transaction ends. Nothing is asked where there are no such values. Throws
 * the 400 that names those that somebody has (14.18).
 */
export async function withHeldValues(runner: Runner, request: HeldRequest): Promise<WriteValues> {
  const values = await withGeneratedUids(runner, request);
  const { uniques, issues } = request.checked;
  if (uniques.length > 0) await holdUniqueValues(runner, request);
  if (issues.length > 0) throw issuesError(issues);
  return values;
}

async function holdUniqueValues(runner: Runner, { target, loaded, checked }: HeldRequest): Promise<void> {
  const groups = [...Map.groupBy(checked.uniques, rootAttributeOf)];
  const wanted = groups.map(([holder, list]) => ({
    holder,
    patterns: list.map(patternOf),
    locales: localesOf(target, loaded.versions, holder.localized),
  }));
  const [, taken = []] = await runner.all([
    compileLocks(locksOf(target.type, checked.uniques)),
    compileTakenValues(target.type, loaded.versions.documentId, wanted),
  ]);
  for (const row of taken) {
    const value = groups[Number(row['holder'])]?.[1][Number(row['value'])];
    if (value !== undefined) reportTaken(value);
  }
}
