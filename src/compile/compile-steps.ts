/** The statements of a write's steps, one row for each kind of step. */
import type { LinksStep, RowsStep, WriteStep } from '../plan/steps.js';
import { byKind } from '../schema/by-kind.js';
import { silently, type Statement } from '../sql.js';
import { compileStartDrafts } from './compile-drafts.js';
import { compileLinks, linkBatches } from './compile-links.js';
import { compileDelete, compileUnpublish } from './compile-delete.js';
import { compileUnschedule } from './compile-schedule.js';
import { compileDiscard, compilePublish } from './compile-transitions.js';
import { compileCreate, compileUpdate } from './compile-write.js';
import type { LinkStep } from './link-sql.js';

/** Rows and links, in one statement as far as their rows are different ones. */
function withLinks(links: LinksStep, rows: (along: readonly LinkStep[]) => Statement): readonly Statement[] {
  const { before, along, later } = linkBatches(links);
  return [...before.map(compileLinks), rows(along), ...later.map(compileLinks)];
}

const isNew = ({ row, base }: RowsStep): boolean => row === null && base === null;

const print = byKind<WriteStep, [], readonly Statement[]>({
  rows: (step) =>
    withLinks(step.links, (along) => (isNew(step) ? compileCreate(step, along) : compileUpdate(step, along))),
  publish: (step) => withLinks(step.links, (along) => compilePublish(step, along)),
  drafts: ({ type, documentIds }) => [compileStartDrafts(type, documentIds)],
  unpublish: (step) => [compileUnpublish(step)],
  discard: (step) => withLinks(step.links, (along) => compileDiscard(step, along)),
  delete: (step) => [compileDelete(step)],
  unschedule: (step) => [compileUnschedule(step)],
});

/** All statements of a write, in their order. */
export const compileSteps = (steps: readonly WriteStep[]): Statement[] =>
  steps.flatMap((step) => print(step)).map(silently);
