import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type AuthStrategy, type Credentials, type Identity, unauthorized } from '../access/auth-strategy.js';
import { checkGrants, type Grants, Permissions } from '../access/permissions.js';
import { Database } from '../database/database.js';
import { ContentService } from '../documents/content.service.js';
import { Documents } from '../documents/documents.service.js';
import { neededType, RepositoryWithoutHooks } from '../documents/repository-without-hooks.js';
import { validationError } from '../errors.js';
import { checkedAs, isNullOr, isShape, isText, type Test } from '../json.js';
import { CONTENT_SCHEMA, type Schema } from '../schema/model.js';
import { apiTokenType } from './account-types.js';

/**
 * `read-only` may `find` and `findOne` every type, drafts included, `full-access` everything, `custom` what
 * its grants say and nothing else (protocol 18.9, D28).
 */
export type ApiTokenKind = (typeof KINDS)[number];

const KINDS = ['read-only', 'full-access', 'custom'] as const;

/** What a new token is. */
export interface NewApiToken {
  /** Unique; says in lists what the token is for. */
  readonly name: string;
  readonly kind: ApiTokenKind;
  readonly description?: string;
  /** Only for `custom`. */
  readonly grants?: Grants;
  /** Days until it expires, 7, 30 or 90 for example. Default: never. */
  readonly days?: number;
}

/** A token as lists show it; the secret is not kept. */
export interface ApiToken {
  readonly documentId: string;
  readonly name: string;
  readonly description: string | null;
  readonly kind: ApiTokenKind;
  readonly grants: Grants | null;
  /** Days from creation or rotation to expiry; null for a token that does not expire. */
  readonly lifespan: number | null;
  readonly expiresAt: string | null;
  /** Recorded at most once in an hour. */
  readonly lastUsedAt: string | null;
  readonly createdAt: string;
}

const DAY = 86_400_000;
const HOUR = 3_600_000;
const TOKEN = /^nca_([0-9a-f]{16})_([\w-]{43})$/;
const READ_ONLY = Permissions.of({ '*': ['find', 'findOne', 'readDrafts'] });
const CACHED = 1000;
/** How many are listed at once; fewer come where pages are smaller. */
const PAGE = 100;

const hashOf = (salt: string, secret: string): string =>
  `sha256$${salt}$${createHash('sha256').update(`${salt}.${secret}`).digest('base64url')}`;

/** Stands for an unknown token, whose hash no secret has: it costs the same work as a known one. */
const DECOY = {
  documentId: '',
  kind: 'custom',
  grants: {},
  expiresAt: new Date(0).toISOString(),
  lastUsedAt: new Date(0).toISOString(),
  hash: hashOf(randomBytes(12).toString('base64url'), randomBytes(32).toString('base64url')),
};

/** Compares without telling by its time how much is right. */
function matches(stored: string, secret: string): boolean {
  const [, salt = ''] = stored.split('$');
  const [given, known] = [hashOf(salt, secret), stored].map((text) =>
    createHash('sha256').update(text).digest(),
  ) as [Buffer, Buffer];
  return timingSafeEqual(given, known);
}

function newSecret(): { readonly token: string; readonly lookup: string; readonly hash: string } {
  const lookup = randomBytes(8).toString('hex');
  const secret = randomBytes(32).toString('base64url');
  return {
    token: `nca_${lookup}_${secret}`,
    lookup,
    hash: hashOf(randomBytes(12).toString('base64url'), secret),
  };
}

const expiry = (days: number | null): string | null =>
  days === null ? null : new Date(Date.now() + days * DAY).toISOString();

/**
 * Creates, lists, rotates and revokes API tokens, and recognises them in `Authorization: Bearer <token>`. A
 * revoked token is refused on the next request of every instance: the table is asked each time, with one
 * look-up by index.
 *
 * @publicApi
 */
@Injectable()
export class ApiTokens implements AuthStrategy {
  readonly name = 'api-token';
  private readonly logger = new Logger('ContentApiTokens');
  private readonly records: RepositoryWithoutHooks;
  private readonly service: ContentService<ApiToken & Record<string, unknown>>;
  /** Rights by the text of their grants, so that requests of a token share one object. */
  private readonly rights = new Map<string, Permissions>();

  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(Database) database: Database,
    @Inject(Documents) documents: Documents,
  ) {
    const type = neededType(schema, apiTokenType.singularApiId, 'apiTokenType');
    this.records = new RepositoryWithoutHooks(database, type);
    this.service = new ContentService(documents, type);
  }

  /**
   * Makes a token. `token` is shown this once; only a salted hash of it is kept. Throws a ContentError for a
   * name that is taken, grants that name what does not exist, or days that are not a positive whole number.
   */
  async create({
    name,
    kind,
    description,
    grants,
    days,
  }: NewApiToken): Promise<ApiToken & { readonly token: string }> {
    if ((kind === 'custom') !== (grants !== undefined))
      throw validationError('grants go with the kind "custom", and with no other');
    if (days !== undefined && !(Number.isSafeInteger(days) && days > 0))
      throw validationError('days must be a positive whole number');
    const mistakes = checkGrants(grants ?? {}, this.schema, 'grants');
    if (mistakes.length > 0) throw validationError(mistakes.join('; '));
    const { token, lookup, hash } = newSecret();
    const lifespan = days ?? null;
    const values = {
      name,
      kind,
      description: description ?? null,
      grants: grants ?? null,
      lifespan,
      expiresAt: expiry(lifespan),
      lookup,
      hash,
    };
    return { ...(await this.service.create(values)), token };
  }

  /** All tokens, by name. */
  async list(): Promise<ApiToken[]> {
    const tokens: ApiToken[] = [];
    for (;;) {
      const { data } = await this.service.find({
        sort: 'name',
        pagination: { start: tokens.length, limit: PAGE },
      });
      if (data.length === 0) return tokens;
      tokens.push(...data);
    }
  }

  /**
   * Gives a token a new secret and its whole lifespan again; the old secret is refused from now on. Null for
   * an unknown one.
   */
  async rotate(documentId: string): Promise<(ApiToken & { readonly token: string }) | null> {
    const known = await this.service.findOne(documentId);
    if (known === null) return null;
    const { token, lookup, hash } = newSecret();
    return {
      ...(await this.service.update(documentId, { lookup, hash, expiresAt: expiry(known.lifespan) })),
      token,
    };
  }

  /** Removes a token; whether there was one, which is known of one alone of those who revoke it at once. */
  async revoke(documentId: string): Promise<boolean> {
    return (await this.records.remove({ documentId })) > 0;
  }

  /** Throws UnauthorizedError for a token that is unknown, wrong or expired (protocol 18.3, 18.4). */
  async authenticate({ bearer }: Credentials): Promise<Identity | null> {
    const [, lookup, secret] = TOKEN.exec(bearer ?? '') ?? [];
    if (lookup === undefined || secret === undefined) return null;
    const row = checkedAs(await this.records.findOr({ lookup }, DECOY), isTokenRow, 'A stored token');
    if (!matches(row.hash, secret)) throw unauthorized();
    if (row.expiresAt !== null && new Date(row.expiresAt).getTime() <= Date.now())
      throw unauthorized('Token expired');
    this.noteUse(row);
    return { kind: 'token', id: row.documentId, permissions: this.rightsOf(row) };
  }

  private noteUse({ documentId, lastUsedAt }: TokenRow): void {
    if (lastUsedAt !== null && Date.now() - new Date(lastUsedAt).getTime() < HOUR) return;
    this.records
      .set({ documentId }, { lastUsedAt: new Date().toISOString() })
      .catch((error: unknown) => this.logger.warn(`The use of a token was not recorded: ${String(error)}`));
  }

  private rightsOf({ kind, grants }: TokenRow): Permissions {
    if (kind !== 'custom') return kind === 'full-access' ? Permissions.ALL : READ_ONLY;
    const text = grants ?? '{}';
    const known = this.rights.get(text) ?? Permissions.of(JSON.parse(text) as Grants);
    if (this.rights.size >= CACHED) this.rights.clear();
    this.rights.set(text, known);
    return known;
  }
}

/** What authentication knows of a token. */
interface TokenRow {
  readonly documentId: string;
  readonly kind: ApiTokenKind;
  readonly grants: string | null;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly hash: string;
}

const isKind: Test<ApiTokenKind> = (value): value is ApiTokenKind => KINDS.some((kind) => kind === value);

const isTokenRow = isShape<TokenRow>({
  documentId: isText,
  kind: isKind,
  grants: isNullOr(isText),
  expiresAt: isNullOr(isText),
  lastUsedAt: isNullOr(isText),
  hash: isText,
});
