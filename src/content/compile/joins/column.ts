import type { ColumnJoin } from '../../model/join-model.js';
import type { Column, ContentType } from '../../model/model.js';
import { join, quote, type Sql, sql } from '../../../kernel/sql.js';
import { changedBy, noted } from '../changes.js';
import { allOf, inState, inStates, type LinkStep, texts, writtenId } from '../link-sql.js';
import { column, rowOf } from '../scope.js';
import type { LinksShape } from '../write-shape.js';
import { type JoinSql, NOTHING_STORED, tableOf } from './join-sql.js';

/** Removes the target of a one-to-one relation from its former owner, in all locales (D23). */
function takeOver({ column: held }: ColumnJoin, taken: readonly Sql[], step: LinksShape): LinkStep[] {
  const { type } = step;
  const value = ({ name }: Column): Sql | undefined => (name === held ? sql`null::text` : undefined);
  const others = allOf([sql`t.document_id <> ${writtenId(step)}`, ...taken]);
  const sets = [sql`${quote(held)} = null`, noted({ type, value }), ...changedBy(type)];
  const update = sql`update ${quote(type.table)} t set ${join(sets, ', ')} where ${others}`;
  return [{ parts: [() => update], rows: { type, links: null, own: false } }];
}

/** Selects the target of the written document in a state. All locales have the same target. */
const heldBy = (held: Sql, { type, published }: HeldIn, step: LinksShape): Sql =>
  sql`(select s.${held} from ${quote(type.table)} s where s.document_id = ${writtenId(step)}
    and ${inState(sql`s`, published)} limit 1)`;

interface HeldIn {
  readonly type: ContentType;
  readonly published: boolean;
}

/** Relation whose row stores the target's document id, written with the row's other columns. */
export const columnJoin: JoinSql<ColumnJoin> = {
  ...NOTHING_STORED,
  versioned: true,
  isLookedUp: () => false,
  isJoined: () => true,
  targets: ({ column: held }, { from, target }) => ({
    from: tableOf(target),
    conditions: [sql`${column(target, 'document_id')} = ${rowOf(from).alias}.${quote(held)}`],
    position: null,
  }),
  storedList: ({ column: held }, { row }) => sql`json_build_array(${row.alias}.${quote(held)})`,
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
    const held = quote(way.column);
    const source = heldBy(held, { type: step.type, published: !published }, step);
    return takeOver(way, [sql`t.${held} = ${source}`, inState(sql`t`, published)], step);
  },
};
