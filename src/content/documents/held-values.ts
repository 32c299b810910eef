/**
 * Unique values that no index enforces: generated uids, and values inside components, which are stored as
 * JSON. A publishing write locks the value's name before it looks for the value. Of two concurrent writes,
 * the second waits and then sees the value of the first (D14).
 */
import { compileLocks } from '../../pool/locks.js';
import { compileTakenColumns, compileTakenValues, type WantedColumn } from '../compile/compile-taken.js';
import type { Runner } from '../../pool/runner.js';
import type { Issue } from '../../kernel/errors.js';
import type { Body } from '../plan/body.js';
import type { Lock } from '../../pool/locks.js';
import type { WriteValues } from '../plan/plan-values.js';
import { isRefused, throwProblems } from '../plan/plan-write.js';
import type { UniqueValue } from '../plan/plan-value.js';
import { rootAttributeOf, modelPathOf, patternOf, reportTaken } from '../plan/unique-values.js';
import type { ContentType, ScalarAttribute } from '../model/model.js';
import { sentValue, storedValue, untoldValue, type ValueContext } from '../model/value-context.js';
import type { Versions } from '../plan/versions.js';
import type { WriteTarget } from '../plan/write-plan.js';
import { claim, type HeldRequest, withGeneratedUids, withinOf } from './generate-uid.js';

const nameOf = ({ table }: Pick<ContentType, 'table'>, value: UniqueValue): string =>
  `${table}.${modelPathOf(value)}=${patternOf(value)}`;

function locksOf({ target, checked: { uniques: values }, valueLocks }: HeldRequest): Lock[] {
  const { table } = target.type;
  const few = valueLocks.eachOf(values.length);
  const paths = [...new Set(values.map(modelPathOf))];
  const ofPaths = paths.map((path) => ({ name: `${table}.${path}`, exclusive: !few }));
  const ofValues = values.map((value) => ({ name: nameOf({ table }, value), exclusive: true }));
  return few ? [...ofPaths, ...ofValues] : ofPaths;
}

/**
 * Returns the locales in which a write publishes a value: its own, and those that share a value that is not
 * localized.
 */
function localesOf({ type, locale }: WriteTarget, { all }: Versions, localized: boolean): string[] {
  const others = type.localized && !localized ? all.filter(({ published }) => published) : [];
  return [...new Set([locale, ...others.map((row) => row.locale)])];
}

/**
 * Generates the omitted uids of a new version, and reserves its unique values until the transaction ends.
 * Sends no statement without such values. Throws all problems of the body as one 400 (protocol 14.18, 14.21).
 */
export async function withHeldValues(runner: Runner, request: HeldRequest): Promise<WriteValues> {
  const { checked, checksTaken, loaded } = request;
  const generates = !isRefused(checked) && loaded.versions.own === undefined;
  const values = generates ? await withGeneratedUids(runner, request) : checked.writeValues;
  if (checked.uniques.length > 0) await holdUniqueValues(runner, request);
  if (isRefused(checked) || checksTaken) await reportTakenColumns(runner, request);
  throwProblems(checked);
  return values;
}

/** Reports all values of unique columns that other documents have; an index error names only one. */
async function reportTakenColumns(
  runner: Runner,
  { target, body, loaded, checked }: HeldRequest,
): Promise<void> {
  const { type, publish } = target;
  const refused = new Set(checked.issues.map(({ path }) => path[0]));
  const valid = type.storage.uniques.filter(({ name }) => publish && !refused.has(name));
  const wanted = valid.flatMap((attribute): WantedColumn[] => {
    const value = checked.writeValues.values.get(attribute) ?? '';
    if (value === '') return [];
    return [{ attribute, value, locales: localesOf(target, loaded.versions, attribute.localized) }];
  });
  // The index reports a single value, unless another problem prevents the write.
  if (wanted.length < (isRefused(checked) ? 1 : 2)) return;
  const taken = await runner.run(compileTakenColumns(type, loaded.versions.documentId, wanted));
  for (const row of taken) {
    const found = wanted[Number(row['value'])];
    if (found !== undefined)
      reportTaken({ at: placeOf(found.attribute, body, checked.issues), value: found.value });
  }
}

function placeOf(attribute: ScalarAttribute, body: Body, issues: Issue[]): ValueContext {
  const where = { path: [attribute.name], draft: false, issues };
  if (body.telling(attribute) === 'nothing') return untoldValue(where);
  return body.isSent(attribute) ? sentValue(where) : storedValue(where);
}

async function holdUniqueValues(runner: Runner, request: HeldRequest): Promise<void> {
  const { target, loaded, checked } = request;
  const { tenant } = target.type;
  const { documentId } = loaded.versions;
  const within = { documentId, columns: withinOf(request, tenant === null ? [] : [tenant]) };
  const groups = [...Map.groupBy(checked.uniques, rootAttributeOf)];
  const wanted = groups.map(([holder, list]) => ({
    holder,
    patterns: list.map(patternOf),
    locales: localesOf(target, loaded.versions, holder.localized),
  }));
  const locks = locksOf(request);
  claim(
    request,
    checked.uniques.map((value) => nameOf(target.type, value)),
  );
  const [, taken = []] = await runner.all([
    compileLocks(locks),
    compileTakenValues(target.type, within, wanted),
  ]);
  for (const row of taken) {
    const value = groups[Number(row['holder'])]?.[1][Number(row['value'])];
    if (value !== undefined) reportTaken(value);
  }
}
