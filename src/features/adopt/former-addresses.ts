/** Addresses of the former server in texts: its editors write those of files with the host. */
import { isText } from '../../kernel/json.js';

const FILE_PATH = /\/uploads\/([^\s"'()<>\\/?#]{1,300})/g;

/** End of a text that begins an address. It is applied to few characters, so that no text takes long. */
const HOST_BEFORE = /https?:\/\/[^\s"'()<>\\]+$/;
const MAX_HOST = 300;

/** Whether a value contains the address, with a host, of a file with one of these names or of a format. */
export function hasFormerAddress(value: unknown, fileNames: ReadonlySet<string>): boolean {
  const text = isText(value) ? value : (JSON.stringify(value) ?? '');
  if (!text.includes('/uploads/')) return false;
  return [...text.matchAll(FILE_PATH)].some(
    ({ index, 1: name = '' }) =>
      (fileNames.has(name) || fileNames.has(name.slice(name.indexOf('_') + 1))) &&
      HOST_BEFORE.test(text.slice(Math.max(0, index - MAX_HOST), index)),
  );
}
