/** Layers of the desk: pure values below, requests and forms above them, components at the top. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const DESK = join(ROOT, 'desk/src');

/** Folders by layer: a folder imports only from lower layers and itself. */
const LAYERS: readonly (readonly string[])[] = [
  ['settings.ts', 'extension.ts'],
  ['api', 'texts'],
  ['model'],
  ['form'],
  ['editor'],
  ['parts'],
  ['paste'],
  ['fields', 'blocks', 'markdown', 'media', 'screens'],
  ['main.tsx'],
];
/** The only files of the library that the desk knows, for their types. */
const SHARED = ['features/desk/desk-extension.ts', 'features/desk/desk-model.ts'];

const layerOf = (file: string): number =>
  LAYERS.findIndex((layer) => layer.includes(file.split('/')[0] ?? ''));

const imports = globSync('**/*.{ts,tsx}', { cwd: DESK }).flatMap((file) =>
  [...readFileSync(join(DESK, file), 'utf8').matchAll(/import (type )?[^;]*?from '(\.[^']+)';/g)].map(
    ([, type, path = '']) => ({
      file,
      isType: type !== undefined,
      target: join(dirname(join(DESK, file)), path),
    }),
  ),
);

describe('the desk', () => {
  it('knows types of its server only', () => {
    const outside = imports.filter(({ target }) => relative(DESK, target).startsWith('..'));
    expect([...new Set(outside.map(({ target }) => relative(join(ROOT, 'src'), target)))].sort()).toEqual(
      SHARED,
    );
    expect(outside.every(({ isType }) => isType)).toBe(true);
    expect(outside.length).toBeGreaterThan(0);
  });

  it('imports from lower layers only', () => {
    const inside = imports
      .filter(({ target }) => !relative(DESK, target).startsWith('..'))
      .map(({ file, target }) => ({ file, to: relative(DESK, target) }));
    expect(inside.filter(({ file, to }) => layerOf(to) > layerOf(file) || layerOf(to) === -1)).toEqual([]);
    expect(inside.length).toBeGreaterThan(100);
  });
});
