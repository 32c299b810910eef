import type { Options } from '@swc/core';

/** SWC options that compile the library's sources for Node, which cannot strip decorators. */
export const SWC: Options = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
    target: 'es2024',
    keepClassNames: true,
  },
  module: { type: 'es6' },
};
