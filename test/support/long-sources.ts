/** Source files that a test must name. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Specs by source file. */
export type Sources = Readonly<Record<string, readonly string[]>>;

/** Longest source file, in lines, that needs no test of its own. */
export const LONG = 80;

/** Returns the source files of more than {@link LONG} lines, sorted. */
export const longSources = (root: string): string[] =>
  globSync('src/**/*.ts', { cwd: root })
    .filter((file) => readFileSync(join(root, file), 'utf8').trimEnd().split('\n').length > LONG)
    .sort();
