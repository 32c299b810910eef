/**
 * Runs the proofs, the specs with a dose at their full size, and specs on the adapter that `npm test` leaves
 * out. The first argument limits them to files whose path contains it.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
const DESK = ['--config', 'desk/vite.config.ts', '--logLevel', 'error'];
const DOSED = /\/support\/(?:dose|adapters)\.ts'/;
const dosed = globSync('test/**/*.spec.ts', { cwd: root }).filter((file) =>
  DOSED.test(readFileSync(join(root, file), 'utf8')),
);
if (dosed.length === 0) throw new Error('No spec has a dose.');
const proofs = globSync('test/**/*.proof.ts', { cwd: root });

const [first = '', ...rest] = process.argv.slice(2);
const isWord = first !== '' && !first.startsWith('-');
const chosen = [...proofs, ...dosed].filter((file) => !isWord || file.includes(first));
if (chosen.length === 0) throw new Error(`No proof is in a file with ${first}.`);
const options = isWord ? rest : process.argv.slice(2);

// The proofs of the desk share one build: a second one would remove files that a browser is about to load.
if (chosen.some((file) => file.includes('desk/journeys')))
  execFileSync(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), 'build', ...DESK], {
    cwd: root,
  });

const jest = join(root, 'node_modules/jest/bin/jest.js');
const { status } = spawnSync(
  process.execPath,
  ['--no-warnings', jest, ...options, '--runTestsByPath', ...chosen],
  { cwd: root, stdio: 'inherit', env: { ...process.env, PROOFS: 'whole' } },
);
process.exitCode = status ?? 1;
