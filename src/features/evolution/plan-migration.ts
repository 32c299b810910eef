/** Derives the statements and possible losses of a migration from the changes between two models. */
import { renewedChangeLog, renewedTriggers } from '../../content/compile/compile-triggers.js';
import { notedTables } from '../../content/model/change-log-tables.js';
import type { ContentType } from '../../content/model/model.js';
import { ownTablesOf } from '../../content/model/own-tables.js';
import { constant, param, quote, script, type Sql, sql, typeName } from '../../kernel/sql.js';
import { removeBackfill } from './backfill.js';
import { type Guard, type Phase, PHASES, stepsIn } from './change.js';
import type { Changes } from './changes.js';
import { renameInConditions } from './grant-conditions.js';
import {
  backfillStatementsOf,
  type OnlineMigration,
  abandonedParts,
  withBackfilledSteps,
  backfillRecordOf,
} from './online.js';
import type { Evolution } from './pairs.js';
import type { BackfillRecord } from './stored-model.js';
import { lockedTables, lockSteps } from './table-locks.js';
import { type TablePair, tablePairs, withBackfilledColumns } from './table-pairs.js';
import {
  createSteps,
  dropSteps,
  earlyIndexSteps,
  extensionSteps,
  indexSteps,
  lateIndexSteps,
  renameSteps,
} from './table-steps.js';

/** Loss that the definitions do not allow. */
export interface Loss {
  /** Changed part: `article.title`. */
  readonly at: string;
  readonly guard: Guard;
}

export const lossesOf = ({ list }: Changes): Loss[] =>
  list.flatMap(({ at, guards }) => guards.filter(({ allowed }) => !allowed).map((guard) => ({ at, guard })));

/** Rows that a message names. */
export const MAX_NAMED = 5;

/** Query of the number of lost rows, as `n`, and some of their labels, as `few`. */
export const lossCountQuery = ({ guard }: Loss): Sql =>
  sql`select count(*)::int as n, string_agg(q."row", ', ') filter (where q.k <= ${constant(MAX_NAMED)}) as few
    from (select x."row", row_number() over (order by x."row") as k from (${guard.query}) x) q`;

/** Returns the parts of the message before and after the number of rows. */
export const lossMessage = ({ at, guard }: Loss): readonly [string, string] => [
  `${at} ${guard.description}: `,
  `; ${guard.remedy}`,
];

/** Statement that stops the migration if values would be lost at the time it runs. */
function refuseLoss(loss: Loss): Sql {
  const [head, tail] = lossMessage(loss);
  return sql`do $content$ declare n int; few text; begin
  select c.n, c.few into n, few from (${lossCountQuery(loss)}) c;
  if n > 0 then raise exception using message = ${param(head)} || n || ' (' || few
    || case when n > ${constant(MAX_NAMED)} then ', …' else '' end || ')' || ${param(tail)}; end if;
end $content$`;
}

type Structure = Partial<Record<Phase, (pairs: readonly TablePair[]) => readonly Sql[]>>;

const ALTERING: Structure = { drop: dropSteps, rename: renameSteps, create: createSteps };

/** Changes of tables by phase, with all indexes in the transaction. */
const OFFLINE: Structure = { ...ALTERING, prepare: extensionSteps, index: indexSteps };

/** Changes of tables by phase, without the indexes that can be created later. */
const ONLINE: Structure = { ...OFFLINE, index: earlyIndexSteps };

/** Creates change log triggers for new tables and for tables of renamed types. */
function triggers({ before, after, types }: Evolution, pairs: readonly TablePair[]): Sql[] {
  const isNew = (table: string): boolean =>
    pairs.some((pair) => pair.after?.table === table && pair.before === null);
  const isRenamed = (type: ContentType): boolean =>
    types.some((pair) => pair.after === type && pair.before?.singularApiId !== type.singularApiId);
  return notedTables(after.schema)
    .filter(({ table, type }) => before.hasCurrentTriggers === false || isNew(table) || isRenamed(type))
    .flatMap(renewedTriggers);
}

/** Replaces the change log tables of an earlier release. */
const changeLog = ({ before, after }: Evolution): Sql[] =>
  before.hasCurrentTriggers === false ? renewedChangeLog(after.schema.file) : [];

/** Adds columns to the module's own tables of an earlier release. */
const laterColumns = ({ after }: Evolution): Sql[] =>
  ownTablesOf(after.schema).flatMap(({ table, columns }) =>
    columns
      .filter(({ later }) => later)
      .map(
        ({ name, type }) =>
          sql`alter table ${quote(table)} add column if not exists ${quote(name)} ${typeName(type)}`,
      ),
  );

/** Changes with the work of an earlier migration that was given up. */
export interface PlannedChanges {
  readonly changes: Changes;
  readonly abandoned: BackfillRecord | null;
}

const pairsOf = ({ evolution, relations }: Changes): TablePair[] => tablePairs(evolution, relations);

/** Returns all statements of a migration in order, except those that store the model. */
export const statementsOf = ({ changes, abandoned }: PlannedChanges): string[] =>
  statementsWith({ changes, abandoned, pairs: pairsOf(changes), structure: OFFLINE });

/** Returns the statements of a migration that blocks other requests only briefly. */
export function onlineStatementsOf({ changes, abandoned }: PlannedChanges): Omit<OnlineMigration, 'begin'> {
  const backfills = changes.list.flatMap(({ backfill }) => (backfill === null ? [] : [backfill]));
  const pairs = pairsOf(changes).map((pair) => withBackfilledColumns(pair, backfills));
  const left = abandoned === null ? null : abandonedParts(abandoned, backfillRecordOf(changes));
  return {
    backfills: backfillStatementsOf(changes),
    step: statementsWith({
      changes: withBackfilledSteps(changes),
      abandoned: left,
      pairs,
      structure: ONLINE,
    }),
    after: lateIndexSteps(pairs).map(script),
  };
}

interface Statements extends PlannedChanges {
  readonly pairs: readonly TablePair[];
  readonly structure: Structure;
}

function statementsWith({ changes, abandoned, pairs, structure }: Statements): string[] {
  const { evolution, instances, list } = changes;
  const { made, dropped } = instances.functions();
  const removed = abandoned === null ? [] : removeBackfill(evolution.before.schema, abandoned);
  const phases = PHASES.flatMap((phase) => [
    ...(structure[phase]?.(pairs) ?? []),
    ...stepsIn(list, phase),
    ...(phase === 'prepare' ? made : []),
    ...(phase === 'create'
      ? [...changeLog(evolution), ...laterColumns(evolution), ...triggers(evolution, pairs)]
      : []),
    ...(phase === 'clean' ? [...dropped, ...renameInConditions(evolution)] : []),
    // PostgreSQL cannot alter a table with pending deferred constraints.
    ...(phase === 'drop' || phase === 'grow' ? [sql`set constraints all immediate`] : []),
  ]);
  const guarded = lossesOf(changes).map(refuseLoss);
  const locks = lockedTables({
    changes,
    pairs,
    alters: (pair) => [...Object.values(ALTERING), structure.index].flatMap((steps) => steps?.([pair]) ?? []),
    statements: [...removed, ...guarded, ...phases],
  });
  // Writers hold weaker locks when they wait for stronger ones, so all locks are acquired at once.
  return [...lockSteps(locks), ...guarded, ...removed, ...phases].map(script);
}
