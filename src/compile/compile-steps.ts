/** The statements of a write's steps, one row for each kind of step. */
import type { DiscardStep, PublishStep, RowsStep, WriteStep } from '../plan/steps.js';
import { byKind } from '../schema/by-kind.js';
import { fill, silently, type Sql, type Statement, template, type Template } from '../sql.js';
import { compileStartDrafts } from './compile-drafts.js';
import { compileLinks, linkBatches } from './compile-links.js';
import { compileDelete, compileUnpublish } from './compile-delete.js';
import { compileUnschedule } from './compile-schedule.js';
import { compileDiscard, compilePublish } from './compile-transitions.js';
import { compileRows } from './compile-write.js';
import { KeptTexts } from './kept-texts.js';
import type { LinkStep } from './link-sql.js';
import { type LinksShape, rowsFacts, rowsShape, transitionFacts, transitionShape } from './write-shape.js';

/** Rows and links, in one statement as far as their rows are different ones. */
function withLinks<T extends { readonly links: LinksShape }>(
  shape: T,
  rows: (shape: T, along: readonly LinkStep[]) => Sql,
): readonly Sql[] {
  const { before, along, later } = linkBatches(shape.links);
  return [...before.map(compileLinks), rows(shape, along), ...later.map(compileLinks)];
}

/** The texts of a step, in their order. */
type Texts<S> = readonly Template<S>[];

const ROWS = new KeptTexts<Texts<RowsStep>>();
const PUBLISHED = new KeptTexts<Texts<PublishStep>>();
const DISCARDED = new KeptTexts<Texts<DiscardStep>>();

const filled = <S>(texts: Texts<S>, step: S): readonly Statement[] => texts.map((text) => fill(text, step));

const print = byKind<WriteStep, [], readonly Statement[]>({
  rows: (step) => {
    const { type } = step;
    const texts = ROWS.of(type, rowsFacts(step), (facts) =>
      withLinks(rowsShape(type, facts), compileRows).map(template<RowsStep>),
    );
    return filled(texts, step);
  },
  publish: (step) => {
    const { type } = step;
    const texts = PUBLISHED.of(type, transitionFacts(step), (facts) =>
      withLinks(transitionShape(type, facts), compilePublish).map(template<PublishStep>),
    );
    return filled(texts, step);
  },
  discard: (step) => {
    const { type } = step;
    const texts = DISCARDED.of(type, transitionFacts(step), (facts) =>
      withLinks(transitionShape(type, facts), compileDiscard).map(template<DiscardStep>),
    );
    return filled(texts, step);
  },
  drafts: ({ type, documentIds }) => [compileStartDrafts(type, documentIds)],
  unpublish: (step) => [compileUnpublish(step)],
  delete: (step) => [compileDelete(step)],
  unschedule: (step) => [compileUnschedule(step)],
});

/** All statements of a write, in their order. */
export const compileSteps = (steps: readonly WriteStep[]): Statement[] =>
  steps.flatMap((step) => print(step)).map(silently);
