import type { Options } from '@swc/core';

/** How the library's sources become what Node runs: they use decorators, which Node cannot strip. */
export const SWC: Options = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
    target: 'es2024',
    keepClassNames: true,
  },
  module: { type: 'es6' },
};
