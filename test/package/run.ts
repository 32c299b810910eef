/**
 * `npm run package`: checks the size of the package, two package linters, and docs/start.md in a new
 * application. Needs no network. With `--nodes 20,22,24` it follows only docs/start.md, with these versions of
 * Node and everything installed from npm. Exits with 1 on a failure.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { createDatabase } from '../support/database.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { type InstalledNode, installNode } from './nodes.ts';
import { followStart } from './recipe.ts';
import { packInto, type Tarball } from './tarball.ts';

/**
 * Limits in bytes, packed and unpacked: at most 10 % above the size when they were set. The desk takes 1,500,000 of
 * them packed: its scripts and styles once as they are, once for each of the two content codings.
 */
const BUDGET = { packed: 3_800_000, unpacked: 12_000_000 };

/** CommonJS requires this package, an ES module, as all supported Node versions can. */
const ACCEPTED: readonly string[] = ['CJSResolvesToESM'];

function size({ bytes, unpacked }: Tarball): string {
  assert.ok(bytes.length <= BUDGET.packed, `${bytes.length} bytes packed, over ${BUDGET.packed}`);
  assert.ok(unpacked <= BUDGET.unpacked, `${unpacked} bytes unpacked, over ${BUDGET.unpacked}`);
  return `${Math.round(bytes.length / 1000)} kB packed, ${Math.round(unpacked / 1000)} kB unpacked`;
}

async function lint({ bytes }: Tarball): Promise<string> {
  const tarball = new Uint8Array(bytes).buffer;
  const { messages, pkg } = await publint({
    pkgDir: 'package',
    pack: { tarball },
    level: 'suggestion',
    strict: true,
  });
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg)),
    [],
  );
  return 'nothing to say';
}

async function types({ bytes }: Tarball): Promise<string> {
  const found = await checkPackage(createPackageFromTarballData(new Uint8Array(bytes)));
  assert.ok(found.types !== false, 'it has types');
  const problems = found.problems.filter(({ kind }) => !ACCEPTED.includes(kind));
  assert.deepEqual(
    problems.map((problem) => JSON.stringify(problem)),
    [],
  );
  return `${Object.keys(found.entrypoints).length} entries resolve everywhere`;
}

/** Follows docs/start.md on an empty database. */
async function start({ file }: Tarball, folder: string, node?: InstalledNode): Promise<string> {
  const since = performance.now();
  const database = await createDatabase();
  await followStart(folder, {
    tarball: file,
    databaseUrl: database.url,
    ...(node === undefined ? {} : { node }),
  });
  await database.drop();
  return `as it is written, in ${Math.round((performance.now() - since) / 1000)} s`;
}

type Check = (tarball: Tarball, folder: string) => string | Promise<string>;

const CHECKS: Readonly<Record<string, Check>> = {
  size,
  publint: lint,
  'are the types wrong': types,
  'docs/start.md': (tarball, folder) => start(tarball, folder),
};

/** Follows docs/start.md with a version of Node, in a folder of its own. */
const withNode =
  (version: string): Check =>
  (tarball, folder) => {
    const own = join(folder, `node-${version}`);
    mkdirSync(own);
    return start(tarball, own, installNode(own, version));
  };

const { nodes } = parseArgs({ options: { nodes: { type: 'string' } } }).values;
const checks =
  nodes === undefined
    ? CHECKS
    : Object.fromEntries(
        nodes.split(',').map((version) => [`docs/start.md with Node ${version}`, withNode(version)]),
      );

const folder = mkdtempSync(join(tmpdir(), 'content-package-'));
const server = await startPostgres();
process.env['TEST_DATABASE_URL'] = server.url;
try {
  const tarball = packInto(folder);
  const failures: string[] = [];
  for (const [name, check] of Object.entries(checks))
    try {
      console.log(`${name}: ${await check(tarball, folder)}`);
    } catch (error) {
      failures.push(`${name}: FAILED ${error instanceof Error ? error.message : String(error)}`);
    }
  // Last, below the output of the commands of the page.
  for (const failure of failures) console.error(failure);
  if (failures.length > 0) process.exitCode = 1;
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
