/** ETag of a response (RFC 9110 8.8.3). */
import { hash } from 'node:crypto';
import { PerPlan } from '../plan/per-plan.js';
import { isPlain, type ReadPlan } from '../plan/plan.js';
import type { Statement } from '../../kernel/sql.js';

const LENGTH = 16;

/** Short digest without a secret; 96 bits make collisions improbable. */
const digestOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, LENGTH);

/**
 * Digest of the form of a response, independent of the requested document: permissions, model and format are
 * all part of the statement's text.
 */
const shapeOf = ({ text, values }: Statement, { documentId }: ReadPlan): string =>
  digestOf(JSON.stringify([text, values.filter((value) => value !== documentId).map(String)]));

interface Shown {
  readonly stamp: string | undefined;
  readonly data: string;
  readonly total: number | null;
  readonly statement: Statement;
}

/**
 * Returns the ETag: the stamp of the version, if the response shows one, and a digest. With populated
 * relations or lists, only the whole text identifies the response. Nothing else may enter the digest: a tag
 * that changed with unreadable data would disclose it.
 */
export function etagOf(plan: ReadPlan, { stamp, data, total, statement }: Shown): string {
  const shown = isPlain(plan) ? keptShape(plan, statement) : digestOf(`${total ?? ''} ${data}`);
  return stamp === undefined ? `"${shown}"` : `"${stamp}-${shown}"`;
}

export const writtenTag = (stamp: string): string => `"${stamp}-w"`;

const shapes = new PerPlan<string>();

function keptShape(plan: ReadPlan, statement: Statement): string {
  return shapes.of(plan, () => shapeOf(statement, plan));
}

export const tagInWindow = (tag: string, window: number): string =>
  tag.endsWith('-w"') ? tag : `${tag.slice(0, -LENGTH - 1)}${digestOf(`${tag} ${window}`)}"`;
