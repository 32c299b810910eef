import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const OUT = join(import.meta.dirname, '../dist/desk');

/** Modules of the editor of `blocks` that its chunks share. They compress better in one chunk. */
const LATER = /\.tsx|\/(?:paste|paste-nodes|set-link)\./;
const isOfBlocks = (id: string): boolean =>
  /prosemirror-|rope-sequence|orderedmap/.test(id) || (/src\/blocks\//.test(id) && !LATER.test(id));
const GROUPS = { includeDependenciesRecursively: false, groups: [{ name: 'blocks', test: isOfBlocks }] };

/** Removes code for Internet Explorer and the first Edge, which cannot run the rest of the desk. */
function modern(): Plugin {
  return {
    name: 'modern',
    transform(code, id) {
      if (!id.includes('prosemirror-view')) return null;
      const made = code.replace(
        /^const ie_edge = [^]*?^const ie_version = .*$/m,
        'const ie = false, ie_version = 0;',
      );
      if (made === code) this.error('prosemirror-view tells browsers apart in another way');
      return { code: made, map: null };
    },
  };
}

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
  plugins: [modern(), compressed()],
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
