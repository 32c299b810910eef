/** Editors who have a document open. The database has the list, so that all instances show the same one. */
import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Caller, SYSTEM } from '../../content/access/caller.js';
import { mayHoldIn } from '../../content/access/conditions-of-locale.js';
import { decide } from '../../content/access/decide.js';
import { VisibleDocuments } from '../../content/documents/visible-documents.js';
import { CONTENT_SCHEMA, type Schema } from '../../content/model/model.js';
import { presenceTableOf } from '../../content/model/presence-table.js';
import { oneOf } from '../../content/plan/rights.js';
import type { Viewer } from '../../content/plan/version-rights.js';
import { Database } from '../../content/store/database.js';
import { forbidden, notFound, refuseOtherKeys, validationError } from '../../kernel/errors.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { isObject } from '../../kernel/json.js';
import { compileCloseForm, compileOpenForm } from './compile-presence.js';
import { DeskSite } from './desk-site.js';

/** Another editor of a document, as `POST /desk/presence` returns it. */
export interface PresentEditor {
  readonly id: string;
  readonly name: string;
  /** `updatedAt` of the document after the last save of this editor; null without one. */
  readonly saved: string | null;
}

/** Form that is open in a browser. */
export interface FormSign {
  readonly type: string;
  readonly documentId: string;
  readonly locale: string;
  /** Name of the form, which its browser chooses. */
  readonly form: string;
  readonly saved: string | null;
  /** Whether the form closes. */
  readonly closes: boolean;
}

const KEYS = ['type', 'documentId', 'locale', 'form', 'saved', 'closes'];
const MAX_TEXT = 100;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Names of editors that a process remembers, and for how many milliseconds. */
const NAMES = { max: 1000, ttl: 300_000 };

/** Reads the body of a sign. Throws a ValidationError that names the key. */
export function formSignOf(body: unknown): FormSign {
  if (!isObject(body)) throw validationError('The body must be an object', { source: 'body' });
  refuseOtherKeys(body, KEYS, 'body');
  const text = (key: string): string => {
    const value = body[key];
    if (typeof value === 'string' && value.length <= MAX_TEXT && !value.includes('\u0000')) return value;
    throw validationError(`${key} must be a string`, { key, path: key, source: 'body' });
  };
  const { saved = null, closes = false } = body;
  if (saved !== null && !(typeof saved === 'string' && TIME.test(saved)))
    throw validationError('saved must be a time or null', { key: 'saved', path: 'saved', source: 'body' });
  const [type = '', documentId = '', locale = '', form = ''] = ['type', 'documentId', 'locale', 'form'].map(
    text,
  );
  return { type, documentId, locale, form, saved, closes: closes === true };
}

@Injectable()
export class DeskPresence {
  private readonly names = new LRUCache<string, string>(NAMES);

  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(Database) private readonly database: Database,
    @Inject(DeskSite) private readonly site: DeskSite,
    @Inject(VisibleDocuments) private readonly documents: VisibleDocuments,
  ) {}

  /**
   * Notes that the caller has a form open, or that it closes. Returns the other editors of the document in
   * this language. Callers who do not find it get none, because a name would show that it exists. Throws
   * ForbiddenError for callers who may not read the type.
   */
  async sign(sign: FormSign, caller: Caller): Promise<readonly PresentEditor[]> {
    const type = this.schema.types.get(sign.type);
    if (type === undefined) throw notFound();
    if (decide(caller, type, oneOf(type)) === 'none') throw forbidden();
    const editor = caller.id ?? '';
    const id = createHash('sha256')
      .update(JSON.stringify([editor, sign.form]))
      .digest('base64url');
    const table = presenceTableOf(this.schema.file);
    if (sign.closes) {
      await this.database.run(compileCloseForm(table, id));
      return [];
    }
    if (!(await this.finds({ type, caller }, sign))) return [];
    const place = JSON.stringify([sign.type, sign.documentId, sign.locale]);
    const open = { id, place, editor, name: await this.nameOf(editor), saved: sign.saved };
    const rows = await this.database.run(compileOpenForm(table, open));
    return rows.map((row) => ({
      id: String(row['editor']),
      name: String(row['name']),
      saved: typeof row['saved'] === 'string' ? row['saved'] : null,
    }));
  }

  /** Whether the caller finds a document in a language, or may add the language to it. */
  private async finds(viewer: Viewer, { documentId, locale }: FormSign): Promise<boolean> {
    const { type, caller } = viewer;
    if (type.localized && this.settings.locales.includes(locale)) {
      if (await this.documents.has(viewer, documentId, locale)) return true;
      if (await this.documents.has({ type, caller: SYSTEM }, documentId, locale)) return false;
    }
    const isOpen = !type.localized || mayHoldIn(decide(caller, type, oneOf(type)), locale);
    return isOpen && this.documents.has(viewer, documentId);
  }

  private async nameOf(editor: string): Promise<string> {
    const known = this.names.get(editor);
    if (known !== undefined) return known;
    const name = (await this.site.sessions?.nameOf(editor)) ?? editor;
    this.names.set(editor, name);
    return name;
  }
}
