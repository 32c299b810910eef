/** Prints the statements of a write's steps. */
import type { DiscardStep, PublishStep, RowsStep, WriteStep } from '../plan/steps.js';
import { byKind } from '../model/by-kind.js';
import {
  fill,
  withLabel,
  silently,
  type Sql,
  type Statement,
  template,
  type Template,
} from '../../kernel/sql.js';
import type { ContentType } from '../model/model.js';
import { compileStartDrafts } from './compile-drafts.js';
import { compileLinks, linkBatches } from './compile-links.js';
import { compileDelete, compileUnpublish } from './compile-delete.js';
import { compileUnschedule } from './compile-schedule.js';
import { compileStage } from './compile-stage.js';
import { compileDiscard, compilePublish } from './compile-transitions.js';
import { compileRows } from './compile-write.js';
import { CachedTexts } from './cached-texts.js';
import { rowsTemplate } from '../../kernel/many.js';
import type { LinkStep } from './link-sql.js';
import { placeColumn } from './version-sql.js';
import {
  type LinksShape,
  rowsFacts,
  rowsShape,
  transitionFacts,
  transitionShape,
  type WrittenAnswer,
} from './write-shape.js';

/** Prints rows and links, combined in one statement unless both update the same rows. */
function withLinks<T extends { readonly links: LinksShape }>(
  shape: T,
  rows: (shape: T, along: readonly LinkStep[]) => Sql,
): readonly Sql[] {
  const { before, along, later } = linkBatches(shape.links);
  return [...before.map(compileLinks), rows(shape, along), ...later.map(compileLinks)];
}

type Texts<S> = readonly Template<S>[];

const labelOf = ({ singularApiId }: ContentType, action: string): string => `${singularApiId}.${action}`;

/** Prints templates with the type and action as a comment. */
const templates = <S>(fragments: readonly Sql[], type: ContentType, action: string): Texts<S> =>
  fragments.map((fragment) => template<S>(fragment, labelOf(type, action)));

interface RowsTexts {
  readonly texts: Texts<RowsStep>;
  readonly answers: boolean;
}

/**
 * Whether writes may share a statement: none of them changes rows or links of other documents. Their locks
 * keep the others apart ({@link locksOfWrite}).
 */
const mayMerge = ({ changes, transfers }: LinksShape): boolean =>
  [...changes, ...transfers].every(
    ({ attribute }) => !attribute.exclusive && attribute.join.side !== 'inverse',
  );

const ROWS = new CachedTexts<RowsTexts>();
const PUBLISH_TEXTS = new CachedTexts<Texts<PublishStep>>();
const DISCARD_TEXTS = new CachedTexts<Texts<DiscardStep>>();

const fillAll = <S>(texts: Texts<S>, step: S): readonly Statement[] => texts.map((text) => fill(text, step));

/** Prints rows and links. A single statement also returns the response. */
function rowsOf(step: RowsStep, answer: WrittenAnswer | null): RowsTexts {
  const { type } = step;
  return ROWS.of(type, { ...rowsFacts(step), answer: answer?.key ?? null }, (facts) => {
    const shape = rowsShape(type, facts);
    const alone = withLinks({ ...shape, answer: null }, compileRows);
    const answers = answer !== null && alone.length === 1;
    const texts = answers ? withLinks({ ...shape, answer }, compileRows) : alone;
    const made = mayMerge(shape.links)
      ? texts.map((text) => rowsTemplate<RowsStep>(text, labelOf(type, 'write'), placeColumn(type)))
      : templates<RowsStep>(texts, type, 'write');
    return { texts: made, answers };
  });
}

export interface WriteStatements {
  readonly statements: readonly Statement[];
  readonly answers: boolean;
}

const quiet = (statements: readonly Statement[]): WriteStatements => ({ statements, answers: false });

const print = byKind<WriteStep, [WrittenAnswer | null], WriteStatements>({
  rows: (step, answer) => {
    const { texts, answers } = rowsOf(step, answer);
    return { statements: fillAll(texts, step), answers };
  },
  publish: (step) => {
    const { type } = step;
    const texts = PUBLISH_TEXTS.of(type, transitionFacts(step), (facts) =>
      templates<PublishStep>(withLinks(transitionShape(type, facts), compilePublish), type, 'publish'),
    );
    return quiet(fillAll(texts, step));
  },
  discard: (step) => {
    const { type } = step;
    const texts = DISCARD_TEXTS.of(type, transitionFacts(step), (facts) =>
      templates<DiscardStep>(withLinks(transitionShape(type, facts), compileDiscard), type, 'discardDraft'),
    );
    return quiet(fillAll(texts, step));
  },
  drafts: ({ type, documentIds }) =>
    quiet([withLabel(labelOf(type, 'startDrafts'), compileStartDrafts(type, documentIds))]),
  unpublish: (step) => quiet([withLabel(labelOf(step.type, 'unpublish'), compileUnpublish(step))]),
  delete: (step) => quiet([withLabel(labelOf(step.type, 'delete'), compileDelete(step))]),
  stage: (step) => quiet([withLabel(labelOf(step.type, 'stage'), compileStage(step))]),
  unschedule: (step) => quiet([withLabel(labelOf(step.type, 'unschedule'), compileUnschedule(step))]),
});

/** Prints the statements of steps. The last one returns the response if the write has only that step. */
export function compileSteps(steps: readonly WriteStep[], answer: WrittenAnswer | null): WriteStatements {
  const printed = steps.map((step) => print(step, steps.length === 1 ? answer : null));
  const statements = printed.flatMap((one) => one.statements);
  const answers = printed.some((one) => one.answers);
  return { statements: answers ? statements : statements.map(silently), answers };
}
