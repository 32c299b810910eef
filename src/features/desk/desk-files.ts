/** Built files of the desk: names are read once at the start, and requests find them by name only. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import mime from 'mime';
import { checkedAs, isFlag, isListOf, isRecordOf, isShape, isText, isOptional } from '../../kernel/json.js';

/** Folder of the build in the package, for the sources and for the compiled package. */
export const BUILT = fileURLToPath(new URL('../../../dist/desk/', import.meta.url));

/** Injection token of the folder of the build. */
export const DESK_FOLDER = Symbol('DeskFolder');

const ENTRY = 'src/main.tsx';
const ASSETS = 'assets';

/** End of the names of compressed copies. */
const COPY = '.br';

/** Content codings of files with a compressed copy, in order of preference. */
export const CODINGS = ['br', 'gzip'] as const;

export type Coding = (typeof CODINGS)[number];

export interface DeskFile {
  readonly type: string;
  /** Path of the file on the disk. */
  readonly path: string;
  /** Whether the build has a copy in Brotli, so that the file may be sent compressed. */
  readonly compressed: boolean;
}

export interface DeskBuild {
  /** Files by name below `assets/`. */
  readonly files: ReadonlyMap<string, DeskFile>;
  /** Paths of the entry and of what it imports, relative to the path of the desk. */
  readonly script: string;
  readonly preloads: readonly string[];
  readonly styles: readonly string[];
}

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly isEntry?: boolean;
}

type Manifest = Readonly<Record<string, Chunk>>;

const isManifest = isRecordOf(
  isShape<Chunk>({
    file: isText,
    css: isOptional(isListOf(isText)),
    imports: isOptional(isListOf(isText)),
    isEntry: isOptional(isFlag),
  }),
);

/** Returns a chunk and all chunks that it imports, each once. */
function chunksFrom(manifest: Manifest, key: string, seen = new Set<string>()): Chunk[] {
  const chunk = manifest[key];
  if (chunk === undefined || seen.has(key)) return [];
  seen.add(key);
  return [chunk, ...(chunk.imports ?? []).flatMap((one) => chunksFrom(manifest, one, seen))];
}

/** Adds the charset to types of text. */
function typeOf(name: string): string {
  const type = mime.getType(name) ?? 'application/octet-stream';
  return /^text\/|json$|svg/.test(type) ? `${type}; charset=utf-8` : type;
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, DeskFile>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = new Set(names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name)));
  const isCopy = (path: string): boolean => path.endsWith(COPY) && paths.has(path.slice(0, -COPY.length));
  const entries = [...paths]
    .filter((path) => !isCopy(path))
    .map((path): [string, DeskFile] => {
      const name = path.slice(join(folder, '/').length).replaceAll('\\', '/');
      return [name, Object.freeze({ type: typeOf(name), path, compressed: paths.has(path + COPY) })];
    });
  return new Map(entries);
}

/** Reads the manifest of Vite and the names of the files. Throws an Error without a usable build. */
export async function readBuild(folder: string): Promise<DeskBuild> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8');
  const manifest = checkedAs(JSON.parse(text), isManifest, 'The manifest of the desk');
  const [entry, ...imported] = chunksFrom(manifest, ENTRY);
  if (entry === undefined) throw new Error(`The manifest of the desk has no entry "${ENTRY}"`);
  const files = await filesIn(join(folder, ASSETS));
  return Object.freeze({
    files,
    script: entry.file,
    preloads: imported.map(({ file }) => file),
    styles: [...new Set([entry, ...imported].flatMap(({ css = [] }) => css))],
  });
}

/**
 * Contents of the files of a build. The build has copies in Brotli, which takes seconds. For clients without
 * Brotli, gzip runs once a file: it takes milliseconds, and its copies were 14 % of the package.
 */
export class DeskContents {
  private readonly gzipped = new Map<DeskFile, Buffer>();

  /** Reads a file in a coding. Rejects if the file was removed since the start. */
  async read(file: DeskFile, coding: Coding | null): Promise<Buffer> {
    if (coding !== 'gzip') return readFile(coding === null ? file.path : file.path + COPY);
    const known = this.gzipped.get(file);
    if (known !== undefined) return known;
    const bytes = await promisify(gzip)(await readFile(file.path), { level: 9 });
    this.gzipped.set(file, bytes);
    return bytes;
  }
}
