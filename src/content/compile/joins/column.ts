import type { ColumnJoin } from '../../model/join-model.js';
import type { Column, ContentType } from '../../model/model.js';
import type { LinksStep } from '../../plan/steps.js';
import { join, param, quote, type Sql, sql } from '../../../kernel/sql.js';
import { changedBy, changeColumns } from '../changes.js';
import { allOf, inState, inStates, type LinkStep, texts, writtenId } from '../link-sql.js';
import { column, rowOf } from '../scope.js';
import type { LinksShape } from '../write-shape.js';
import { inWritten, isChange, type JoinSql, NOTHING_STORED, type NewLinks, tableOf } from './join-sql.js';

/** Removes the target of a one-to-one relation from its former owner, in all locales (D23). */
function takeOver(
  { column: targetColumn }: ColumnJoin,
  takenRows: readonly Sql[],
  step: LinksShape,
): LinkStep[] {
  const { type } = step;
  const value = ({ name }: Column): Sql | undefined => (name === targetColumn ? sql`null::text` : undefined);
  const others = allOf([sql`t.document_id <> ${writtenId(step)}`, ...takenRows]);
  const sets = [sql`${quote(targetColumn)} = null`, changeColumns({ type, value }), ...changedBy(type)];
  const update = sql`update ${quote(type.table)} t set ${join(sets, ', ')} where ${others}`;
  return [{ parts: [() => update], rows: { type, links: null, own: false } }];
}

/** Selects the target of the written document in a state. All locales have the same target. */
const targetIn = (targetColumn: Sql, { type, published }: TargetState, step: LinksShape): Sql =>
  sql`(select s.${targetColumn} from ${quote(type.table)} s where s.document_id = ${writtenId(step)}
    and ${inState(sql`s`, published)} limit 1)`;

interface TargetState {
  readonly type: ContentType;
  readonly published: boolean;
}

function losers({ column }: ColumnJoin, links: NewLinks, { type, documentId }: LinksStep): Sql {
  const [table, name] = [quote(type.table), quote(column)];
  const wanted = isChange(links)
    ? sql`any(${param(links.targets)}::text[])`
    : sql`any(select s.${name} from ${table} s
        where s.document_id = ${param(documentId)}::text and ${inState(sql`s`, !links.published)})`;
  const is = [sql`t.document_id <> ${param(documentId)}::text`, sql`t.${name} = ${wanted}`];
  return sql`${table} t where ${allOf([...is, ...inWritten(sql`t`, links)])}`;
}

/** Relation whose row stores the target's document id, written with the row's other columns. */
export const columnJoin: JoinSql<ColumnJoin> = {
  ...NOTHING_STORED,
  losers,
  versioned: true,
  isLookedUp: () => false,
  isJoined: () => true,
  targets: ({ column: targetColumn }, { from, target }) => ({
    from: tableOf(target),
    conditions: [sql`${column(target, 'document_id')} = ${rowOf(from).alias}.${quote(targetColumn)}`],
    position: null,
  }),
  storedList: ({ column: targetColumn }, { row }) =>
    sql`json_build_array(${row.alias}.${quote(targetColumn)})`,
  replace: (way, { attribute, targets, isEmpty, states }, step) =>
    attribute.exclusive && !isEmpty
      ? takeOver(
          way,
          [sql`t.${quote(way.column)} = any(${texts(targets)})`, ...inStates(sql`t`, states)],
          step,
        )
      : [],
  transfer: (way, { attribute, published }, step) => {
    if (!attribute.exclusive) return [];
    const targetColumn = quote(way.column);
    const source = targetIn(targetColumn, { type: step.type, published: !published }, step);
    return takeOver(way, [sql`t.${targetColumn} = ${source}`, inState(sql`t`, published)], step);
  },
};
