/**
 * Commands of `package.json` that Node runs without a build: Node strips types, but cannot run decorators.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const commands = Object.entries(scripts).flatMap(([name, script]) => {
  const [, file] = /node (?:--no-warnings )?(test\/\S+\.ts)/.exec(script) ?? [];
  return file === undefined ? [] : [[name, file] as const];
});

/** Imports that remain after types are stripped. */
const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^;'"]*?from\s+)?'(\.[^']+\.ts)'/gm;

/** Returns the project files that a file loads, itself included. */
function loadedBy(file: string, visited = new Set<string>()): Set<string> {
  if (visited.has(file)) return visited;
  visited.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, to = ''] of text.matchAll(IMPORT)) loadedBy(join(file, '..', to), visited);
  return visited;
}

describe('the commands of package.json', () => {
  it('are found, with the files that they load', () => {
    expect(commands.length).toBeGreaterThan(10);
    expect(loadedBy(join(ROOT, 'test/security/credentials.ts')).size).toBeGreaterThan(5);
  });

  it.each(commands)('%s does not load sources of src directly', (_name, file) => {
    const loaded = [...loadedBy(join(ROOT, file))].map((one) => relative(ROOT, one));
    expect(loaded.filter((one) => one.startsWith('src/'))).toEqual([]);
  });
});
