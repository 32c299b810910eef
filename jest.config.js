import { availableParallelism, totalmem } from 'node:os';

// Suites that look at the clock need a core, so there is no worker more than cores.
const maxWorkers = Math.min(4, availableParallelism());

export default {
  roots: ['<rootDir>/test'],
  // Proofs start servers and processes of their own, or are about time: `npm run proofs` runs them.
  testRegex: process.env.PROOFS === 'whole' ? '\\.(spec|proof)\\.ts$' : '\\.spec\\.ts$',
  testTimeout: 60_000,
  // Each worker opens its own connection pools on the one test server.
  maxWorkers,
  // What suites leave behind stays with their worker: one that holds much is replaced by another.
  workerIdleMemoryLimit: Math.min(1.5e9, totalmem() / (4 * maxWorkers)),
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Node loads what is tested, not jest.
  testEnvironment: '<rootDir>/test/support/one-realm.mjs',
  testRunner: '<rootDir>/test/support/native-runner.mjs',
  transform: {},
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
};
