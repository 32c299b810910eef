/** Stages of drafts in other locales, after a write has changed their shared content. */
import { STAGE } from '../model/stage-definition.js';
import type { StageStep } from '../plan/steps.js';
import { join, param, quote, sql, type Statement, print } from '../../kernel/sql.js';
import { changedBy, changeColumns } from './changes.js';

/**
 * Resets the stage of drafts. Compares revisions, so that a draft whose content is unchanged keeps its stage.
 */
export function compileStage({ type, initial, approved, drafts, by }: StageStep): Statement {
  const stage = type.storage.columnOf.get(STAGE);
  if (stage === undefined) throw new Error(`${type.uid} has no stages`);
  const [column, value] = [quote(stage.name), sql`${param(initial)}${stage.cast}`];
  const content = { type, value: (one: typeof stage) => (one === stage ? value : undefined) };
  const sets = [changeColumns(content), sql`${column} = ${value}`, ...changedBy(type, param(by))];
  const ids = param(drafts.map(({ id }) => id));
  const revisions = param(drafts.map(({ revision }) => revision));
  return print(sql`update ${quote(type.table)} t set ${join(sets, ', ')}
    from unnest(${ids}::int4[], ${revisions}::int8[]) b(id, revision)
    where t.id = b.id and t.revision <> b.revision and t.${column} = any(${param(approved)}::text[])`);
}
