/** What a change of a model is made of: what is told of it, what it may lose, and its statements by phase. */
import type { ContentType } from '../schema/model.js';
import { quote, type Sql, sql } from '../sql.js';

/**
 * The order of a migration. What goes is dropped once its values are put aside, so that names are free for
 * what comes; rows are made last, when everything that they hold is there.
 */
export const PHASES = [
  'prepare',
  'shrink',
  'aside',
  'drop',
  'rename',
  'create',
  'retype',
  'fill',
  'grow',
  'index',
  'revise',
  'clean',
] as const;

export type Phase = (typeof PHASES)[number];

export type Steps = Partial<Readonly<Record<Phase, readonly Sql[]>>>;

/** Values that would be lost. */
export interface Guard {
  /** A query of the tables as they are; each row is a value that would be lost, told by the column `row`. */
  readonly question: Sql;
  /** What would become of them, behind the name of what changes. */
  readonly told: string;
  /** What to say in the definition where that is meant. */
  readonly choice: string;
  /** Whether the definition says it. */
  readonly stated: boolean;
}

/** One change between two models. */
export interface Change {
  readonly kind: string;
  /** The kind of change that undoes it; null where nothing has to. */
  readonly undoneBy: string | null;
  /** What changes: `article.title`. */
  readonly at: string;
  /** What becomes of it: `is renamed from headline`. */
  readonly told: string;
  readonly guards: readonly Guard[];
  readonly steps: Steps;
  /** The later types whose rows have other content after it. */
  readonly touches: readonly ContentType[];
}

/** How a row of a type's table is told: its document, locale and state. */
export const rowLabel = (row: Sql): Sql =>
  sql`${row}.document_id || ' (' || ${row}.locale || case when ${row}.published then ')' else ', draft)' end`;

/** The rows of a table that meet a condition, as a guard asks for them. */
export const rowsWhere = (type: ContentType, condition: Sql): Sql =>
  sql`select ${rowLabel(sql`t`)} as "row" from ${quote(type.table)} t where ${condition}`;

/** Rows that are taken by one statement, so that none holds a large table's worth of memory. */
const BATCH = sql`5000`;

/** An update of all rows `t` of a table, some thousand at a time. */
export function inBatches(table: Sql, assignments: Sql, condition: Sql = sql`true`): Sql {
  return sql`do $content$ declare last int := 0; next int; begin
  loop
    select max(b.id) into next from (select id from ${table} where id > last order by id limit ${BATCH}) b;
    exit when next is null;
    update ${table} t set ${assignments} where t.id > last and t.id <= next and (${condition});
    last := next;
  end loop;
end $content$`;
}

/** Every phase of several changes. */
export const stepsIn = (changes: readonly Change[], phase: Phase): readonly Sql[] =>
  changes.flatMap(({ steps }) => steps[phase] ?? []);
