/** The version of a document that a form is based on, and the form. Responses of the server change both. */
import type { Answer } from '../api/http.ts';
import { type Conflict, merge, newsOf } from '../form/merge.ts';
import type { FormStore } from '../form/store.ts';
import { newValues, readValues, type Values, withoutIds } from '../form/values.ts';
import type { Model } from '../model/model.ts';
import { newForm, sharedValues } from './copies.ts';
import type { Envelope, Place } from './requests.ts';
import type { Work } from './unsaved.ts';

/** Result of a merge with a version of another editor. */
interface Taken {
  readonly conflicts: readonly Conflict[];
  /** Names of attributes that the other editor has changed. */
  readonly news: readonly string[];
}

export class BaseVersion {
  readonly store: FormStore;
  /** Tag of the version; null if it is not stored. */
  etag: string | null = null;
  /** Stored values that recovered work is based on, if they were deleted since; null if they are stored. */
  private deleted: Values | null = null;

  constructor(
    readonly model: Model,
    public place: Place,
  ) {
    this.store = newForm(place.type, this.isNew);
  }

  get isNew(): boolean {
    return this.place.type.kind === 'collectionType' && this.place.documentId === null;
  }

  /** The form, and the stored values that it is based on. */
  get work(): Pick<Work, 'form' | 'base'> {
    return { form: this.store, base: this.deleted ?? this.store.base };
  }

  private read({ data }: Envelope, former: Values | null): Values {
    return readValues(data, this.place.type, { model: this.model, former });
  }

  /** Shows a stored version, without changes. */
  start({ body, etag }: Answer<Envelope>): void {
    this.etag = etag;
    this.store.start(this.read(body, null));
  }

  /** Shows a language that is not stored, with the values that it shares with a stored one. Returns these. */
  startLanguage(stored: Envelope): Values {
    const shared = sharedValues(this.read(stored, null), this.place.type);
    this.store.start({ ...newValues(this.place.type), ...shared });
    return shared;
  }

  /** Applies the response to a write of this form. Changes since the request are kept. */
  written({ body, etag }: Answer<Envelope>, sent: Values): void {
    const theirs = this.read(body, sent);
    // The value of the form counts if the server has adapted a sent one.
    const { values } = merge({ base: sent, mine: this.store.values, theirs }, this.place.type, this.model);
    this.etag = etag;
    this.deleted = null;
    if (this.isNew) this.place = { ...this.place, documentId: String(body.data['documentId']) };
    this.store.rebase(theirs, values);
  }

  /** Shows recovered work. `deleted`: the values that it is based on, if they are not stored any more. */
  recover(values: Values, deleted: Values | null): void {
    this.deleted = deleted;
    this.store.rebase(this.store.base, values);
  }

  /** Merges a version of another editor with the form. */
  take({ body, etag }: Answer<Envelope>): Taken {
    const { base, form } = this.work;
    const { values: mine } = form;
    const theirs = this.read(body, base);
    const { values, conflicts } = merge({ base, mine, theirs }, this.place.type, this.model);
    this.etag = etag;
    this.deleted = null;
    this.store.rebase(theirs, values);
    return { conflicts, news: newsOf({ base, mine, theirs }, conflicts) };
  }

  /** Makes the form of a deleted document that of a new one, or that of a language to add. */
  startAgain(language: Envelope | null): void {
    const { values } = this.store;
    this.etag = null;
    this.deleted = null;
    if (language === null) this.place = { ...this.place, documentId: null };
    else this.startLanguage(language);
    this.store.rebase(language === null ? newValues(this.place.type) : this.store.base, withoutIds(values));
  }
}
