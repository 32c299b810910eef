/** Checks of documents that would lose the target of an exclusive relation to the written document (D23). */
import type { Decision } from '../access/decide.js';
import type { ContentType } from '../model/model.js';
import { STAGE } from '../model/stage-definition.js';
import type { LinksStep } from '../plan/steps.js';
import { join, param, quote, type Sql, sql, type Statement } from '../../kernel/sql.js';
import { compileWithoutValues, isMet, ruleContext } from './compile-version-rights.js';
import type { NewLinks } from './joins/join-sql.js';
import { joinSql } from './joins/joins.js';
import { rowScope } from './scope.js';

/** Documents that a write may not change. */
export interface Protection {
  /** Decision that the documents must meet which the write changes. */
  readonly decision: Decision;
  /** Stages in which a draft stays as it was approved. */
  readonly approved: readonly string[];
  readonly defaultLocale: string;
}

/** Condition that the row `t` is a version of a protected document. */
function isProtected(type: ContentType, { decision, approved, defaultLocale }: Protection): Sql {
  const scope = { row: rowScope(type, sql`t`), context: ruleContext(defaultLocale) };
  const refused = sql`not ${isMet({ published: decision, drafts: decision }, scope)}`;
  const stage = type.storage.columnOf.get(STAGE);
  if (stage === undefined || approved.length === 0) return refused;
  return sql`(${refused} or not t.published and t.${quote(stage.name)} = any(${param(approved)}::text[]))`;
}

const losersOf = (links: NewLinks, step: LinksStep): readonly Sql[] => {
  const { attribute } = links;
  const rows = attribute.exclusive ? joinSql(attribute.join).losers(attribute.join, links, step) : null;
  return rows === null ? [] : [rows];
};

/**
 * Selects `refused`, whether links take their targets from protected documents; null if no link of the step
 * takes a target.
 */
export function compileTakes(step: LinksStep, protection: Protection): Statement | null {
  const rows = [...step.changes, ...step.transfers].flatMap((one) => losersOf(one, step));
  if (rows.length === 0) return null;
  const isKept = isProtected(step.type, protection);
  const refused = rows.map((one) => sql`exists (select 1 from ${one} and ${isKept})`);
  return compileWithoutValues(sql`select ${join(refused, ' or ')} as refused`);
}
