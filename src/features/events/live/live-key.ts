import { hkdfSync } from 'node:crypto';
import type { ResolvedEventsOptions } from '../events.options.js';

/** Derives the key of a purpose from the secret. */
export const liveKey = ({ live }: Pick<ResolvedEventsOptions, 'live'>, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', live?.secret ?? '', '', `content ${purpose}`, 32));
