/** Descriptions of the model for callers, and of what they may do with one document. */
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../content/access/caller.js';
import { decide } from '../../content/access/decide.js';
import { GrantsOnDocuments } from '../../content/documents/document-grants.js';
import { VisibleDocuments } from '../../content/documents/visible-documents.js';
import { CONTENT_SCHEMA, type Schema } from '../../content/model/model.js';
import { descriptionKey } from '../../content/plan/open-conditions.js';
import { oneOf } from '../../content/plan/rights.js';
import { forbidden, notFound, validationError } from '../../kernel/errors.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { describeForDesk, verbsOf, verbsWith } from './describe-for-desk.js';
import type { DeskType } from './desk-model.js';

type Description = ReturnType<typeof describeForDesk>;

/** Maximum of cached descriptions. */
const MOST_CACHED = 100;

/** Document in a language. */
export interface DocumentPlace {
  readonly type: string;
  /** Empty for a new document, and for that of a single type. */
  readonly documentId: string;
  /** Ignored in types without locales. */
  readonly locale: string;
}

/** Reads the parameters of a request. Throws a ValidationError that names the parameter. */
export function documentPlaceOf(query: Readonly<Record<string, unknown>>): DocumentPlace {
  const [type = '', documentId = '', locale = ''] = ['type', 'documentId', 'locale'].map((param) => {
    const value = query[param] ?? '';
    if (typeof value === 'string' && !value.includes('\u0000')) return value;
    throw validationError(`${param} must be a string`, { param, source: 'query' });
  });
  return { type, documentId, locale };
}

@Injectable()
export class DeskDescriptions {
  private readonly described = new LRUCache<string, Description>({ max: MOST_CACHED });

  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(VisibleDocuments) private readonly documents: VisibleDocuments,
    @Inject(GrantsOnDocuments) private readonly grants: GrantsOnDocuments,
  ) {}

  /** Returns the description for a caller, which callers with the same rights share. */
  of(caller: Caller, language: string): Description {
    const rights = descriptionKey(caller);
    const key = rights === null ? null : JSON.stringify([rights, language]);
    const known = key === null ? undefined : this.described.get(key);
    const made = known ?? describeForDesk({ schema: this.schema, settings: this.settings, caller, language });
    if (key !== null) this.described.set(key, made);
    return made;
  }

  /**
   * Returns the permitted actions on one document, on all its languages or on one. Throws NotFoundError if
   * the caller does not find it, and ForbiddenError if the caller may not read the type.
   */
  async verbsOn(
    { type: name, documentId, locale }: DocumentPlace,
    caller: Caller,
  ): Promise<DeskType['verbs']> {
    const type = this.schema.types.get(name);
    if (type === undefined) throw notFound();
    if (decide(caller, type, oneOf(type)) === 'none') throw forbidden();
    const viewer = { type, caller };
    const id = type.kind === 'singleType' || documentId === '' ? null : documentId;
    if (id !== null && !(await this.documents.has(viewer, id))) throw notFound();
    return verbsWith(verbsOf(type, caller), await this.grants.on(viewer, { documentId: id, locale }));
  }
}
