/** The package as npm publishes it, from the present build. */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

export interface Tarball {
  readonly file: string;
  readonly bytes: Buffer;
  /** Total size of its files in bytes, unpacked. */
  readonly unpacked: number;
}

/** Packs into a folder. Throws if `dist` is missing. */
export function packInto(folder: string): Tarball {
  statSync(join(ROOT, 'dist/index.js'));
  const args = ['pack', '--json', '--ignore-scripts', '--loglevel=silent', '--pack-destination', folder];
  const npm = process.env['npm_execpath'];
  const [program, ...before] = npm === undefined ? ['npm'] : [process.execPath, npm];
  const said = execFileSync(program, [...before, ...args], { cwd: ROOT, encoding: 'utf8' });
  const [packed] = Object.values(
    JSON.parse(said) as Record<string, { filename: string; unpackedSize: number }>,
  );
  if (packed === undefined) throw new Error('npm packed nothing');
  const file = join(folder, packed.filename);
  return { file, bytes: readFileSync(file), unpacked: packed.unpackedSize };
}
