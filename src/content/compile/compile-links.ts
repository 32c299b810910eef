/** Statements for the links of a write. Their number is independent of targets and locales. */
import type { ContentType, LinkedAttribute } from '../model/model.js';
import { alias, join, type Sql, sql } from '../../kernel/sql.js';
import { noteOwners } from './changes.js';
import { joinSql } from './joins/joins.js';
import { changedIn, type LinkStep } from './link-sql.js';
import type { ChangeShape, LinksShape, TransferShape } from './write-shape.js';

const isInverse = ({ attribute: { join: way } }: ChangeShape | TransferShape): boolean =>
  way.side === 'inverse';

const isOwn = ({ rows }: LinkStep): boolean => rows?.own === true;

interface LinkBatches {
  readonly before: readonly (readonly LinkStep[])[];
  readonly along: readonly LinkStep[];
  readonly later: readonly (readonly LinkStep[])[];
}

/** Whether two steps may update the same row, which one statement cannot do. */
const clash = ({ rows: a }: LinkStep, { rows: b }: LinkStep): boolean =>
  a !== null &&
  a.type === b?.type &&
  (a.links === null || b.links === null || a.links.attribute === b.links.attribute);

/** Groups steps into as few statements as possible, so that no statement updates a row twice. */
function batchesOf(steps: readonly LinkStep[]): LinkStep[][] {
  const batches: LinkStep[][] = [];
  for (const step of steps) {
    const free = batches.find((batch) => !batch.some((other) => clash(other, step)));
    if (free === undefined) batches.push([step]);
    else free.push(step);
  }
  return batches;
}

/**
 * Whether a change of an inverse side runs before the rows are written, which requires an existing document.
 * If the body also sets the owning side, that side comes first.
 */
const isEarly = ({ attribute: { join: way } }: ChangeShape, { changes, isThere }: LinksShape): boolean =>
  isThere &&
  way.side === 'inverse' &&
  !changes.some(({ attribute: { join: other } }) => other.side === 'owning' && other.name === way.name);

/**
 * Groups the steps of all relations into statements, owning sides before inverse ones. Changes on an inverse
 * side that affect the document's own rows come first, so that publishing copies them.
 */
export function linkBatches(step: LinksShape): LinkBatches {
  const replaceSteps = (change: ChangeShape): LinkStep[] =>
    joinSql(change.attribute.join).replace(change.attribute.join, change, step);
  const transferSteps = (transfer: TransferShape): LinkStep[] =>
    joinSql(transfer.attribute.join).transfer(transfer.attribute.join, transfer, step);
  const early = step.changes.filter((change) => isEarly(change, step));
  const before = early.flatMap(replaceSteps).filter(isOwn);
  const sides = [false, true].map((inverse) => ({
    changes: step.changes
      .filter((change) => isInverse(change) === inverse && !early.includes(change))
      .flatMap(replaceSteps),
    transfers: step.transfers.filter((transfer) => isInverse(transfer) === inverse).flatMap(transferSteps),
  }));
  const others = [
    ...sides.flatMap(({ changes, transfers }) => [...changes, ...transfers]),
    ...early.flatMap(replaceSteps).filter((one) => !isOwn(one)),
  ];
  const [along = [], ...more] = batchesOf(others.filter((one) => !isOwn(one)));
  return { before: batchesOf(before), along, later: [...more, ...batchesOf(others.filter(isOwn))] };
}

interface Changes {
  readonly results: Sql[];
  readonly lists: Map<LinkedAttribute, Sql>;
}

/** Common table expressions of steps. The last ones update the revisions of changed owners. */
export function partsOf(steps: readonly LinkStep[]): Sql[] {
  const tables: Sql[] = [];
  const changed = new Map<ContentType, Changes>();
  const next = (part: Sql): void => void tables.push(sql`${alias('k', tables.length)} as (${part})`);
  for (const { parts, rows } of steps) {
    const start = tables.length;
    const result = (part: number): Sql => alias('k', start + part);
    for (const part of parts) next(part(result));
    if (rows === null || rows.links === null) continue;
    const changes = changed.get(rows.type) ?? { results: [], lists: new Map<LinkedAttribute, Sql>() };
    changes.results.push(...rows.links.parts.map(result));
    changes.lists.set(rows.links.attribute, rows.links.after(result));
    changed.set(rows.type, changes);
  }
  for (const [type, { results, lists }] of changed) next(noteOwners({ type, lists }, changedIn(results)));
  return tables;
}

export const compileLinks = (batch: readonly LinkStep[]): Sql =>
  sql`with ${join(partsOf(batch), ', ')} select 1`;
