/**
 * Runs suites as jest does, except that Node loads the modules: a worker loads the library and its frameworks
 * once for all of its suites. Jest's module registry would load them again for each suite.
 */
import { channel } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import fc from 'fast-check';
import runner from 'jest-circus/runner';
import { suite } from './from-source.mjs';

const require = createRequire(import.meta.url);

/**
 * Specs hash a thousand passwords: `npm run proofs` uses the cost of production, `npm test` the lowest cost.
 * A caller that reads the options gets the real ones.
 */
const argon2 = require('@node-rs/argon2');
const { hash } = argon2;
const less = process.env.PROOFS === 'whole' ? {} : { memoryCost: 64, timeCost: 1 };
const hashing = channel('hashing');
argon2.hash = (password, cost) => {
  hashing.publish(password);
  return hash(password, { ...cost, ...less });
};

// `npm test` checks the same samples in each run, so that it never fails by chance. Proofs check new ones.
if (process.env.PROOFS !== 'whole') fc.configureGlobal({ seed: 1 });

// Freeing the heap of a worker at its end takes longer than the half second after which jest kills it.
process.on('beforeExit', () => process.exit());

/** Loads a module again for each suite, because its state belongs to one suite. */
function requireFresh(path) {
  delete globalThis[Symbol.for('EVENT_HANDLERS')];
  delete require.cache[path];
  return require(path);
}

export default function run(globalConfig, config, environment, runtime, ...rest) {
  const { console } = globalThis;
  suite.number = (suite.number ?? 0) + 1;
  // Removes entities that other suites registered.
  MikroOrmModule.clearStorage();
  runtime.requireInternalModule = requireFresh;
  runtime.setGlobalsForRuntime = (globals) => Object.assign(globalThis, globals);
  runtime.unstable_shouldLoadAsEsm = () => true;
  runtime.unstable_importModule = (path) => import(pathToFileURL(path).href);
  globalThis.jest = environment.moduleMocker;
  globalThis.console = environment.global.console;
  // Node applies source maps to stack traces itself.
  Error.prepareStackTrace = undefined;
  // Every refused request creates an error, and jest's default of 100 stack frames makes each of them slow.
  Error.stackTraceLimit = 20;
  const done = runner.default(globalConfig, config, environment, runtime, ...rest);
  return done.finally(() => {
    globalThis.console = console;
    forget();
  });
}

/**
 * Releases the state of a suite, which jest stores under its own symbol together with the suite's
 * applications.
 */
function forget() {
  for (const symbol of Object.getOwnPropertySymbols(globalThis))
    if (symbol.description === 'JEST_STATE_SYMBOL') delete globalThis[symbol];
}
