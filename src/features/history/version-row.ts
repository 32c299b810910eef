/** Rows of stored versions, and their form in responses. */
import { CREATED_AT } from '../../content/model/history-table.js';
import { isObject } from '../../kernel/json.js';
import type { ContentType } from '../../content/model/model.js';
import type { Row } from '../../pool/runner.js';

export interface VersionRow extends Row {
  readonly id: string;
  readonly locale: string;
  readonly published: boolean;
}

/** Returns the content of a row; null for the deletion of a version. */
export function contentIn(row: Row): Readonly<Record<string, unknown>> | null {
  const parsed: unknown = typeof row['content'] === 'string' ? JSON.parse(row['content']) : null;
  return isObject(parsed) ? parsed : null;
}

/** Returns when the version of a row was created; null if its content does not tell it. */
export function creationOf(row: Row): string | null {
  const time = contentIn(row)?.[CREATED_AT];
  return typeof time === 'string' ? time : null;
}

/** Returns a version without its content: which, when, and by whom. */
export function shownRow(row: VersionRow, type: ContentType): Record<string, unknown> {
  const { id, locale, published, action, since, at, actor, actor_id: actorId } = row;
  return {
    id,
    locale: type.localized ? locale : null,
    status: published ? 'published' : 'draft',
    action,
    since,
    at,
    by: { kind: actor, id: actorId },
  };
}
