import { availableParallelism } from 'node:os';

export default {
  roots: ['<rootDir>/test'],
  testRegex: '\\.spec\\.ts$',
  testTimeout: 60_000,
  // Each worker opens its own connection pools on the one test server. Suites that look at the clock need a core,
  // so there is no worker more than cores.
  maxWorkers: Math.min(4, availableParallelism()),
  // What suites leave behind stays with their worker: one that holds much is replaced by another.
  workerIdleMemoryLimit: '500MB',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Node loads what is tested, not jest.
  testEnvironment: '<rootDir>/test/support/one-realm.mjs',
  testRunner: '<rootDir>/test/support/native-runner.mjs',
  transform: {},
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
};
