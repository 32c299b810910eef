/** Prepares files of other systems, which keep their URLs. */
import { fileTypeFromFile } from 'file-type';
import type { ForeignFile, PreparedContent } from '../../content/documents/archive-parts.js';
import type { Schema } from '../../content/model/model.js';
import { ContentError } from '../../kernel/errors.js';
import { extensionOfKind } from './file-kinds.js';
import { spelledExtension } from './file-names.js';
import type { ResolvedFilesOptions } from './files.options.js';
import { prepareFile } from './prepare-file.js';

interface Attempt {
  readonly hash: string;
  readonly ext: string;
}

async function attempt(
  file: ForeignFile,
  { hash, ext }: Attempt,
  { schema, options }: { readonly schema: Schema; readonly options: ResolvedFilesOptions },
): Promise<PreparedContent | ContentError> {
  const { path, sha256, directory } = file;
  const received = {
    path,
    size: file.size,
    sha256,
    fileName: `file${ext}`,
    contentType: 'application/octet-stream',
  };
  const preparing = { index: 0, info: {}, former: null, schema, directory, hash, ext, isForeign: true };
  try {
    const { content, values, unprocessed } = await prepareFile(received, preparing, options);
    const { name: _name, width, height, ...rest } = values();
    const size = width === null ? {} : { width, height };
    const bytes = content.bytes.map(({ key, file: { path: at, size: length, mime } }) => ({
      ...{ key, path: at, size: length, mime },
    }));
    return { values: { ...rest, ...size }, bytes, unprocessed };
  } catch (error) {
    if (error instanceof ContentError) return error;
    throw error;
  }
}

/**
 * Checks a file and makes its formats; its own bytes stay as they are. If the extension does not match the
 * bytes, it becomes that of the bytes. Returns the reason of a refusal as text.
 */
export async function prepareForeign(
  file: ForeignFile,
  schema: Schema,
  options: ResolvedFilesOptions,
): Promise<PreparedContent | string> {
  const ext = spelledExtension(file.name);
  const hash = file.name.slice(0, file.name.length - ext.length);
  const first = await attempt(file, { hash, ext }, { schema, options });
  if (!(first instanceof ContentError)) return first;
  const kind = (await fileTypeFromFile(file.path))?.mime;
  const found = kind === undefined ? ext : extensionOfKind(kind);
  if (found === ext.toLowerCase()) return first.message;
  const second = await attempt(file, { hash, ext: found }, { schema, options });
  return second instanceof ContentError ? first.message : second;
}
