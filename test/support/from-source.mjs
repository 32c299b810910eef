/** For processes that tests start: `node --import` of this has them run the library from its sources, as jest does. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';
import jest from '../../jest.config.js';

const SRC = new URL('../../src/', import.meta.url).href;
const [, options] = jest.transform['^.+\\.ts$'];

registerHooks({
  resolve(specifier, context, next) {
    const [, entry] = /^nestjs-content-api(?:\/(\w+))?$/.exec(specifier) ?? [null, null];
    if (entry !== null) return next(`${SRC}${entry ?? 'index'}.ts`, context);
    const isOurs = specifier.startsWith('.') && context.parentURL?.startsWith(SRC);
    return next(isOurs ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
  load(url, context, next) {
    if (!url.startsWith(SRC)) return next(url, context);
    const { code } = transformSync(readFileSync(fileURLToPath(url), 'utf8'), { ...options, filename: url });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
