/** Runs the proofs, and the specs with a dose at their full size on all adapters. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
const DOSED = /\/support\/(?:dose|adapters)\.ts'/;
const dosed = globSync('test/**/*.spec.ts', { cwd: root }).filter((file) =>
  DOSED.test(readFileSync(join(root, file), 'utf8')),
);
if (dosed.length === 0) throw new Error('No spec has a dose.');
const proofs = globSync('test/**/*.proof.ts', { cwd: root });

const jest = join(root, 'node_modules/jest/bin/jest.js');
const { status } = spawnSync(
  process.execPath,
  ['--no-warnings', jest, ...process.argv.slice(2), '--runTestsByPath', ...proofs, ...dosed],
  { cwd: root, stdio: 'inherit', env: { ...process.env, PROOFS: 'whole' } },
);
process.exitCode = status ?? 1;
