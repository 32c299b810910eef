/** Prepares an upload: checks it, processes images, and computes keys and row values. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ContentError, validationError } from '../../kernel/errors.js';
import { fileKindOf, acceptsNewKind } from '../../content/model/allowed-types.js';
import type { Schema } from '../../content/model/model.js';
import type { ContentToKeep } from './file-bytes.js';
import { type Admitted, admit } from './file-gate.js';
import type { FileImages, ImageFacts, MadeFormat } from './file-images.js';
import type { FileInfo } from './file-info.js';
import { contentKey, variantKey } from '../../content/model/content-keys.js';
import type { LocalFile } from './file-storage.js';
import { newHash, renewedHash, urlOf } from './file-names.js';
import type { FileRow } from './file-table.js';
import type { ResolvedFilesOptions } from './files.options.js';
import type { ReceivedFile } from './upload-form.js';

export interface PreparedFile {
  readonly content: ContentToKeep;
  /** Returns the values of the row. Each call returns a new hash (20.16). */
  readonly values: () => Readonly<Record<string, unknown>>;
  /** Reason why a picture is stored without formats and size; null for ordinary files. */
  readonly unprocessed: string | null;
}

export interface Preparing {
  readonly index: number;
  readonly info: FileInfo;
  readonly former: FileRow | null;
  readonly schema: Schema;
  readonly directory: string;
  /** Hash of a file that keeps its URL. Default: a new one. */
  readonly hash?: string;
  /** Extension of a file that keeps its URL, as it is spelled there. Default: that of the upload. */
  readonly ext?: string;
  /** True stores the bytes as they are, and a picture that cannot be processed without formats. */
  readonly isForeign?: boolean;
}

/** Returns a size in kilobytes (1000 bytes), rounded to two decimals. */
const kilobytes = (bytes: number): number => Math.round(bytes / 10) / 100;

async function digestOf(path: string): Promise<string> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(path), digest);
  return digest.digest('hex');
}

const shownFormat = (
  { name: format, ext, width, height, file }: MadeFormat,
  name: string,
  hash: string,
): object => ({
  ext,
  url: urlOf(`${format}_${hash}`, ext),
  hash: `${format}_${hash}`,
  mime: file.mime,
  name: `${format}_${name}`,
  path: null,
  size: kilobytes(file.size),
  width,
  height,
  sizeInBytes: file.size,
});

function imageValues(
  facts: ImageFacts | null,
  { name, hash, replaces }: { readonly name: string; readonly hash: string; readonly replaces: boolean },
): object {
  const formats = facts?.formats ?? [];
  const shown = Object.fromEntries(formats.map((format) => [format.name, shownFormat(format, name, hash)]));
  return {
    width: facts?.width ?? null,
    height: facts?.height ?? null,
    // Strapi returns empty formats for a replaced file that is not an image.
    formats: formats.length > 0 || replaces ? shown : null,
    provider_metadata: facts?.thumbhash === undefined ? null : { thumbhash: facts.thumbhash },
  };
}

/** Refuses a replacement of another kind if a media attribute allows the former kind and not the new one. */
function checkKind({ mime, name }: Admitted, { former, schema, index }: Preparing): void {
  if (former === null) return;
  const [from, to] = [fileKindOf(former.mime), fileKindOf(mime)];
  if (!acceptsNewKind(schema, from, to))
    throw validationError(
      `The file "${name}" of kind ${to} cannot replace ${from}: an attribute allows only ${from}`,
      { key: 'files', path: `files.${index}`, source: 'body' },
    );
}

interface Read {
  readonly facts: ImageFacts | null;
  readonly unprocessed: string | null;
}

/** Reads an image. Of a foreign file, an image that cannot be processed is stored all the same. */
async function readImage(
  uploaded: LocalFile,
  { directory, isForeign = false }: Preparing,
  images: FileImages | null,
): Promise<Read> {
  if (images === null) return { facts: null, unprocessed: null };
  try {
    return { facts: await images.read(uploaded, directory, isForeign), unprocessed: null };
  } catch (error) {
    if (!isForeign || !(error instanceof ContentError) || error.status !== 400) throw error;
    return { facts: null, unprocessed: error.message };
  }
}

/** Checks a file and computes what to store. Throws the 400 errors of the checks and of image processing. */
export async function prepareFile(
  received: ReceivedFile,
  preparing: Preparing,
  { storage, images, allowed }: ResolvedFilesOptions,
): Promise<PreparedFile> {
  const { index, info, former } = preparing;
  const admitted = await admit(received, allowed, index);
  checkKind(admitted, preparing);
  const { name: sent, mime, ext } = admitted;
  const uploaded = { path: received.path, size: received.size, mime };
  const { facts, unprocessed } = await readImage(uploaded, preparing, images);
  const rewritten = preparing.isForeign === true ? undefined : facts?.rewritten;
  const original = rewritten ?? uploaded;
  const sha256 = rewritten === undefined ? received.sha256 : await digestOf(original.path);
  const key = contentKey(sha256, ext);
  const formats = (facts?.formats ?? []).map((format) =>
    format.file.mime === mime ? { ...format, ext } : format,
  );
  const formatContents = formats.map(({ name, recipe, ext: of, file }) => ({
    name,
    key: variantKey(key, recipe, of),
    file,
  }));
  const name = info.name ?? sent;
  const spelled = (one: string): string => (one === ext && preparing.ext ? preparing.ext : one);
  const shown = formats.map((format) => ({ ...format, ext: spelled(format.ext) }));
  const values = (): Readonly<Record<string, unknown>> => {
    const hash = preparing.hash ?? (former === null ? newHash(name) : renewedHash(former.hash));
    return {
      ...info,
      name,
      ...imageValues(facts === null ? null : { ...facts, formats: shown }, {
        name,
        hash,
        replaces: former !== null,
      }),
      hash,
      ext: spelled(ext),
      mime,
      size: kilobytes(original.size),
      url: urlOf(hash, spelled(ext)),
      provider: storage.name,
      storageKey: key,
      ...(former === null ? {} : { formerHash: former.hash }),
      formatKeys: Object.fromEntries(formatContents.map((format) => [format.name, format.key])),
    };
  };
  return { content: { key, bytes: [{ key, file: original }, ...formatContents] }, values, unprocessed };
}
