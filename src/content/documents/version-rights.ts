/** Conditions of grants in the transaction of a write: for the document before and after, and its targets. */
import { type Decision, type GrantedCondition, grantedOf } from '../access/decide.js';
import {
  compileResult,
  compileVersionRights,
  compileTargetRights,
  type StateDecisions,
} from '../compile/compile-version-rights.js';
import { forbidden } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import type { Statement } from '../../kernel/sql.js';
import type { ContentType } from '../model/model.js';
import type { Row, Runner } from '../../pool/runner.js';
import type { FoundRow } from '../plan/found-targets.js';
import { type GivenRelation, NOTHING_GIVEN, scopesOf } from '../plan/given.js';
import type { LoadedState } from '../plan/loaded.js';
import { replacedLinks } from '../plan/stored-links.js';
import { decideRelated } from '../plan/rights.js';
import { decideState } from '../plan/write-rights.js';
import type { VersionRow, Versions } from '../plan/versions.js';
import type { WritePlan } from '../plan/write-plan.js';
import type { FoundState } from './load.js';
import { addedLocaleOf, decidedResult, changesOtherLocales, decisionsOf } from './document-rights.js';

const byId = (rows: readonly Row[]): ReadonlyMap<number, Row> =>
  new Map(rows.map((row) => [Number(row['id']), row]));

interface RightsCheck {
  readonly plan: WritePlan;
  readonly defaultLocale: string;
}

/** Returns the versions of the written document with the rights of a caller whose grants have conditions. */
export async function versionsWithRights(
  runner: Runner,
  { plan, defaultLocale }: RightsCheck,
  versions: Versions,
): Promise<Versions> {
  const decisions = decisionsOf(plan);
  if (decisions === null || versions.all.length === 0) return versions;
  const { type } = plan.target;
  const addedLocale = addedLocaleOf(plan, versions);
  const request = { type, documentId: versions.documentId, defaultLocale, addedLocale, ...decisions };
  const rights = byId(await runner.run(compileVersionRights(request)));
  const all = versions.all.map((row): VersionRow => {
    const { written, live, shown } = rights.get(row.id) ?? {};
    return { ...row, own: written === true, live: live === true, shown: shown === true };
  });
  const of = (row: VersionRow | undefined): VersionRow | undefined => all.find(({ id }) => id === row?.id);
  const { own, published, base } = versions;
  return { ...versions, all, own: of(own), published: of(published), base: of(base) };
}

/** Decisions about the documents of a type that a body references. */
interface TargetDecisions {
  readonly shown: StateDecisions;
  readonly written: Decision;
}

function targetDecisions({ caller, target: { publish } }: WritePlan, type: ContentType): TargetDecisions {
  const reading = (published: boolean): Decision => decideRelated(caller, type, published);
  const written = decideState(publish)(caller, type, 'update');
  return { shown: { published: reading(true), drafts: reading(false) }, written };
}

const hasCondition = (decision: Decision): boolean => grantedOf(decision) !== null;

/** Stored documents of a type that a write concerns: referenced ones, and those of links that it replaces. */
interface ConcernedTargets {
  readonly type: ContentType;
  readonly rows: readonly FoundRow[];
  readonly linked: ReadonlySet<string>;
}

/**
 * Returns the referenced documents as they exist for a caller whose grants have conditions. Adds linked
 * documents that the condition of `find` hides.
 */
async function targetsOfType(
  runner: Runner,
  { plan, defaultLocale }: RightsCheck,
  { type, rows, linked }: ConcernedTargets,
): Promise<readonly FoundRow[]> {
  const { shown, written } = targetDecisions(plan, type);
  const finding = [shown.published, shown.drafts].some(hasCondition);
  // No write changes a file through a link.
  const isLimited = finding || (!type.internal && hasCondition(written));
  const named = new Set(rows.map(([, documentId]) => documentId));
  const documentIds = [...new Set([...named, ...(finding ? linked : [])])];
  if (documentIds.length === 0 || !isLimited) return rows;
  const found = await runner.run(compileTargetRights({ type, documentIds, defaultLocale, shown, written }));
  const rights = byId(found);
  const known = rows.map(([id, documentId, , , , ...rest]): FoundRow => {
    const { visible, written: own, live } = rights.get(id) ?? {};
    return [id, documentId, visible === true, own === true, live === true, ...rest];
  });
  const hidden = found
    .filter(({ document_id: id, visible }) => visible !== true && !named.has(String(id)))
    .map((row): FoundRow => [
      Number(row['id']),
      String(row['document_id']),
      false,
      row['written'] === true,
      false,
    ]);
  return [...known, ...hidden];
}

async function targetsWithRights(
  runner: Runner,
  check: RightsCheck,
  { named, versions }: FoundState,
): Promise<FoundState['named']> {
  const stored = versions.flatMap(({ stored: values }) => (isObject(values) ? [values] : []));
  const linked = replacedLinks(check.plan.body?.values ?? NOTHING_GIVEN, stored);
  const targets = new Map(named);
  for (const type of new Set([...named.keys(), ...linked.keys()])) {
    const concerned = { type, rows: named.get(type) ?? [], linked: linked.get(type) ?? new Set() };
    targets.set(type, await targetsOfType(runner, check, concerned));
  }
  return targets;
}

interface LoadToCheck {
  readonly found: FoundState;
  readonly made: (found: FoundState) => LoadedState;
}

/**
 * Returns the stored state of a write for a caller whose grants have conditions: documents that it may not
 * read do not exist.
 */
export async function loadedWithRights(
  runner: Runner,
  check: RightsCheck,
  { found, made }: LoadToCheck,
): Promise<LoadedState> {
  const loaded = made({ ...found, named: await targetsWithRights(runner, check, found) });
  return { ...loaded, versions: await versionsWithRights(runner, check, loaded.versions) };
}

/** Returns the conditions on documents that a relation changes on its inverse side. */
const grantedIn = (given: GivenRelation): readonly GrantedCondition[] =>
  scopesOf(given).flatMap(({ targets }) => grantedOf(targets) ?? []);

/** Statements that select whether a version that the write has changed is `refused` by a condition. */
function resultsOf(
  { plan, defaultLocale }: RightsCheck,
  documentId: string | null,
  { targets }: Pick<LoadedState, 'targets'>,
): Statement[] {
  const { target, verb, body } = plan;
  const decision = decidedResult(plan);
  const isLimited = verb !== 'delete' && grantedOf(decision) !== null;
  const written = compileResult({
    type: target.type,
    documentIds: documentId === null ? null : [documentId],
    locale: changesOtherLocales(plan) || !target.type.localized ? null : target.locale,
    draftsOnly: target.type.draftAndPublish && !target.publish,
    decision,
    defaultLocale,
  });
  const relations = [...(body?.values.relations.values() ?? [])];
  const changed = relations.flatMap((given) => {
    const { attribute } = given;
    const [type] = attribute.targets;
    if (attribute.join.side !== 'inverse' || type === undefined) return [];
    return grantedIn(given).map((decision) => ({
      type,
      decision,
      documentIds: targets.get(type)?.mine ?? [],
    }));
  });
  const related = changed.map((one) =>
    compileResult({ ...one, locale: null, draftsOnly: false, defaultLocale }),
  );
  return [...(isLimited ? [written] : []), ...related];
}

/** Whether a write must be checked after it, because the condition of a grant limits it. */
export const mustCheckResult = (plan: WritePlan): boolean =>
  plan.caller.permissions.hasWhere &&
  (grantedOf(decidedResult(plan)) !== null ||
    [...(plan.body?.values.relations.values() ?? [])].some((given) => grantedIn(given).length > 0));

/** Throws ForbiddenError if a version that the write has changed does not meet the condition of a grant. */
export async function checkResult(
  runner: Runner,
  check: RightsCheck,
  {
    documentId,
    loaded,
  }: { readonly documentId: string | null; readonly loaded: Pick<LoadedState, 'targets'> },
): Promise<void> {
  const results = await runner.all(resultsOf(check, documentId, loaded));
  if (results.some(([row]) => row?.['refused'] !== false)) throw forbidden();
}
