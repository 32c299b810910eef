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
import {
  type LinksShape,
  rowsFacts,
  rowsShape,
  transitionFacts,
  transitionShape,
  type WrittenAnswer,
} from './write-shape.js';

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

/** The texts of rows; where they answer, the last one does. */
interface RowsTexts {
  readonly texts: Texts<RowsStep>;
  readonly answers: boolean;
}

const ROWS = new KeptTexts<RowsTexts>();
const PUBLISHED = new KeptTexts<Texts<PublishStep>>();
const DISCARDED = new KeptTexts<Texts<DiscardStep>>();

const filled = <S>(texts: Texts<S>, step: S): readonly Statement[] => texts.map((text) => fill(text, step));

/** Rows and links; with the answer where one statement writes all of them. */
function rowsOf(step: RowsStep, answer: WrittenAnswer | null): RowsTexts {
  const { type } = step;
  return ROWS.of(type, { ...rowsFacts(step), answer: answer?.key ?? null }, (facts) => {
    const shape = rowsShape(type, facts);
    const alone = withLinks({ ...shape, answer: null }, compileRows);
    const answers = answer !== null && alone.length === 1;
    const texts = answers ? withLinks({ ...shape, answer }, compileRows) : alone;
    return { texts: texts.map(template<RowsStep>), answers };
  });
}

/** All statements of a write. */
export interface WriteStatements {
  /** In their order. */
  readonly statements: readonly Statement[];
  /** Whether the last of them answers. */
  readonly answers: boolean;
}

/** Statements that answer nothing. */
const quiet = (statements: readonly Statement[]): WriteStatements => ({ statements, answers: false });

const print = byKind<WriteStep, [WrittenAnswer | null], WriteStatements>({
  rows: (step, answer) => {
    const { texts, answers } = rowsOf(step, answer);
    return { statements: filled(texts, step), answers };
  },
  publish: (step) => {
    const { type } = step;
    const texts = PUBLISHED.of(type, transitionFacts(step), (facts) =>
      withLinks(transitionShape(type, facts), compilePublish).map(template<PublishStep>),
    );
    return quiet(filled(texts, step));
  },
  discard: (step) => {
    const { type } = step;
    const texts = DISCARDED.of(type, transitionFacts(step), (facts) =>
      withLinks(transitionShape(type, facts), compileDiscard).map(template<DiscardStep>),
    );
    return quiet(filled(texts, step));
  },
  drafts: ({ type, documentIds }) => quiet([compileStartDrafts(type, documentIds)]),
  unpublish: (step) => quiet([compileUnpublish(step)]),
  delete: (step) => quiet([compileDelete(step)]),
  unschedule: (step) => quiet([compileUnschedule(step)]),
});

/** The statements of steps. The last of them answers where it can: where the write is that one alone. */
export function compileSteps(steps: readonly WriteStep[], answer: WrittenAnswer | null): WriteStatements {
  const printed = steps.map((step) => print(step, steps.length === 1 ? answer : null));
  const statements = printed.flatMap((one) => one.statements);
  const answers = printed.some((one) => one.answers);
  return { statements: answers ? statements : statements.map(silently), answers };
}
