/**
 * The links of a write: all relations of a document, own and inverse, in statements whose number ignores how
 * many targets and locales there are.
 */
import type { LinkChange, LinksStep, LinkTransfer } from '../plan/steps.js';
import type { ContentType, LinkedAttribute } from '../schema/model.js';
import { alias, join, print, type Sql, sql, type Statement } from '../sql.js';
import { noteOwners } from './changes.js';
import { joinSql } from './joins/joins.js';
import { changedIn, type LinkStep } from './link-sql.js';

/** Whether a relation is written from the side that does not own it. */
const isInverse = ({ attribute: { join: way } }: LinkChange | LinkTransfer): boolean =>
  way.side === 'inverse';

/** The steps of all relations: own sides before inverse ones, which follow them where both say something. */
function stepsOf(step: LinksStep): LinkStep[] {
  const replaced = (change: LinkChange): LinkStep[] =>
    joinSql(change.attribute.join).replace(change.attribute.join, change, step);
  const transferred = (transfer: LinkTransfer): LinkStep[] =>
    joinSql(transfer.attribute.join).transfer(transfer.attribute.join, transfer, step);
  return [false, true].flatMap((inverse) => [
    ...step.changes.filter((change) => isInverse(change) === inverse).flatMap(replaced),
    ...step.transfers.filter((transfer) => isInverse(transfer) === inverse).flatMap(transferred),
  ]);
}

/** The steps of a write's links by statement. */
interface LinkBatches {
  /** Those that may go in one statement with the rows of the document. */
  readonly along: readonly LinkStep[];
  readonly later: readonly (readonly LinkStep[])[];
}

/** Whether two steps may mean one row, which only one of them could change. */
const clash = ({ rows: a }: LinkStep, { rows: b }: LinkStep): boolean =>
  a !== null &&
  a.type === b?.type &&
  (a.links === null || b.links === null || a.links.attribute === b.links.attribute);

/**
 * Divides the steps among statements. More than one is needed only where two of them may update one row, or
 * where a step notes rows of the document itself.
 */
export function linkBatches(links: LinksStep): LinkBatches {
  const along: LinkStep[] = [];
  const later: LinkStep[][] = [];
  for (const step of stepsOf(links)) {
    const fits = (batch: readonly LinkStep[]): boolean => !batch.some((other) => clash(other, step));
    const free = step.rows?.own !== true && fits(along) ? along : later.find(fits);
    if (free === undefined) later.push([step]);
    else free.push(step);
  }
  return { along, later };
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
export const compileLinks = (batch: readonly LinkStep[]): Statement =>
  print(sql`with ${join(partsOf(batch), ', ')} select 1`);
