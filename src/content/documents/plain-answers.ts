/** Responses to writes that show no document. */
import { notFound } from '../../kernel/errors.js';
import { Answer } from './answer.js';
import type { WriteAnswer } from './run-write.js';

/** Fails a write whose document does not exist. */
export const failAbsent = (): never => {
  throw notFound();
};

/** Response to a delete, which an absent document does not fail. */
export const DELETE_ANSWER: WriteAnswer<Answer> = {
  written: null,
  statements: () => [],
  from: () => Answer.NOTHING,
  failed: notFound,
  readBack: () => Promise.resolve(Answer.NOTHING),
  absent: () => Answer.NOTHING,
};

/** Response to a scheduled action. */
export const SCHEDULED_ANSWER: WriteAnswer<Answer> = { ...DELETE_ANSWER, absent: failAbsent };

/** Member of `meta` in the response to a write that stored the draft instead of publishing. */
export const STORED_DRAFT = Object.freeze({ status: 'draft' });
