/** State of an open document beside the values of its form. */
import type { Conflict } from '../form/merge.ts';
import type { Json } from '../form/values.ts';
import { type Authors, authorsIn, NO_AUTHORS } from '../model/authors.ts';
import type { Model } from '../model/model.ts';
import type { Action, DocumentState, Envelope } from './requests.ts';

type Phase = 'loading' | 'ready' | 'missing' | 'failed';
/** `offline`: the server was not reached, and the write is repeated. `refused`: the editor must act. */
type Saving = 'idle' | 'saving' | 'offline' | 'refused';

/** Changes that another editor, a release or a program has just made. */
interface News {
  /** Names of attributes. */
  readonly names: readonly string[];
  /** Publication since; null for none. */
  readonly turn: 'published' | 'unpublished' | null;
}

export const NO_NEWS: News = { names: [], turn: null };

/** State that the screen shows beside the form. Replaced with every change. */
export interface Snapshot {
  readonly phase: Phase;
  /** Whether a missing document exists in another language. */
  readonly isElsewhere: boolean;
  readonly saving: Saving;
  readonly isChanged: boolean;
  readonly conflicts: readonly Conflict[];
  /** Time of the work of an earlier page that was recovered. */
  readonly recoveredAt: number | null;
  readonly savedAt: number | null;
  readonly error: string | null;
  /** Error that keeps the document from being loaded; null for none. */
  readonly failure: Error | null;
  /** Action that was refused, so that the form is saved and nothing else; null for none. */
  readonly refusedAction: Action | null;
  readonly state: DocumentState | null;
  readonly documentId: string | null;
  readonly updatedAt: string | null;
  /** Names of the users who created and last changed the document; null if unknown. */
  readonly authors: Authors;
  readonly arrived: News;
}

export const firstSnapshot = (documentId: string | null): Snapshot => ({
  phase: 'loading',
  isElsewhere: false,
  saving: 'idle',
  isChanged: false,
  conflicts: [],
  recoveredAt: null,
  savedAt: null,
  error: null,
  failure: null,
  refusedAction: null,
  state: null,
  documentId,
  updatedAt: null,
  authors: NO_AUTHORS,
  arrived: NO_NEWS,
});

/** Returns the parts of the state that a response has. */
export function factsOf(data: Json, model: Model): Partial<Snapshot> {
  const { __state: state, updatedAt, documentId } = data;
  return {
    ...(typeof documentId === 'string' ? { documentId } : {}),
    ...(state === undefined ? {} : { state: state as DocumentState }),
    updatedAt: typeof updatedAt === 'string' ? updatedAt : null,
    authors: authorsIn(data, model),
  };
}

/** State of a document that is read in another language; null if there is none. */
export const stateOf = (body: Envelope | null, model: Model): DocumentState | null =>
  body === null ? null : (factsOf(body.data, model).state ?? { status: 'published' });

/** Returns what has changed since a snapshot: attributes with these names, and the state. */
export function newsSince({ state: before }: Snapshot, { state }: Snapshot, names: readonly string[]): News {
  if (before === null || state === null) return { names, turn: null };
  const [wasDraft, isDraft] = [before.status === 'draft', state.status === 'draft'];
  if (wasDraft === isDraft) return { names, turn: null };
  return { names, turn: isDraft ? 'unpublished' : 'published' };
}
