import { availableParallelism } from 'node:os';

export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testRegex: '\\.spec\\.ts$',
  testTimeout: 60_000,
  // Each worker opens its own connection pools on the one test server. Suites that look at the clock need a core,
  // so there is no worker more than cores.
  maxWorkers: Math.min(4, availableParallelism()),
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^nestjs-content-api$': '<rootDir>/src/index.ts',
    '^nestjs-content-api/accounts$': '<rootDir>/src/accounts.ts',
    '^nestjs-content-api/(files|s3|testing)$': '<rootDir>/src/$1.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/dist-sample/'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
          target: 'es2024',
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};
