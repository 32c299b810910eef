/** Versions of Node from npm, and the environment of a newcomer who has one of them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ROOT } from './tarball.ts';

export interface InstalledNode {
  /** Folder of the program `node`. */
  readonly bin: string;
  /** Whether it is too old for the library. */
  readonly isOld: boolean;
}

/** First version that MikroORM supports. */
const FIRST = 22;

/** Installs a version of Node below a folder, from the package `node`. */
export function installNode(folder: string, version: string): InstalledNode {
  const own = join(folder, 'node');
  mkdirSync(own);
  writeFileSync(join(own, 'package.json'), JSON.stringify({ private: true, allowScripts: { node: true } }));
  const args = ['install', `node@${version}`, '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', args, { cwd: own, stdio: ['ignore', 2, 2] });
  return { bin: join(own, 'node_modules/node/bin'), isOld: Number.parseInt(version, 10) < FIRST };
}

/** Settings of npm that belong to a machine, and not to the command that runs now. */
const OF_MACHINE = /^npm_config_(?:registry|cache|userconfig|globalconfig|noproxy|https?_proxy|cafile)$/i;

/** Environment with that Node first in the path, without this repository. It answers questions of `npx` with yes. */
export function newcomer({ bin }: InstalledNode): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^npm_/i.test(name) || OF_MACHINE.test(name),
  );
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.startsWith(ROOT));
  return { ...Object.fromEntries(entries), PATH: [bin, ...path].join(delimiter), npm_config_yes: 'true' };
}
