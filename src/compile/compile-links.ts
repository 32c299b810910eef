/**
 * The links of a write: all relations of a document, own and inverse, in statements whose number ignores how
 * many targets and locales there are.
 */
import type { ContentType, LinkedAttribute } from '../schema/model.js';
import { alias, join, type Sql, sql } from '../sql.js';
import { noteOwners } from './changes.js';
import { joinSql } from './joins/joins.js';
import { changedIn, type LinkStep } from './link-sql.js';
import type { ChangeShape, LinksShape, TransferShape } from './write-shape.js';

/** Whether a relation is written from the side that does not own it. */
const isInverse = ({ attribute: { join: way } }: ChangeShape | TransferShape): boolean =>
  way.side === 'inverse';

const isOwn = ({ rows }: LinkStep): boolean => rows?.own === true;

/** The steps of a write's links by statement. */
interface LinkBatches {
  /** Those that come before the rows. */
  readonly before: readonly (readonly LinkStep[])[];
  /** Those that may go in one statement with the rows of the document. */
  readonly along: readonly LinkStep[];
  readonly later: readonly (readonly LinkStep[])[];
}

/** Whether two steps may mean one row, which only one of them could change. */
const clash = ({ rows: a }: LinkStep, { rows: b }: LinkStep): boolean =>
  a !== null &&
  a.type === b?.type &&
  (a.links === null || b.links === null || a.links.attribute === b.links.attribute);

/** Steps in statements, as few as there may be where two of them may update one row. */
function batched(steps: readonly LinkStep[]): LinkStep[][] {
  const batches: LinkStep[][] = [];
  for (const step of steps) {
    const free = batches.find((batch) => !batch.some((other) => clash(other, step)));
    if (free === undefined) batches.push([step]);
    else free.push(step);
  }
  return batches;
}

/**
 * Whether a change is of an inverse side alone, and can find its rows. Where a body sets both sides of a
 * relation with itself, its own one comes first.
 */
const isEarly = ({ attribute: { join: way } }: ChangeShape, { changes, isThere }: LinksShape): boolean =>
  isThere &&
  way.side === 'inverse' &&
  !changes.some(({ attribute: { join: other } }) => other.side === 'owning' && other.name === way.name);

/**
 * Divides the steps of all relations among statements, own sides before inverse ones. What a body says on an
 * inverse side of rows of the document itself comes first of all, so that it is right when it is published.
 */
export function linkBatches(step: LinksShape): LinkBatches {
  const replaced = (change: ChangeShape): LinkStep[] =>
    joinSql(change.attribute.join).replace(change.attribute.join, change, step);
  const transferred = (transfer: TransferShape): LinkStep[] =>
    joinSql(transfer.attribute.join).transfer(transfer.attribute.join, transfer, step);
  const early = step.changes.filter((change) => isEarly(change, step));
  const before = early.flatMap(replaced).filter(isOwn);
  const sides = [false, true].map((inverse) => ({
    changes: step.changes
      .filter((change) => isInverse(change) === inverse && !early.includes(change))
      .flatMap(replaced),
    transfers: step.transfers.filter((transfer) => isInverse(transfer) === inverse).flatMap(transferred),
  }));
  const others = [
    ...sides.flatMap(({ changes, transfers }) => [...changes, ...transfers]),
    ...early.flatMap(replaced).filter((one) => !isOwn(one)),
  ];
  const [along = [], ...more] = batched(others.filter((one) => !isOwn(one)));
  return { before: batched(before), along, later: [...more, ...batched(others.filter(isOwn))] };
}

/** What the steps of a statement change of the links of a type. */
interface Changes {
  readonly results: Sql[];
  readonly lists: Map<LinkedAttribute, Sql>;
}

/** The parts of steps as tables of one statement; and whose links they change, noted once for each type. */
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

/** One statement for a batch of steps. */
export const compileLinks = (batch: readonly LinkStep[]): Sql =>
  sql`with ${join(partsOf(batch), ', ')} select 1`;
