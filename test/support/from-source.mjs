/**
 * Loader for `node --import`: runs the library from its sources. It resolves the built file names that
 * sources import and compiles decorators, which Node cannot strip.
 */
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';
import { SWC } from './swc-options.ts';

const SRC = new URL('../../src/', import.meta.url).href;

const OPTIONS = { ...SWC, sourceMaps: 'inline', swcrc: false };

/** Globals that jest gives to a test file. */
const GLOBALS = [
  'afterAll',
  'afterEach',
  'beforeAll',
  'beforeEach',
  'describe',
  'expect',
  'it',
  'jest',
  'test',
];
const FROM_JEST = { url: 'jest:globals', source: `export const { ${GLOBALS.join(', ')} } = globalThis;` };

/** Number of the suite that runs in this process; null when no suite runs. */
export const suite = { number: null };

const codes = new Map();

function codeOf(url) {
  const filename = fileURLToPath(url);
  const known = codes.get(filename);
  if (known !== undefined) return known;
  const { code } = transformSync(readFileSync(filename, 'utf8'), { ...OPTIONS, filename });
  codes.set(filename, code);
  return code;
}

const isSource = (url) =>
  url.startsWith('file:') && /\.ts(\?|$)/.test(url) && !url.includes('/node_modules/');

/** Sources of the package's entries, by their sub-path in `exports`. */
const ENTRIES = new Map(
  Object.entries(
    JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).exports,
  ).map(([name, { types = '' }]) => [name, types.replace(/^\.\/dist\//, SRC).replace(/\.d\.ts$/, '.ts')]),
);

/** Returns the source of a module that is imported by its built name. */
function sourceOf(specifier, from) {
  const [, entry] = /^nestjs-content-api(?:\/(\w+))?$/.exec(specifier) ?? [null, null];
  if (entry !== null) return ENTRIES.get(entry === undefined ? '.' : `./${entry}`);
  if (from === undefined || !isSource(from) || !/^\..*\.js$/.test(specifier)) return specifier;
  const source = specifier.replace(/\.js$/, '.ts');
  return existsSync(new URL(source, from)) ? source : specifier;
}

/** Suites that replace the clock load their own copy of the library: its modules keep timers. */
const FAKE_CLOCK = new URL('../pool/', import.meta.url).href;

/** Returns whether a module imports the copy of the library that suites share. */
const sharesLibrary = (url, from = '') =>
  url.startsWith(SRC) && !from.startsWith(FAKE_CLOCK) && !(from.startsWith(SRC) && from.includes('?suite='));

/** Suites share the library, and each suite loads its own copy of all other modules. */
const suiteModuleOf = (found, from) =>
  suite.number === null || !isSource(found.url) || sharesLibrary(found.url, from) || found.url.includes('?')
    ? found
    : { ...found, url: `${found.url}?suite=${suite.number}` };

process.setSourceMapsEnabled(true);
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: FROM_JEST.url, format: 'module', shortCircuit: true };
    return suiteModuleOf(next(sourceOf(specifier, context.parentURL), context), context.parentURL);
  },
  load(url, context, next) {
    if (url === FROM_JEST.url) return { source: FROM_JEST.source, format: 'module', shortCircuit: true };
    if (!isSource(url)) return next(url, context);
    return { source: codeOf(url), format: 'module', shortCircuit: true };
  },
});
