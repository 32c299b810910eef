import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const OUT = join(import.meta.dirname, '../dist/desk');

/** Modules that the editor of `blocks` shares with its later parts. They compress better in one chunk. */
const BLOCKS =
  /prosemirror-|rope-sequence|orderedmap|src\/blocks\/(?!paste|read-html|html-marks|word-lists|link-|image-text|toolbar|blocks-editor)/;
const GROUPS = { includeDependenciesRecursively: false, groups: [{ name: 'blocks', test: BLOCKS }] };

/** Writes `.br` files next to the scripts and styles: Brotli is too slow for a request. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async closeBundle() {
      const folder = join(OUT, 'assets');
      for (const name of await readdir(folder)) {
        if (!/\.(js|css|svg)$/.test(name)) continue;
        const bytes = await readFile(join(folder, name));
        await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(bytes));
      }
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  // Scripts load other scripts from their own folder, whatever the path of the desk is.
  base: './',
  publicDir: false,
  plugins: [compressed()],
  build: {
    outDir: OUT,
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2022',
    // An inlined file would be a `data:` address, which the policy of the page refuses.
    assetsInlineLimit: 0,
    // A budget in the proofs bounds the first screen.
    chunkSizeWarningLimit: 1024,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: join(import.meta.dirname, 'src/main.tsx'),
      // Bundlers drop `"use client"` of libraries, which concerns servers only.
      checks: { moduleLevelDirective: false },
      preserveEntrySignatures: 'allow-extension',
      output: { codeSplitting: GROUPS },
    },
  },
});
