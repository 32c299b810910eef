/** Events of the log, as readers see them. */
import type { WriteEvent } from '../../content/plan/write-plan.js';

/** Names of events by action, for entries and for files (protocol 21.3). */
const ENTRY_NAMES = {
  create: 'entry.create',
  update: 'entry.update',
  delete: 'entry.delete',
  publish: 'entry.publish',
  unpublish: 'entry.unpublish',
  discardDraft: 'entry.draft-discard',
} as const satisfies Record<WriteEvent, string>;

const MEDIA_NAMES = {
  create: 'media.create',
  update: 'media.update',
  delete: 'media.delete',
} as const satisfies Partial<Record<WriteEvent, string>>;

type EntryEventName = (typeof ENTRY_NAMES)[WriteEvent];
type MediaEventName = (typeof MEDIA_NAMES)[keyof typeof MEDIA_NAMES];

/** Name of an event: `entry.create`, `entry.publish`, `media.update` and so on. */
export type EventName = EntryEventName | MediaEventName;

export const EVENT_NAMES: readonly EventName[] = [
  ...Object.values(ENTRY_NAMES),
  ...Object.values(MEDIA_NAMES),
];

export const ACTORS = ['public', 'token', 'user', 'system'] as const;

/** Origin of an event: caller of the write. */
export interface EventActor {
  readonly kind: (typeof ACTORS)[number];
  /** Id of the token or user; null for the public and for the application itself. */
  readonly id: string | null;
}

/**
 * Committed write of one document.
 *
 * @publicApi
 */
export interface LoggedEvent {
  /** Stable id, the same for each repeated delivery. Ids of one document increase with its writes. */
  readonly id: string;
  /** Time of the transaction, ISO 8601 in UTC. */
  readonly at: string;
  readonly name: EventName;
  /** `singularApiId` of the type; `file` for files. */
  readonly type: string;
  readonly documentId: string;
  /** Locale of the write; null if all locales were written. */
  readonly locale: string | null;
  readonly action: WriteEvent;
  readonly actor: EventActor;
  /** Id of the HTTP request; null for other writes. */
  readonly requestId: string | null;
  /** Names of the attributes that the write assigned, private ones included. */
  readonly attributes: readonly string[];
  /** False if the write changed drafts only. Always true for types without drafts. */
  readonly published: boolean;
}

/** Row of the log, as JSON of PostgreSQL. */
export interface EventRow {
  readonly id: string;
  readonly at: string;
  readonly type: string;
  readonly document_id: string;
  readonly locale: string;
  readonly action: WriteEvent;
  readonly actor: EventActor['kind'];
  readonly actor_id: string | null;
  readonly request_id: string | null;
  readonly attributes: readonly string[];
  readonly published: boolean | null;
}

export const PREFIX = 'evt_';

const isMedia = (action: WriteEvent): action is keyof typeof MEDIA_NAMES =>
  Object.hasOwn(MEDIA_NAMES, action);

const named = (names: object, events: readonly EventName[]): readonly string[] =>
  Object.entries(names).flatMap(([action, name]) => (events.some((one) => one === name) ? [action] : []));

/** Returns the actions of events by their names. */
export const actionsOf = (
  events: readonly EventName[] = EVENT_NAMES,
): { readonly ofEntries: readonly string[]; readonly ofFiles: readonly string[] } => ({
  ofEntries: named(ENTRY_NAMES, events),
  ofFiles: named(MEDIA_NAMES, events),
});

/** Returns the name of an event; `file` is the `singularApiId` of files. */
const nameOf = (type: string, action: WriteEvent, file: string): EventName =>
  type === file && isMedia(action) ? MEDIA_NAMES[action] : ENTRY_NAMES[action];

export const eventOf = (row: EventRow, file: string): LoggedEvent =>
  Object.freeze({
    id: `${PREFIX}${row.id}`,
    at: row.at,
    name: nameOf(row.type, row.action, file),
    type: row.type,
    documentId: row.document_id,
    locale: row.locale === '' ? null : row.locale,
    action: row.action,
    actor: Object.freeze({ kind: row.actor, id: row.actor_id }),
    requestId: row.request_id,
    attributes: row.attributes,
    published: row.published ?? true,
  });
