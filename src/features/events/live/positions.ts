/** Positions in the event log, sealed for clients: ids of server-sent events. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { checkedAs, isNullOr, isShape, isText } from '../../../kernel/json.js';
import type { Cursor } from '../compile-events.js';
import type { Position } from '../event-feed.js';

/** Position that a client has sent back. */
export type SentPosition = Required<Position>;

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const MAC_BYTES = 16;
/** Length of texts is a multiple of this, which hides the number of running transactions. */
const PADDED_LENGTH = 64;
/** Longest position that a client can send, in characters. */
const MAX_LENGTH = 16_384;

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isSealed = isShape<{
  readonly at: number;
  readonly days: number;
  readonly server: string;
  readonly base: string;
  readonly target: string | null;
  readonly after: string;
}>({ at: isNumber, days: isNumber, server: isText, base: isText, target: isNullOr(isText), after: isText });

/** Shortens a snapshot `xmin:xmax:xip,xip`: all numbers after the first are relative to it. */
function shortenSnapshot(snapshot: string): string {
  const [first = '', ...others] = snapshot.split(/[:,]/).filter((part) => part !== '');
  return [first, ...others.map((other) => (BigInt(other) - BigInt(first)).toString(36))].join('.');
}

function restoreSnapshot(text: string): string {
  const [first = '', ...others] = text.split('.');
  const [last, ...running] = others.map((distance) => BigInt(first) + BigInt(parseInt(distance, 36)));
  return `${first}:${last}:${running.join(',')}`;
}

/**
 * Encrypts and authenticates positions: they show clients neither the number of transactions nor the times of
 * changes, and clients cannot make one.
 */
export class Positions {
  constructor(
    private readonly key: Buffer,
    private readonly retentionDays: number,
  ) {}

  seal({ cursor, server, at = Date.now(), days = this.retentionDays }: Position): string {
    const { base, target, after } = cursor;
    const short = {
      at,
      days,
      server,
      base: shortenSnapshot(base),
      target: target === null ? null : shortenSnapshot(target),
      after,
    };
    const text = JSON.stringify(short);
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, iv);
    const padded = text.padEnd(Math.ceil(text.length / PADDED_LENGTH) * PADDED_LENGTH);
    return Buffer.concat([iv, cipher.update(padded), cipher.final(), cipher.getAuthTag()]).toString(
      'base64url',
    );
  }

  /** Returns the position of a text; null if this secret did not make it. */
  open(text: string): SentPosition | null {
    if (text.length > MAX_LENGTH) return null;
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length <= IV_BYTES + MAC_BYTES) return null;
    const decipher = createDecipheriv(CIPHER, this.key, bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(-MAC_BYTES));
    try {
      const plain = Buffer.concat([
        decipher.update(bytes.subarray(IV_BYTES, -MAC_BYTES)),
        decipher.final(),
      ]).toString();
      const { at, days, server, base, target, after } = checkedAs(JSON.parse(plain), isSealed, 'A position');
      const cursor: Cursor = {
        base: restoreSnapshot(base),
        target: target === null ? null : restoreSnapshot(target),
        after,
      };
      return { at, days: Math.min(days, this.retentionDays), server, cursor };
    } catch {
      return null;
    }
  }
}
