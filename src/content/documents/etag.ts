/** ETag of a response (RFC 9110 8.8.3). */
import { hash } from 'node:crypto';
import { PerPlan } from '../plan/per-plan.js';
import { compileForm } from '../compile/compile-read.js';
import { isPlain, type ReadPlan } from '../plan/plan.js';
import { fill, type Template } from '../../kernel/sql.js';

const LENGTH = 16;

/** Short digest without a secret; 96 bits make collisions improbable. */
const digestOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, LENGTH);

interface Form {
  readonly template: Template<ReadPlan>;
  /** Digest of the text of the template. */
  readonly text: string;
}

const forms = new PerPlan<Form>();

const formOf = (plan: ReadPlan): Form =>
  forms.of(plan, () => {
    const template = compileForm(plan);
    return { template, text: digestOf(template.text) };
  });

/**
 * Digest of the form of a response, independent of the requested document: permissions, model and format are
 * all part of the text. The statement that was sent does not count: it also depends on the cache of the
 * process. The generation distinguishes models with the same text. A migration can replace a column by
 * another of the same name, without a new stamp of any row.
 */
function shapeOf({ generation }: TaggedResponse, plan: ReadPlan): string {
  const { template, text } = formOf(plan);
  const values = fill(template, plan).values.filter((value) => value !== plan.documentId);
  return digestOf(JSON.stringify([text, values.map(String), generation]));
}

interface TaggedResponse {
  readonly stamp: string | undefined;
  readonly data: string;
  readonly total: number | null;
  /** Last migration of the stored content. */
  readonly generation: string;
}

/**
 * Returns the ETag: the stamp of the version, if the response shows one, and a digest. With populated
 * relations or lists, only the whole text identifies the response. Nothing else may enter the digest: a tag
 * that changed with unreadable data would disclose it.
 */
export function etagOf(plan: ReadPlan, response: TaggedResponse): string {
  const { stamp, data, total } = response;
  const shown = isPlain(plan) ? keptShape(plan, response) : digestOf(`${total ?? ''} ${data}`);
  return stamp === undefined ? `"${shown}"` : `"${stamp}-${shown}"`;
}

export const writtenTag = (stamp: string): string => `"${stamp}-w"`;

const shapes = new PerPlan<string>();

/** The values of a caller's conditions are part of the form, but not of the shared plan. */
function keptShape(plan: ReadPlan, response: TaggedResponse): string {
  if (plan.operands !== null) return shapeOf(response, plan);
  return shapes.of(plan, () => shapeOf(response, plan));
}

export const tagInWindow = (tag: string, window: number): string =>
  tag.endsWith('-w"') ? tag : `${tag.slice(0, -LENGTH - 1)}${digestOf(`${tag} ${window}`)}"`;
