/** Small unpacked archives in the format of `strapi export`, written by hand. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export type Json = Readonly<Record<string, unknown>>;

export interface SmallArchive {
  readonly version: string;
  readonly schemas: readonly Json[];
  readonly entities: readonly Json[];
  readonly links?: readonly Json[];
  readonly configuration?: readonly Json[];
  /** Bytes by name of the upload. */
  readonly assets?: Readonly<Record<string, Buffer>>;
}

export const entity = (type: string, id: number, data: Json): Json => ({ type, id, data });

export const typeSchema = (name: string, attributes: Json, more: Json = {}): Json => ({
  uid: `api::${name}.${name}`,
  modelType: 'contentType',
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: { draftAndPublish: true },
  pluginOptions: {},
  attributes,
  ...more,
});

export const componentSchema = (uid: string, attributes: Json): Json => ({
  uid,
  modelType: 'component',
  info: { displayName: uid },
  attributes,
});

export const link = (
  left: readonly [string, number, string, number?],
  right: readonly [string, number | string, number?],
): Json => ({
  kind: left[0] === right[0] ? 'relation.circular' : 'relation.basic',
  relation: 'manyToMany',
  left: { type: left[0], ref: left[1], field: left[2], ...(left[3] === undefined ? {} : { pos: left[3] }) },
  right: { type: right[0], ref: right[1], ...(right[2] === undefined ? {} : { pos: right[2] }) },
});

/** Link of a file: its owner is on the right. */
export const fileLink = (file: number, owner: readonly [string, number, string], pos = 1): Json => ({
  kind: 'relation.morph',
  relation: 'morphToMany',
  left: { type: 'plugin::upload.file', ref: file, field: 'related' },
  right: { type: owner[0], ref: owner[1], field: owner[2], pos },
});

export const stored = (key: string, value: unknown): Json => ({
  type: 'core-store',
  value: { id: 1, key, value, type: 'string', environment: null, tag: null },
});

const lined = (values: readonly Json[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** Writes the archive as a folder. */
export async function writeArchive(folder: string, archive: SmallArchive): Promise<string> {
  const { version, schemas, entities, links = [], configuration = [], assets = {} } = archive;
  const files: Readonly<Record<string, string | Buffer>> = {
    'metadata.json': JSON.stringify({ createdAt: '2026-01-01T00:00:00.000Z', strapi: { version } }),
    'schemas/schemas_00001.jsonl': lined(schemas),
    'entities/entities_00001.jsonl': lined(entities),
    'links/links_00001.jsonl': lined(links),
    'configuration/configuration_00001.jsonl': lined(configuration),
    ...Object.fromEntries(Object.entries(assets).map(([name, bytes]) => [`assets/uploads/${name}`, bytes])),
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}
