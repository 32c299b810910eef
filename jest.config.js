import { availableParallelism, totalmem } from 'node:os';

// Suites that measure time need a core, so that there are at most as many workers as cores.
const maxWorkers = Math.min(4, availableParallelism());

export default {
  roots: ['<rootDir>/test'],
  // Proofs start servers and processes or measure time: `npm run proofs` runs them.
  testRegex: process.env.PROOFS === 'whole' ? '\\.(spec|proof)\\.ts$' : '\\.spec\\.ts$',
  // A test that takes a second may take a minute on a loaded machine.
  testTimeout: 240_000,
  // Each worker opens its own connection pools on the one test server.
  maxWorkers,
  // Memory that suites leak stays in their worker. A worker that uses too much is replaced.
  workerIdleMemoryLimit: Math.min(1.5e9, totalmem() / (4 * maxWorkers)),
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Node loads the tested modules instead of jest.
  testEnvironment: '<rootDir>/test/support/one-realm.mjs',
  testRunner: '<rootDir>/test/support/native-runner.mjs',
  transform: {},
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
};
