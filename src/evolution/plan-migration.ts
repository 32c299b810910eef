/** From what changes between two models to what it may lose, and to the statements. */
import { revisionOf } from '../compile/changes.js';
import { renewedLedger, renewedTriggers } from '../compile/compile-triggers.js';
import { notedTables } from '../schema/ledger.js';
import type { ContentType } from '../schema/model.js';
import { param, quote, script, type Sql, sql } from '../sql.js';
import { type Guard, inBatches, type Phase, PHASES, stepsIn } from './change.js';
import type { Changes } from './changes.js';
import type { Evolution } from './pairs.js';
import { lockedTables, lockSteps } from './table-locks.js';
import { type TablePair, tablePairs } from './table-pairs.js';
import { createSteps, dropSteps, indexSteps, renameSteps } from './table-steps.js';

/** What would be lost, unless the model says that it may be. */
export interface Loss {
  /** What changes: `article.title`. */
  readonly at: string;
  readonly guard: Guard;
}

export const lossesOf = ({ list }: Changes): Loss[] =>
  list.flatMap(({ at, guards }) => guards.filter(({ stated }) => !stated).map((guard) => ({ at, guard })));

/** How many rows of a loss are told. */
const TOLD = sql`5`;

/** How many rows a loss has, as `n`, and some of them, as `few`. */
export const countLoss = ({ guard }: Loss): Sql =>
  sql`select count(*)::int as n, string_agg(q."row", ', ') filter (where q.k <= ${TOLD}) as few
    from (select x."row", row_number() over (order by x."row") as k from (${guard.question}) x) q`;

/** What is said of a loss. */
export const toldLoss = ({ at, guard }: Loss): readonly [string, string] => [
  `${at} ${guard.told}: `,
  `; ${guard.choice}`,
];

/** Stops a migration where the data has come to hold what would be lost. */
function refusing(loss: Loss): Sql {
  const [head, tail] = toldLoss(loss);
  return sql`do $content$ declare n int; few text; begin
  select c.n, c.few into n, few from (${countLoss(loss)}) c;
  if n > 0 then raise exception using message = ${param(head)} || n || ' (' || few
    || case when n > ${TOLD} then ', …' else '' end || ')' || ${param(tail)}; end if;
end $content$`;
}

const revised = (type: ContentType): Sql => {
  const revision = revisionOf({ type, row: sql`t` });
  return inBatches(quote(type.table), sql`revision = ${revision}`);
};

function structure(pairs: readonly TablePair[], phase: Phase): readonly Sql[] {
  const steps: Partial<Record<Phase, (pairs: readonly TablePair[]) => readonly Sql[]>> = {
    drop: dropSteps,
    rename: renameSteps,
    create: createSteps,
    index: indexSteps,
  };
  return steps[phase]?.(pairs) ?? [];
}

/** The triggers of tables that are new, and of those whose type has another name. */
function triggers({ before, after, types }: Evolution, pairs: readonly TablePair[]): Sql[] {
  const isNew = (table: string): boolean =>
    pairs.some((pair) => pair.after?.table === table && pair.before === null);
  const isRenamed = (type: ContentType): boolean =>
    types.some((pair) => pair.after === type && pair.before?.singularApiId !== type.singularApiId);
  return notedTables(after.schema)
    .filter(({ table, type }) => before.isNoted === false || isNew(table) || isRenamed(type))
    .flatMap(renewedTriggers);
}

/** The ledger's tables may have been made by an earlier release. */
const ledger = ({ before, after }: Evolution): Sql[] =>
  before.isNoted === false ? renewedLedger(after.schema.file) : [];

/** All statements of a migration, in their order; without those that note the model. */
export function statementsOf(changes: Changes): string[] {
  const { evolution, relations, instances, list } = changes;
  const pairs = tablePairs(evolution, relations);
  const { made, dropped } = instances.functions();
  const touched = new Set(list.flatMap(({ touches }) => touches));
  const isChanging = list.some(({ steps }) => Object.keys(steps).length > 0);
  const phases = PHASES.flatMap((phase) => [
    ...structure(pairs, phase),
    ...stepsIn(list, phase),
    ...(phase === 'prepare' ? made : []),
    ...(phase === 'create' ? [...ledger(evolution), ...triggers(evolution, pairs)] : []),
    ...(phase === 'revise' ? [...touched].map(revised) : []),
    ...(phase === 'clean' ? dropped : []),
    // Tables with checks that wait cannot be changed.
    ...(phase === 'drop' || phase === 'grow' ? [sql`set constraints all immediate`] : []),
  ]);
  const guarded = lossesOf(changes).map(refusing);
  const locks = lockedTables(changes, pairs);
  const isLocked = isChanging || guarded.length > 0 || locks.alone.length > 0;
  return [...(isLocked ? lockSteps(locks) : []), ...guarded, ...phases].map(script);
}
