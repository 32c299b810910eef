/** The validator of one document's answer: which version it shows, and how (RFC 9110 8.8.3). */
import { hash } from 'node:crypto';
import type { ReadPlan } from '../plan/plan.js';
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
  readonly stamp: string;
  readonly data: string;
  /** Null for the answer to a write, which nobody asks for again. */
  readonly statement: Statement | null;
}

/**
 * The tag of an answer: the stamp of its version, then what tells it from other answers about that version.
 * What is populated changes by itself, so that only the whole text says whether it is the same.
 */
export function etagOf(plan: ReadPlan, { stamp, data, statement }: Shown): string {
  if (statement === null) return `"${stamp}-w"`;
  return `"${stamp}-${isPlain(plan) ? keptShape(plan, statement) : digestOf(data)}"`;
}

/** Whether an answer shows nothing but one version's own row. */
export const isPlain = ({ page, object }: ReadPlan): boolean => page === null && object.children.length === 0;

function keptShape(plan: ReadPlan, statement: Statement): string {
  if (plan.kept === null) return shapeOf(statement, plan);
  return (plan.kept.shape ??= shapeOf(statement, plan));
}

/** What an answer's tag says beside its stamp: what it is made of, and all changes of that. */
export const changesTag = (plan: ReadPlan, statement: Statement, changes: string): string =>
  digestOf(`${keptShape(plan, statement)} ${plan.documentId ?? ''} ${changes}`);

/** The tag of an answer in a stretch of time, where what it shows is good for a while; a write's stays. */
export const tagInWindow = (tag: string, window: number): string =>
  tag.endsWith('-w"') ? tag : `${tag.slice(0, -LENGTH - 1)}${digestOf(`${tag} ${window}`)}"`;

/** The tag that an answer has by its text alone, in the place of one that says of what changes it came. */
export const tagByContent = (tag: string, data: string): string =>
  `${tag.slice(0, -LENGTH - 1)}${digestOf(data)}"`;
