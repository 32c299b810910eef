/** The commands of `package.json` that Node itself runs: it strips types, and knows nothing of decorators. */
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

/** Imports that are still there when types are gone. */
const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^;'"]*?from\s+)?'(\.[^']+\.ts)'/gm;

/** What a file loads of the project, itself included. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, to = ''] of text.matchAll(IMPORT)) loadedBy(join(file, '..', to), seen);
  return seen;
}

describe('the commands of package.json', () => {
  it('are found, with what they load', () => {
    expect(commands.length).toBeGreaterThan(10);
    expect(loadedBy(join(ROOT, 'test/security/credentials.ts')).size).toBeGreaterThan(5);
  });

  it.each(commands)('%s loads nothing of src as it is', (_name, file) => {
    const loaded = [...loadedBy(join(ROOT, file))].map((one) => relative(ROOT, one));
    expect(loaded.filter((one) => one.startsWith('src/'))).toEqual([]);
  });
});
