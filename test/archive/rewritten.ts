/** Archives with other lines, and the checksums that fit them. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';

/** Returns the replacement of a line; `part` is the type of its part, or an empty text in the header. */
export type Change = (line: string, part: string) => string;

/** Returns an archive with changed lines. */
export async function rewritten(file: string, change: Change): Promise<() => Readable> {
  const text = gunzipSync(await readFile(file)).toString();
  let [part, digest] = ['', createHash('sha256')];
  const lines = text.split('\n').map((line) => {
    if (line.startsWith('{"end"'))
      return line.replace(/"sha256":"\w+"/, `"sha256":"${digest.digest('hex')}"`);
    if (line.startsWith('{"part"')) {
      const { type = 'contents' } = JSON.parse(line) as { type?: string };
      [part, digest] = [type, createHash('sha256')];
    }
    if (line === '' || line.startsWith('{"complete"')) return line;
    const changed = change(line, part);
    digest.update(`${changed}\n`);
    return changed;
  });
  const bytes = gzipSync(lines.join('\n'));
  return () => Readable.from([bytes]);
}
