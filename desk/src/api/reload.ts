/** Reloads of the page, which would replace it by an error of the browser without the server. */
import { OfflineError } from './errors.ts';
import { settings } from '../settings.ts';

/** Loads the page again. Throws an OfflineError, and keeps the page, if the server cannot be reached. */
export async function reload(): Promise<void> {
  try {
    const { ok } = await fetch(`${settings.base}/`, { method: 'HEAD', cache: 'no-store' });
    if (!ok) throw new Error('The server is not ready');
  } catch (error) {
    throw new OfflineError(error);
  }
  location.reload();
}
