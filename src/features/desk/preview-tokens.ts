/** Tokens of previews: each may read one version of one document, for a limited time. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isObject } from '../../kernel/json.js';
import type { Caller } from '../../content/access/caller.js';

/** Version of a document that a preview shows. */
export interface PreviewedVersion {
  readonly type: string;
  /** Null for the document of a single type. */
  readonly documentId: string | null;
  /** Null for types without locales. */
  readonly locale: string | null;
  readonly status: 'draft' | 'published';
}

/** Content of a token. */
export interface PreviewClaims extends PreviewedVersion {
  /** Editor with the names of its roles, whose permissions are looked up at each read. */
  readonly editor: {
    readonly kind: Caller['kind'];
    readonly id: string | null;
    readonly roles: readonly string[];
  };
  /** Time of expiry in milliseconds since 1970. */
  readonly until: number;
}

const SHAPE = /^([\w-]+)\.([\w-]{43})$/;

/** Signs the claims with a prefix, so that no other token with the same secret passes as this one. */
const signature = (secret: string, claims: string): Buffer =>
  createHmac('sha256', secret).update(`preview token ${claims}`).digest();

export function signPreview(claims: PreviewClaims, secret: string): string {
  const text = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${text}.${signature(secret, text).toString('base64url')}`;
}

const isClaims = (value: unknown): value is PreviewClaims =>
  isObject(value) && typeof value['type'] === 'string' && typeof value['until'] === 'number';

/** Returns the claims of a token; null if it is not ours, or has expired. */
export function readPreview(token: string, secrets: readonly string[]): PreviewClaims | null {
  const [, text = '', sent = ''] = SHAPE.exec(token) ?? [];
  const given = Buffer.from(sent, 'base64url');
  const isOurs = secrets.some((secret) => {
    const right = signature(secret, text);
    return right.length === given.length && timingSafeEqual(right, given);
  });
  if (!isOurs) return null;
  const claims: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
  return isClaims(claims) && claims.until > Date.now() ? claims : null;
}
