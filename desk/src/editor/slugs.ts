/**
 * Uids that are generated from another attribute, such as the title. The server makes them with a document.
 * A draft without a title gets its uid here, once the title is written.
 */
import { messageOf, OfflineError } from '../api/errors.ts';
import { request } from '../api/http.ts';
import type { FormStore } from '../form/store.ts';
import { same, type Values } from '../form/values.ts';
import { versionQuery } from '../model/list-query.ts';
import { type Attribute, hasDrafts, isWritable, type Model, type Type } from '../model/model.ts';
import { settings } from '../settings.ts';
import type { DocumentState, Place } from './requests.ts';

/** Longest uid that the server makes, and characters that it leaves for a number. */
const LONGEST = 240;
const NUMBER = 7;

/** Uids that are read to find one that is free. */
const PAGE_SIZE = 100;

const textAt = (values: Values, { targetField = '' }: Attribute): string => {
  const value = values[targetField];
  return typeof value === 'string' ? value.trim() : '';
};

/** Generated uids of a type with drafts, which the editor may write. */
const generated = (type: Type): readonly Attribute[] =>
  hasDrafts(type)
    ? type.attributes.filter((one) => one.type === 'uid' && one.generate === true && isWritable(one, false))
    : [];

/** Generated uids that are empty together with their target: the server would name them after the type. */
export const waitingSlugs = (type: Type, values: Values): readonly Attribute[] =>
  generated(type).filter((one) => same(values[one.name], null) && textAt(values, one) === '');

interface Form {
  readonly model: Model;
  readonly place: Place;
  readonly store: FormStore;
}

export class Slugs {
  /** Values that were made for the form, by the name of their attribute. */
  private readonly made = new Map<string, string | null>();
  /** Names of the uids whose code was not loaded: the next save makes them. */
  private readonly late = new Set<string>();

  constructor(private readonly form: Form) {}

  /** Follows the uids that are empty together with their target. */
  watch(): void {
    const { place, store } = this.form;
    for (const { name } of waitingSlugs(place.type, store.base)) this.made.set(name, null);
  }

  /** Makes the uids whose target was changed. One that the editor has changed is no longer followed. */
  async fill(state: DocumentState | null): Promise<void> {
    const { place, store } = this.form;
    // The address of a published document stays.
    if (state !== null && state.status !== 'draft') this.made.clear();
    for (const attribute of generated(place.type)) {
      const { name } = attribute;
      const last = this.made.get(name);
      if (last === undefined) continue;
      const text = textAt(store.values, attribute);
      if (!same(store.values[name], last)) this.made.delete(name);
      else if (text !== '' && (text !== textAt(store.base, attribute) || this.late.has(name)))
        await this.make(attribute, text).then(
          () => this.late.delete(name),
          (error: unknown) => this.postpone(name, error),
        );
    }
  }

  /** Marks the field, so that the rest is saved, and nothing is published without the uid. */
  private postpone(name: string, error: unknown): void {
    this.late.add(name);
    this.form.store.addProblems([[name, messageOf(new OfflineError(error))]]);
  }

  private async make(attribute: Attribute, text: string): Promise<void> {
    const { store } = this.form;
    const { name, maxLength = LONGEST + NUMBER } = attribute;
    const { default: slugify } = await import('@sindresorhus/slugify');
    const base = slugify(text).slice(0, Math.max(1, Math.min(LONGEST, maxLength - NUMBER)));
    if (base === '') return;
    // Without a response, the server refuses a uid that is taken.
    const taken = await this.taken(name, base).catch(() => new Set());
    // The editor may have written one in the meantime.
    if (!same(store.values[name], this.made.get(name))) return;
    let [slug, n] = [base, 0];
    while (taken.has(slug)) slug = `${base}-${(n += 1)}`;
    store.set(name, slug);
    this.made.set(name, slug);
  }

  /** Uids of other documents with the same start. */
  private async taken(name: string, base: string): Promise<ReadonlySet<unknown>> {
    const { model, place } = this.form;
    const { type, documentId, locale } = place;
    const query = {
      ...versionQuery({ type, model }, locale),
      ...(type.localized ? { fallbackLocale: 'false' } : {}),
      fields: [name],
      filters: {
        [name]: { $startsWith: base },
        ...(documentId === null ? {} : { documentId: { $ne: documentId } }),
      },
      pagination: { pageSize: PAGE_SIZE, withCount: false },
    };
    const { body } = await request<{ readonly data: readonly Values[] }>(
      `${settings.api}/${type.route ?? ''}`,
      { query },
    );
    return new Set(body.data.map((one) => one[name]));
  }
}
