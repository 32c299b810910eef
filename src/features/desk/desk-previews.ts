/** Previews: the URL of a page that shows a document, and the read that its token allows. */
import { Inject, Injectable, Logger } from '@nestjs/common';
import { unauthorized } from '../../content/access/auth-strategy.js';
import type { Caller } from '../../content/access/caller.js';
import { ContentAccess } from '../../content/access/content-access.js';
import { decide } from '../../content/access/decide.js';
import type { Answer } from '../../content/documents/answer.js';
import { Documents } from '../../content/documents/documents.service.js';
import { CONTENT_SCHEMA, type ContentType, type Schema } from '../../content/model/model.js';
import { DESK_GRANT } from '../../content/model/naming.js';
import { byDocumentId } from '../../content/plan/plan-read.js';
import { type RawQuery, readRaw } from '../../content/query/read-raw.js';
import { ContentError, forbidden, invalidKey, notFound, validationError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { DeskSite } from './desk-site.js';
import { DESK_OPTIONS, type ResolvedDeskOptions } from './desk.options.js';
import { type PreviewedVersion, readPreview, signPreview } from './preview-tokens.js';

/** Preview of one document, as `POST /desk/preview` returns it. */
export interface DeskPreview {
  readonly url: string;
  /** Time of expiry of the token in the URL; null without a token. */
  readonly expiresAt: string | null;
  /** Whether the policy of the desk allows a frame with the page. */
  readonly framed: boolean;
}

const KEYS = ['type', 'documentId', 'locale', 'status'];
/** Parameters that the reader of a token may choose; the token determines the rest. */
const FREE_PARAMETERS = ['fields', 'populate'];

const textAt = (body: Readonly<Record<string, unknown>>, key: string): string | null => {
  const value = body[key] ?? null;
  if (value === null || typeof value === 'string') return value;
  throw validationError(`${key} must be a string or null`, { key, path: key, source: 'body' });
};

/** Reads the body of a request for a preview. Throws a ValidationError that names the key. */
export function previewedOf(body: unknown): PreviewedVersion {
  if (!isObject(body)) throw validationError('The body must be an object', { source: 'body' });
  const unknown = Object.keys(body).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw invalidKey(unknown, { at: '', path: unknown }, { source: 'body' });
  const status = textAt(body, 'status') ?? 'draft';
  if (status !== 'draft' && status !== 'published')
    throw validationError('status must be "draft" or "published"', {
      key: 'status',
      path: 'status',
      source: 'body',
    });
  const [type, documentId, locale] = ['type', 'documentId', 'locale'].map((key) => textAt(body, key));
  return { type: type ?? '', documentId: documentId ?? null, locale: locale ?? null, status };
}

const versionOf = (type: ContentType, { locale, status }: PreviewedVersion): RawQuery => ({
  ...(type.draftAndPublish ? { status } : {}),
  ...(type.localized && locale !== null ? { locale, fallbackLocale: 'false' } : {}),
});

@Injectable()
export class DeskPreviews {
  private readonly logger = new Logger('ContentDesk');

  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(Documents) private readonly documents: Documents,
    @Inject(ContentAccess) private readonly access: ContentAccess,
    @Inject(DeskSite) private readonly site: DeskSite,
    @Inject(DESK_OPTIONS) private readonly options: ResolvedDeskOptions,
  ) {}

  /** Returns the page that shows a version. Throws NotFoundError if the caller cannot read the version. */
  async open(previewed: PreviewedVersion, caller: Caller): Promise<DeskPreview> {
    const type = this.typeOf(previewed.type);
    const { preview } = type.layout;
    if (preview === undefined) throw notFound();
    const answer = await this.find(type, previewed, { caller, query: { populate: '*' } });
    const document: unknown = JSON.parse(answer.data);
    if (!isObject(document)) throw notFound();
    const [secret] = this.site.previewSecrets;
    const until = Date.now() + this.options.preview.seconds * 1000;
    const { kind, id, roles } = caller;
    const token =
      secret === undefined || roles === undefined
        ? null
        : signPreview({ ...previewed, editor: { kind, id, roles }, until }, secret);
    const locale = previewed.locale ?? this.settings.defaultLocale;
    const url = preview(document, { status: previewed.status, locale, token });
    return {
      url: this.checked(url, previewed.type),
      expiresAt: token === null ? null : new Date(until).toISOString(),
      framed: this.isFramed(url),
    };
  }

  /**
   * Reads the version of a token, with the current permissions of the editor who opened the preview. Throws
   * UnauthorizedError for a token that is invalid or has expired, or whose editor has lost the desk.
   */
  async read(token: string | null, text: string): Promise<Answer> {
    const claims = token === null ? null : readPreview(token, this.site.previewSecrets);
    if (claims === null) throw unauthorized();
    const { editor } = claims;
    const known = await this.site.identityOf(editor);
    const caller = known === null ? null : await this.access.callerOf(known);
    if (caller?.permissions.allows(DESK_GRANT, 'open') !== true) throw unauthorized();
    const query = readRaw(text, this.settings.limits);
    const refused = Object.keys(query).find((key) => !FREE_PARAMETERS.includes(key));
    if (refused !== undefined)
      throw invalidKey(refused, { at: '', path: refused }, { source: 'query', param: refused });
    const { until, status, locale } = claims;
    const answer = await this.find(this.typeOf(claims.type), claims, { caller, query });
    return answer.withMeta({ status, locale, expiresAt: new Date(until).toISOString() });
  }

  private typeOf(name: string): ContentType {
    const type = this.schema.types.get(name);
    if (type === undefined || type.internal || type.routes.length === 0) throw notFound();
    return type;
  }

  private async find(
    type: ContentType,
    previewed: PreviewedVersion,
    { caller, query }: { readonly caller: Caller; readonly query: RawQuery },
  ): Promise<Answer> {
    const isSingle = type.kind === 'singleType';
    if (isSingle !== (previewed.documentId === null)) throw notFound();
    const action = isSingle ? 'find' : 'findOne';
    if (decide(caller, type, action) === 'none') throw forbidden();
    const by = byDocumentId(previewed.documentId);
    const plan = this.documents.plan(
      type,
      { ...query, ...versionOf(type, previewed) },
      { kind: 'one', by, caller, format: 'flat', action },
    );
    return this.documents.read(plan, { by: { caller, action, requestId: null } });
  }

  /** Returns the URL. Throws a ContentError for one that no frame or link of the desk can show. */
  private checked(url: unknown, type: string): string {
    const isWeb =
      typeof url === 'string' && ['http:', 'https:'].includes(URL.parse(url, 'http://desk')?.protocol ?? '');
    if (isWeb) return url;
    this.logger.error(`desk.preview of "${type}" returned no path and no http(s) URL`);
    throw new ContentError('ApplicationError', `The preview of ${type} has no URL`);
  }

  private isFramed(url: string): boolean {
    const origin = URL.parse(url, this.options.url?.origin)?.origin;
    return origin !== undefined && this.options.frames.includes(origin);
  }
}
