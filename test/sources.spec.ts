/** The list of specs by source file, which `npm run sources` generates. */
import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { LONG, longSources, type Sources } from './support/long-sources.ts';

const root = dirname(import.meta.dirname);
const listed = JSON.parse(readFileSync(join(root, 'test/sources.json'), 'utf8')) as Sources;

/** Whether a file has nothing that runs; the compiler's specs test its types. */
const isTypesOnly = (file: string): boolean =>
  !/=>|\bfunction\b|\bclass\b/.test(
    stripTypeScriptTypes(readFileSync(join(root, file), 'utf8'), { mode: 'transform' }).replace(
      /\/\*[^]*?\*\/|\/\/.*/g,
      '',
    ),
  );

it(`names a spec for each source file of more than ${LONG} lines`, () => {
  const untested = longSources(root).filter(
    (file) => (listed[file] ?? []).length === 0 && !isTypesOnly(file),
  );
  expect(untested).toEqual([]);
});

it('names files that exist', () => {
  const paths = Object.entries(listed).flatMap(([source, specs]) => [source, ...specs]);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
