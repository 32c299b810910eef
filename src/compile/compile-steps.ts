/** The statements of a write's steps, one row for each kind of step. */
import { splitByTable } from '../plan/link-steps.js';
import type { LinksStep, RowsStep, WriteStep } from '../plan/steps.js';
import { byKind } from '../schema/by-kind.js';
import type { Statement } from '../sql.js';
import { compileStartDrafts } from './compile-drafts.js';
import { compileLinks, linkBatches } from './compile-links.js';
import { compileUnschedule } from './compile-schedule.js';
import {
  compileCreate,
  compileDelete,
  compileDiscard,
  compileUnpublish,
  compileUpdate,
} from './compile-write.js';

/** Rows first; links with them where no statement has to see the rows of another one. */
function rowsWithLinks(step: RowsStep): readonly Statement[] {
  const [own, others] = splitByTable(step.links);
  const batches = linkBatches(own);
  const along = step.together ? batches.slice(0, 1).flat() : [];
  const later = [...batches.slice(step.together ? 1 : 0), ...linkBatches(others)];
  const isNew = step.row === null && step.base === null;
  return [isNew ? compileCreate(step, along) : compileUpdate(step, along), ...later.map(compileLinks)];
}

const links = (step: LinksStep): readonly Statement[] =>
  splitByTable(step).flatMap((part) => linkBatches(part).map(compileLinks));

const print = byKind<WriteStep, [], readonly Statement[]>({
  rows: rowsWithLinks,
  links,
  drafts: ({ type, documentIds }) => [compileStartDrafts(type, documentIds)],
  unpublish: (step) => [compileUnpublish(step)],
  discard: (step) => [compileDiscard(step)],
  delete: (step) => [compileDelete(step)],
  unschedule: (step) => [compileUnschedule(step)],
});

/** All statements of a write, in their order. */
export const compileSteps = (steps: readonly WriteStep[]): Statement[] =>
  steps.flatMap((step) => print(step));
