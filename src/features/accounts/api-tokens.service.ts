import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  type AuthStrategy,
  type Credentials,
  type Identity,
  unauthorized,
} from '../../content/access/auth-strategy.js';
import { type Caller, SYSTEM } from '../../content/access/caller.js';
import { checkGrants } from '../../content/access/check-grants.js';
import { type Grants, Permissions } from '../../content/access/permissions.js';
import { BackgroundWork } from '../../content/store/background-work.js';
import { Database } from '../../content/store/database.js';
import { ContentService } from '../../content/documents/content.service.js';
import { Documents } from '../../content/documents/documents.service.js';
import { neededType, RepositoryWithoutHooks } from '../../content/documents/repository-without-hooks.js';
import { ContentError, validationError } from '../../kernel/errors.js';
import { checkedAs, isNullOr, isShape, isText, type Test } from '../../kernel/json.js';
import { CONTENT_SCHEMA, type Schema } from '../../content/model/model.js';
import { apiTokenType } from './account-types.js';

/**
 * Kind of an API token (protocol 18.9, D28). `read-only` grants `find` and `findOne` on every type, drafts
 * included. `full-access` grants everything, `custom` only its grants.
 */
export type ApiTokenKind = (typeof KINDS)[number];

const KINDS = ['read-only', 'full-access', 'custom'] as const;

/** Input of {@link ApiTokens.create}. */
export interface NewApiToken {
  /** Unique name, shown in lists. */
  readonly name: string;
  readonly kind: ApiTokenKind;
  readonly description?: string;
  /** Required for `custom`, not allowed for other kinds. */
  readonly grants?: Grants;
  /** Days until the token expires, for example 7, 30 or 90; at most 36,500. Default: it does not expire. */
  readonly days?: number;
}

/** API token as lists return it, without its secret. */
export interface ApiToken {
  readonly documentId: string;
  readonly name: string;
  readonly description: string | null;
  readonly kind: ApiTokenKind;
  readonly grants: Grants | null;
  /** Days from creation or rotation to expiry; null for a token that does not expire. */
  readonly lifespan: number | null;
  readonly expiresAt: string | null;
  /** Recorded at most once an hour. */
  readonly lastUsedAt: string | null;
  readonly createdAt: string;
}

export const isKind: Test<ApiTokenKind> = (value): value is ApiTokenKind =>
  KINDS.some((kind) => kind === value);

/** Token in the one response that contains its secret. */
type NewlyShown = ApiToken & { readonly token: string };

/** A hundred years. Much longer lifespans end after the last time that PostgreSQL and JSON can express. */
const MAX_DAYS = 36_500;
const DAY = 86_400_000;
const HOUR = 3_600_000;
const TOKEN = /^nca_([0-9a-f]{16})_([\w-]{43})$/;
const BY_KIND = {
  'read-only': Permissions.of({ '*': ['find', 'findOne', 'readDrafts'] }),
  'full-access': Permissions.ALL,
} as const;
const MAX_CACHED = 1000;
/** Page size of {@link ApiTokens.list}. The configured maximum may be lower. */
const PAGE_SIZE = 100;

const hashOf = (salt: string, secret: string): string =>
  `sha256$${salt}$${createHash('sha256').update(`${salt}.${secret}`).digest('base64url')}`;

/** Row for an unknown token. Checking it takes the same time as a known one, and no secret has its hash. */
const DECOY = {
  documentId: '',
  kind: 'custom',
  grants: {},
  expiresAt: new Date(0).toISOString(),
  lastUsedAt: new Date(0).toISOString(),
  hash: hashOf(randomBytes(12).toString('base64url'), randomBytes(32).toString('base64url')),
};

/** Compares in constant time, so that timing does not reveal a partial match. */
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
 * Creates, lists, rotates and revokes API tokens, and authenticates `Authorization: Bearer <token>`. Each
 * request reads the token with one index lookup, so every instance refuses a revoked token at once.
 *
 * @publicApi
 */
@Injectable()
export class ApiTokens implements AuthStrategy {
  readonly name = 'api-token';
  readonly attributes: readonly string[] = [];
  private readonly logger = new Logger('ContentApiTokens');
  private readonly records: RepositoryWithoutHooks;
  private readonly service: ContentService<ApiToken & Record<string, unknown>>;
  /** Permissions by the JSON of their grants, so that requests with a token share one object. */
  private readonly permissions = new Map<string, Permissions>();
  /** Document ids of tokens whose use is being recorded. */
  private readonly noting = new Set<string>();

  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(Database) database: Database,
    @Inject(Documents) documents: Documents,
    @Inject(BackgroundWork) private readonly background: BackgroundWork,
  ) {
    const type = neededType(schema, apiTokenType.singularApiId, 'apiTokenType');
    this.records = new RepositoryWithoutHooks(database, type);
    this.service = new ContentService(documents, type);
  }

  /**
   * Creates a token. The response alone contains `token`; the database stores a salted hash. Throws a
   * ContentError for a taken name, unknown grants, or days that are not a whole number from 1 to 36,500. So
   * does a caller, your own code by default, with fewer permissions than the token.
   */
  async create(
    { name, kind, description, grants, days }: NewApiToken,
    as: Caller = SYSTEM,
  ): Promise<NewlyShown> {
    if ((kind === 'custom') !== (grants !== undefined))
      throw validationError('The kind "custom" requires "grants", and no other kind allows it');
    if (days !== undefined && !(Number.isSafeInteger(days) && days > 0 && days <= MAX_DAYS))
      throw validationError(`"days" must be a positive whole number, at most ${MAX_DAYS}`);
    const mistakes = checkGrants(grants ?? {}, { schema: this.schema, check: null }, 'grants');
    if (mistakes.length > 0) throw validationError(mistakes.join('; '));
    needCovered(as, kind, grants ?? null);
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

  /** Returns all tokens, sorted by name. */
  async list(): Promise<ApiToken[]> {
    const tokens: ApiToken[] = [];
    for (;;) {
      const { data } = await this.service.find({
        sort: 'name',
        pagination: { start: tokens.length, limit: PAGE_SIZE },
      });
      if (data.length === 0) return tokens;
      tokens.push(...data);
    }
  }

  /**
   * Gives a token a new secret and restarts its lifespan. The old secret is refused at once. Returns null for
   * an unknown token. Throws ForbiddenError for a caller with fewer permissions than the token.
   */
  async rotate(documentId: string, as: Caller = SYSTEM): Promise<NewlyShown | null> {
    const former = await this.service.findOne(documentId);
    if (former === null) return null;
    needCovered(as, former.kind, former.grants);
    const { token, lookup, hash } = newSecret();
    return {
      ...(await this.service.update(documentId, { lookup, hash, expiresAt: expiry(former.lifespan) })),
      token,
    };
  }

  /** Deletes a token and returns whether it existed. Of concurrent calls, one returns true. */
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
    return { kind: 'token', id: row.documentId, permissions: this.permissionsOf(row) };
  }

  private noteUse({ documentId, lastUsedAt }: TokenRow): void {
    if (lastUsedAt !== null && Date.now() - new Date(lastUsedAt).getTime() < HOUR) return;
    if (this.noting.has(documentId)) return;
    this.noting.add(documentId);
    // Another request may have recorded its use since the token was read.
    const note = (): Promise<unknown> =>
      this.records.set({ documentId, lastUsedAt }, { lastUsedAt: new Date().toISOString() });
    this.background
      .run('content.accounts.note_use', note)
      .catch((error: unknown) =>
        this.logger.warn(`Could not record the use of an API token: ${String(error)}`),
      )
      .finally(() => this.noting.delete(documentId));
  }

  /** Returns the caller of requests with the token of this name; null if there is none. */
  async identityOf(name: string): Promise<Identity | null> {
    const token = (await this.list()).find((one) => one.name === name);
    if (token === undefined) return null;
    const { kind, grants, documentId } = token;
    const permissions = kind === 'custom' ? Permissions.of(grants ?? {}) : BY_KIND[kind];
    return { kind: 'token', id: documentId, permissions };
  }

  private permissionsOf({ kind, grants }: TokenRow): Permissions {
    if (kind !== 'custom') return BY_KIND[kind];
    const text = grants ?? '{}';
    const permissions = this.permissions.get(text) ?? Permissions.of(JSON.parse(text) as Grants);
    if (this.permissions.size >= MAX_CACHED) this.permissions.clear();
    this.permissions.set(text, permissions);
    return permissions;
  }
}

/** Refuses a caller who would get permissions by a token, which is shown to it. */
function needCovered({ permissions }: Caller, kind: ApiTokenKind, grants: Grants | null): void {
  // An unknown kind grants nothing, and is refused with the other values.
  const granted = isKind(kind) && kind !== 'custom' ? BY_KIND[kind] : Permissions.of(grants ?? {});
  if (!permissions.covers(granted))
    throw new ContentError('ForbiddenError', 'The token would have permissions that you do not have');
}

interface TokenRow {
  readonly documentId: string;
  readonly kind: ApiTokenKind;
  readonly grants: string | null;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly hash: string;
}

const isTokenRow = isShape<TokenRow>({
  documentId: isText,
  kind: isKind,
  grants: isNullOr(isText),
  expiresAt: isNullOr(isText),
  lastUsedAt: isNullOr(isText),
  hash: isText,
});
