/** Requests of the document screen. */
import { ApiError, isTemporary } from '../api/errors.ts';
import { type Answer, type Ask, request } from '../api/http.ts';
import type { Parameters } from '../api/query.ts';
import { settings } from '../settings.ts';
import type { Json, Values } from '../form/values.ts';
import { authorsEntry } from '../model/authors.ts';
import { hasDrafts, type Model, type Type } from '../model/model.ts';
import { populateOf } from '../model/populate.ts';
import { tell, type VersionTag } from './own-writes.ts';
import { typeOn } from './type-on.ts';

export interface Place {
  readonly type: Type;
  /** Null for the document of a single type, and for a document that is not stored. */
  readonly documentId: string | null;
  readonly locale: string;
}

export interface Envelope {
  readonly data: Json;
  readonly meta: { readonly status?: string; readonly versions?: readonly VersionTag[] };
}

export type Status = 'draft' | 'modified' | 'published';

/** State of a document, as `withState=true` describes it. */
export interface DocumentState {
  readonly status: Status;
  readonly locales?: readonly { readonly locale: string; readonly status: Status }[];
}

/** Whether a document has a version in a locale. Without states of locales, it has the one that was read. */
export const isStoredIn = (state: DocumentState | null, locale: string): boolean =>
  state !== null && (state.locales === undefined || state.locales.some((one) => one.locale === locale));

export type Action = 'publish' | 'unpublish' | 'discard';
/** Actions on all locales of a document. */
export type Everywhere = Exclude<Action, 'discard'>;

interface Write {
  readonly body: { readonly data: object };
  readonly ifMatch: string | null;
  readonly key: string;
}

/** Write that may have to be sent again. */
export interface Pending extends Write {
  /** Values that are stored once the write is. */
  readonly sent: Values;
}

/** Tells the other forms of this browser about a write. */
async function told(place: Place, write: Promise<Answer<Envelope>>): Promise<Answer<Envelope>> {
  const answer = await write;
  const { data, meta } = answer.body;
  tell({ type: place.type.name, documentId: String(data['documentId']), versions: meta.versions ?? [] });
  return answer;
}

async function ifStored<T>(response: Promise<T>): Promise<T | null> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** Milliseconds between two attempts of an action, and the number of attempts. */
const PAUSE = 2000;
const MAX_ATTEMPTS = 5;

/**
 * Sends an action again while the server is unavailable, with the same key. After the last attempt the editor
 * decides: a publication must not surprise minutes later.
 */
async function attempt<T>(send: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1)
    try {
      return await send();
    } catch (error) {
      if (!isTemporary(error) || attempts === MAX_ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
}

export class DocumentRequests {
  constructor(private readonly model: Model) {}

  private query({ type, locale }: Place): Parameters {
    return {
      ...(hasDrafts(type) ? { status: 'draft' } : {}),
      ...(type.localized ? { locale, fallbackLocale: false } : {}),
      ...(hasDrafts(type) || !type.draftAndPublish ? { withState: true } : {}),
      populate: { ...populateOf(this.model, type), ...authorsEntry(this.model, type) },
    };
  }

  private path({ type, documentId }: Place): string {
    const root = `${settings.api}/${type.route}`;
    return documentId === null ? root : `${root}/${documentId}`;
  }

  /** Reads the document in the locale; null if it is not stored. Throws an ApiError. */
  read(place: Place): Promise<Answer<Envelope> | null> {
    return ifStored(request<Envelope>(this.path(place), { query: this.query(place) }));
  }

  /** The place with the verbs after the first version: grants may depend on its values. */
  async permitted(place: Place): Promise<Place> {
    const type = this.model.type(place.type.name) ?? place.type;
    return { ...place, type: await typeOn({ ...place, type }) };
  }

  /** Reads another locale of a document that lacks this one; null if it has no other. Throws an ApiError. */
  async elsewhere(place: Place): Promise<Envelope | null> {
    if (!place.type.localized || this.model.locales.length < 2) return null;
    const fallbackLocale = this.model.locales.filter((one) => one !== place.locale).join(',');
    const query = { ...this.query(place), fallbackLocale };
    return (await ifStored(request<Envelope>(this.path(place), { query })))?.body ?? null;
  }

  /** Creates a document, or changes one. `isDraft`: the published version stays as it is. */
  write(place: Place, { body, ifMatch, key }: Write): Promise<Answer<Envelope>> {
    const isNew = place.documentId === null && place.type.kind === 'collectionType';
    const query = this.query(place);
    const method = isNew ? 'POST' : 'PUT';
    // Another editor may have made the language, or the document of the single type, in the meantime.
    const ifNone = !isNew && ifMatch === null;
    return told(place, request(this.path(place), { method, query, body, ifMatch, ifNone, key }));
  }

  /**
   * Sends a write again whose response was lost. Returns null if it was refused. Throws an error after which
   * it can be sent again.
   */
  async repeat(place: Place, pending: Pending): Promise<Envelope | null> {
    try {
      return (await this.write(place, pending)).body;
    } catch (error) {
      if (error instanceof ApiError && !isTemporary(error)) return null;
      throw error;
    }
  }

  /** Publishes by the action if the type has it, else by a write without changes. */
  act(place: Place, action: Action, { ifMatch, key }: Omit<Write, 'body'>): Promise<Answer<Envelope>> {
    const query = this.query(place);
    const { status: _status, ...published } = query;
    const [path, ask]: [string, Ask] =
      action in place.type.verbs
        ? [`${this.path(place)}/actions/${action}`, { method: 'POST', query }]
        : [this.path(place), { method: 'PUT', query: published, body: { data: {} } }];
    return told(
      place,
      attempt(() => request(path, { ...ask, ifMatch, key })),
    );
  }

  /** Publishes or unpublishes a document in all its locales, or in none. Throws an ApiError. */
  async actEverywhere(place: Place, action: Everywhere, key: string): Promise<void> {
    const path = `${this.path(place)}/actions/${action}`;
    await told(place, request(path, { method: 'POST', query: { locale: '*' }, key }));
  }

  /** Deletes the version of a locale, or the whole document. The tag of one locale is none of the others. */
  async remove(place: Place, everywhere: boolean, ifMatch: string | null): Promise<void> {
    const { type, locale } = place;
    const areAll = type.localized && everywhere;
    const query = type.localized ? { locale: areAll ? '*' : locale } : {};
    await request(this.path(place), { method: 'DELETE', query, ifMatch: areAll ? null : ifMatch });
  }
}
