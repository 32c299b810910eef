/** The validator of an answer: what it shows (RFC 9110 8.8.3). */
import { hash } from 'node:crypto';
import { isPlain, type ReadPlan } from '../plan/plan.js';
import type { Statement } from '../sql.js';

/** Characters of a digest. */
const LENGTH = 16;

/** A short digest: of what is nobody's secret, and hard to meet by chance. */
const digestOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, LENGTH);

/**
 * How a statement shows a row, whichever document it is asked for: what is shown is a matter of rights, of
 * the model and of the format, too, and all of them are in its text.
 */
const shapeOf = ({ text, values }: Statement, { documentId }: ReadPlan): string =>
  digestOf(JSON.stringify([text, values.filter((value) => value !== documentId).map(String)]));

/** What an answer shows, and how it came about. */
interface Shown {
  /** Of its one version; undefined where it shows several. */
  readonly stamp: string | undefined;
  readonly data: string;
  /** How many there are, of a page that has counted them. */
  readonly total: number | null;
  readonly statement: Statement;
}

/**
 * The tag of an answer: the stamp of its version, if it is about one, then what tells it from other answers
 * about that version. What is populated or listed changes by itself, so that only the whole text says whether
 * it is the same; and nothing but that text may: a tag that changed with what a caller may not read would
 * tell of it.
 */
export function etagOf(plan: ReadPlan, { stamp, data, total, statement }: Shown): string {
  const shown = isPlain(plan) ? keptShape(plan, statement) : digestOf(`${total ?? ''} ${data}`);
  return stamp === undefined ? `"${shown}"` : `"${stamp}-${shown}"`;
}

/** The tag of the answer to a write, which nobody asks for again. */
export const writtenTag = (stamp: string): string => `"${stamp}-w"`;

function keptShape(plan: ReadPlan, statement: Statement): string {
  if (plan.kept === null) return shapeOf(statement, plan);
  return (plan.kept.shape ??= shapeOf(statement, plan));
}

/** The tag of an answer in a stretch of time, where what it shows is good for a while; a write's stays. */
export const tagInWindow = (tag: string, window: number): string =>
  tag.endsWith('-w"') ? tag : `${tag.slice(0, -LENGTH - 1)}${digestOf(`${tag} ${window}`)}"`;
