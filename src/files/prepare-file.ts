/** From an upload to what is kept of it: the gate, the look at pictures, the keys, the values of the row. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { validationError } from '../errors.js';
import { fileKindOf, mayBecome } from '../schema/allowed-types.js';
import type { Schema } from '../schema/model.js';
import type { ContentToKeep } from './file-bytes.js';
import { type Admitted, admit } from './file-gate.js';
import type { ImageFacts, MadeFormat } from './file-images.js';
import type { FileInfo } from './file-info.js';
import { contentKey, variantKey } from './file-keys.js';
import { newHash, renewedHash, urlOf } from './file-names.js';
import type { FileRow } from './file-table.js';
import type { ResolvedFilesOptions } from './files.options.js';
import type { ReceivedFile } from './upload-form.js';

/** A file that has passed the gate. */
export interface PreparedFile {
  readonly content: ContentToKeep;
  /** The values of its row. Its hash is another each time that it is asked for (20.16). */
  readonly values: () => Readonly<Record<string, unknown>>;
}

/** What a file is made of, beside its bytes. */
export interface Preparing {
  /** Its place in the form. */
  readonly index: number;
  readonly info: FileInfo;
  /** The file that it replaces; null for a new one. */
  readonly former: FileRow | null;
  readonly schema: Schema;
  /** Where files may be written for the time of the request. */
  readonly directory: string;
}

/** Bytes in thousands of bytes, with two decimals. */
const kilobytes = (bytes: number): number => Math.round(bytes / 10) / 100;

async function digestOf(path: string): Promise<string> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(path), digest);
  return digest.digest('hex');
}

/** A format as answers show it (20.10). */
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

/** The attributes that say what a picture is; of other files they are null. */
function imageValues(
  facts: ImageFacts | null,
  { name, hash, replaces }: { readonly name: string; readonly hash: string; readonly replaces: boolean },
): object {
  const formats = facts?.formats ?? [];
  const shown = Object.fromEntries(formats.map((format) => [format.name, shownFormat(format, name, hash)]));
  return {
    width: facts?.width ?? null,
    height: facts?.height ?? null,
    // Clients of the protocol know a replaced file by its empty formats.
    formats: formats.length > 0 || replaces ? shown : null,
    provider_metadata: facts?.thumbhash === undefined ? null : { thumbhash: facts.thumbhash },
  };
}

/** Refuses a file of a kind that attributes do not take which have the one that it replaces (H4). */
function checkKind({ mime, name }: Admitted, { former, schema, index }: Preparing): void {
  if (former === null) return;
  const [from, to] = [fileKindOf(former.mime), fileKindOf(mime)];
  if (!mayBecome(schema, from, to))
    throw validationError(
      `The file "${name}" is one of ${to} and cannot replace one of ${from}, which media attributes tell apart`,
      { key: 'files', path: `files.${index}`, source: 'body' },
    );
}

/**
 * Lets a file through the gate and makes what is kept of it. Throws the 400s of the gate and of whoever looks
 * at pictures.
 */
export async function prepareFile(
  received: ReceivedFile,
  preparing: Preparing,
  { storage, images, allowed }: ResolvedFilesOptions,
): Promise<PreparedFile> {
  const { index, info, former, directory } = preparing;
  const admitted = await admit(received, allowed, index);
  checkKind(admitted, preparing);
  const { name: sent, mime, ext } = admitted;
  const uploaded = { path: received.path, size: received.size, mime };
  const facts = images === null ? null : await images.read(uploaded, directory);
  const original = facts?.rewritten ?? uploaded;
  const sha256 = facts?.rewritten === undefined ? received.sha256 : await digestOf(original.path);
  const key = contentKey(sha256, ext);
  const formats = (facts?.formats ?? []).map((format) =>
    format.file.mime === mime ? { ...format, ext } : format,
  );
  const kept = formats.map(({ name, recipe, ext: of, file }) => ({
    name,
    key: variantKey(key, recipe, of),
    file,
  }));
  const name = info.name ?? sent;
  const values = (): Readonly<Record<string, unknown>> => {
    const hash = former === null ? newHash(name) : renewedHash(former.hash);
    return {
      ...info,
      name,
      ...imageValues(facts === null ? null : { ...facts, formats }, {
        name,
        hash,
        replaces: former !== null,
      }),
      hash,
      ext,
      mime,
      size: kilobytes(original.size),
      url: urlOf(hash, ext),
      provider: storage.name,
      storageKey: key,
      ...(former === null ? {} : { formerHash: former.hash }),
      formatKeys: Object.fromEntries(kept.map((format) => [format.name, format.key])),
    };
  };
  return { content: { key, bytes: [{ key, file: original }, ...kept] }, values };
}
