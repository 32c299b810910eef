/** Signatures of webhooks, as the Standard Webhooks specification defines them. */
import {
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';

const SECRET = 'whsec_';
const PRIVATE_KEY = 'whsk_';
const PUBLIC_KEY = 'whpk_';
/** Bytes before the seed of an ed25519 key in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;

const decodeKey = (text: string, prefix: string): Buffer =>
  Buffer.from(text.startsWith(prefix) ? text.slice(prefix.length) : '', 'base64');

export const newSecret = (): string => `${SECRET}${randomBytes(32).toString('base64')}`;

/** Whether a text is `whsec_` and 24 to 64 bytes in Base64. */
export const isSecret = (text: string): boolean => {
  const { length } = decodeKey(text, SECRET);
  return length >= 24 && length <= 64;
};

/** Returns the key of `whsk_` and an ed25519 seed in Base64, alone or with its public key; null otherwise. */
export function signingKeyOf(text: string): KeyObject | null {
  const bytes = decodeKey(text, PRIVATE_KEY);
  if (bytes.length !== SEED_BYTES && bytes.length !== 2 * SEED_BYTES) return null;
  const key = Buffer.concat([PKCS8, bytes.subarray(0, SEED_BYTES)]);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

/** Returns a new pair of keys, in the form of the specification. */
export function newSigningKey(): { readonly privateKey: string; readonly publicKey: string } {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const [seed, shown] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')];
  return {
    privateKey: `${PRIVATE_KEY}${Buffer.concat([seed, shown]).toString('base64')}`,
    publicKey: `${PUBLIC_KEY}${shown.toString('base64')}`,
  };
}

export interface SignedMessage {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * Returns the value of `webhook-signature`: a signature for each secret, and one of the key if there is one.
 */
export function signaturesOf(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
  key: KeyObject | null,
): string {
  const content = `${id}.${timestamp}.${body}`;
  const symmetric = secrets.map(
    (secret) => `v1,${createHmac('sha256', decodeKey(secret, SECRET)).update(content).digest('base64')}`,
  );
  const asymmetric = key === null ? [] : [`v1a,${sign(null, Buffer.from(content), key).toString('base64')}`];
  return [...symmetric, ...asymmetric].join(' ');
}
