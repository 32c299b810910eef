/** Derives the statements and possible losses of a migration from the changes between two models. */
import { revisionOf } from '../../content/compile/changes.js';
import { renewedChangeLog, renewedTriggers } from '../../content/compile/compile-triggers.js';
import { notedTables } from '../../content/model/change-log-tables.js';
import type { ContentType } from '../../content/model/model.js';
import { param, quote, script, type Sql, sql } from '../../kernel/sql.js';
import { type Guard, inBatches, type Phase, PHASES, stepsIn } from './change.js';
import type { Changes } from './changes.js';
import type { Evolution } from './pairs.js';
import { lockedTables, lockSteps } from './table-locks.js';
import { type TablePair, tablePairs } from './table-pairs.js';
import { createSteps, dropSteps, indexSteps, renameSteps } from './table-steps.js';

/** Loss that the definitions do not allow. */
export interface Loss {
  /** Changed part: `article.title`. */
  readonly at: string;
  readonly guard: Guard;
}

export const lossesOf = ({ list }: Changes): Loss[] =>
  list.flatMap(({ at, guards }) => guards.filter(({ stated }) => !stated).map((guard) => ({ at, guard })));

const MAX_NAMED = sql`5`;

/** Query of the number of lost rows, as `n`, and some of their labels, as `few`. */
export const countLoss = ({ guard }: Loss): Sql =>
  sql`select count(*)::int as n, string_agg(q."row", ', ') filter (where q.k <= ${MAX_NAMED}) as few
    from (select x."row", row_number() over (order by x."row") as k from (${guard.question}) x) q`;

/** Returns the parts of the message before and after the number of rows. */
export const toldLoss = ({ at, guard }: Loss): readonly [string, string] => [
  `${at} ${guard.told}: `,
  `; ${guard.choice}`,
];

/** Statement that stops the migration if values would be lost at the time it runs. */
function refusing(loss: Loss): Sql {
  const [head, tail] = toldLoss(loss);
  return sql`do $content$ declare n int; few text; begin
  select c.n, c.few into n, few from (${countLoss(loss)}) c;
  if n > 0 then raise exception using message = ${param(head)} || n || ' (' || few
    || case when n > ${MAX_NAMED} then ', …' else '' end || ')' || ${param(tail)}; end if;
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

/** Creates change log triggers for new tables and for tables of renamed types. */
function triggers({ before, after, types }: Evolution, pairs: readonly TablePair[]): Sql[] {
  const isNew = (table: string): boolean =>
    pairs.some((pair) => pair.after?.table === table && pair.before === null);
  const isRenamed = (type: ContentType): boolean =>
    types.some((pair) => pair.after === type && pair.before?.singularApiId !== type.singularApiId);
  return notedTables(after.schema)
    .filter(({ table, type }) => before.isNoted === false || isNew(table) || isRenamed(type))
    .flatMap(renewedTriggers);
}

/** Replaces the change log tables of an earlier release. */
const changeLog = ({ before, after }: Evolution): Sql[] =>
  before.isNoted === false ? renewedChangeLog(after.schema.file) : [];

/** Returns all statements of a migration in order, except those that store the model. */
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
    ...(phase === 'create' ? [...changeLog(evolution), ...triggers(evolution, pairs)] : []),
    ...(phase === 'revise' ? [...touched].map(revised) : []),
    ...(phase === 'clean' ? dropped : []),
    // PostgreSQL cannot alter a table with pending deferred constraints.
    ...(phase === 'drop' || phase === 'grow' ? [sql`set constraints all immediate`] : []),
  ]);
  const guarded = lossesOf(changes).map(refusing);
  const locks = lockedTables(changes, pairs);
  const isLocked = isChanging || guarded.length > 0 || locks.alone.length > 0;
  return [...(isLocked ? lockSteps(locks) : []), ...guarded, ...phases].map(script);
}
