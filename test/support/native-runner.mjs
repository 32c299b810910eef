/**
 * Runs suites as jest does, except that Node itself loads them and what they import: a worker loads the library and
 * the frameworks below it once, for all of its suites. Jest's own module registry would load them anew for each.
 */
import { channel } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import runner from 'jest-circus/runner';
import { suite } from './from-source.mjs';

const require = createRequire(import.meta.url);

/**
 * A thousand passwords are hashed: in the proofs at what that costs a server, in suites at next to nothing. Who asks
 * how many hears of each.
 */
const argon2 = require('@node-rs/argon2');
const { hash } = argon2;
const less = process.env.PROOFS === 'whole' ? {} : { memoryCost: 64, timeCost: 1 };
const hashing = channel('hashing');
argon2.hash = (password, cost) => {
  hashing.publish(password);
  return hash(password, { ...cost, ...less });
};

/** What jest would load into a context of the suite's own: its state belongs to one suite. */
function requireAnew(path) {
  delete globalThis[Symbol.for('EVENT_HANDLERS')];
  delete require.cache[path];
  return require(path);
}

export default function run(globalConfig, config, environment, runtime, ...rest) {
  const { console } = globalThis;
  suite.number = (suite.number ?? 0) + 1;
  // Entities that modules of other suites have named.
  MikroOrmModule.clearStorage();
  runtime.requireInternalModule = requireAnew;
  runtime.setGlobalsForRuntime = (globals) => Object.assign(globalThis, globals);
  runtime.unstable_shouldLoadAsEsm = () => true;
  runtime.unstable_importModule = (path) => import(pathToFileURL(path).href);
  globalThis.jest = environment.moduleMocker;
  globalThis.console = environment.global.console;
  // Node knows where the lines of what it has loaded come from.
  Error.prepareStackTrace = undefined;
  // Every refusal is an error: jest's hundred frames of each would cost more than all else that it takes.
  Error.stackTraceLimit = 20;
  const done = runner.default(globalConfig, config, environment, runtime, ...rest);
  return done.finally(() => {
    globalThis.console = console;
    forget();
  });
}

/** Jest leaves what it knows of each suite, and with that its applications, under a symbol of its own. */
function forget() {
  for (const symbol of Object.getOwnPropertySymbols(globalThis))
    if (symbol.description === 'JEST_STATE_SYMBOL') delete globalThis[symbol];
}
