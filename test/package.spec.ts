/** Files that `npm pack` puts into the package, and their use in a project. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(import.meta.dirname, '..');
const readJson = <T>(file: string): T => JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as T;

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const manifest = readJson<Manifest>('package.json');

const filesBelow = (folder: string, end: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith(end));

const SOURCES = filesBelow('src', '.ts');
/** Files that the build creates from `src`. */
const BUILT = SOURCES.flatMap((file) =>
  ['.js', '.d.ts', '.d.ts.map'].map((end) => `dist/${file.replace(/\.ts$/, end)}`),
);
const PAGES = filesBelow('docs', '.md').map((page) => `docs/${page}`);
const BESIDE = [
  'docs/images/desk-list-light.png',
  'docs/images/desk-conflict-light.png',
  'docs/images/desk-history-light.png',
  'docs/images/desk-audit-light.png',
  'docs/images/desk-release-light.png',
  'docs/images/sample-home-light.png',
  'package.json',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
];
/** Declarations that no entry reaches. */
const LEFT_OUT = /^dist\/features\/(?:adopt|compare|openapi)\/.*\.d\.ts(?:\.map)?$/;
const EXPECTED = [
  ...BUILT.filter((file) => !LEFT_OUT.test(file)),
  ...SOURCES.map((file) => `src/${file}`),
  ...PAGES,
  ...BESIDE,
].sort();

/** Copies the committed files, adds empty files in place of the build, and runs `npm pack`. */
function pack(): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'content-pack-'));
  try {
    for (const name of [...BESIDE, 'docs', 'src', 'sample-app', 'tsconfig.json', 'jest.config.js'])
      cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    for (const file of [...BUILT, 'dist-sample/main.js', 'test/package.spec.ts']) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
    const npm = process.env['npm_execpath'];
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=silent'];
    const [program, ...before] = npm === undefined ? ['npm'] : [process.execPath, npm];
    const said = execFileSync(program, [...before, ...args], { cwd: folder, encoding: 'utf8' });
    const [packed] = Object.values(JSON.parse(said) as Record<string, { files: { path: string }[] }>);
    return (packed?.files ?? []).map(({ path }) => path).sort();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the package', () => {
  it('S6: contains the build, its source, the documentation, the licence and the changelog, and nothing else', () => {
    expect(pack()).toEqual(EXPECTED);
  });

  it('N5: declarations link to their source in the package; scripts are not minified', () => {
    const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.build.json'), ts.sys.readFile) as {
      config: object;
    };
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
    expect(options).toMatchObject({ declaration: true, declarationMap: true });
    expect([options.sourceMap, options.inlineSourceMap]).toEqual([undefined, undefined]);
  });

  it.each(['README.md', 'CHANGELOG.md', ...PAGES])('S6: %s links only to files in the package', (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !EXPECTED.includes(normalize(join(dirname(page), link))))).toEqual([]);
  });

  it('M8: TypeScript finds the types of every entry, also with "moduleResolution": "node10"', () => {
    const there = (file: string): boolean =>
      file === '/app/node_modules/nestjs-content-api/package.json' ||
      EXPECTED.some((one) => file === `/app/node_modules/nestjs-content-api/${one}`);
    const host: ts.ModuleResolutionHost = { fileExists: there, readFile: () => JSON.stringify(manifest) };
    const entries = Object.entries(manifest.exports).flatMap(([path, target]) =>
      typeof target === 'string' ? [] : [{ name: join('nestjs-content-api', path), types: target.types }],
    );
    expect(entries.map(({ name }) => name)).toEqual([
      'nestjs-content-api',
      'nestjs-content-api/accounts',
      'nestjs-content-api/desk',
      'nestjs-content-api/events',
      'nestjs-content-api/files',
      'nestjs-content-api/history',
      'nestjs-content-api/releases',
      'nestjs-content-api/s3',
      'nestjs-content-api/testing',
      'nestjs-content-api/types',
    ]);
    for (const moduleResolution of [ts.ModuleResolutionKind.Node10, ts.ModuleResolutionKind.NodeNext])
      for (const { name, types } of entries) {
        const { resolvedModule } = ts.resolveModuleName(name, '/app/main.ts', { moduleResolution }, host);
        expect(resolvedModule?.resolvedFileName).toBe(join('/app/node_modules/nestjs-content-api', types));
      }
  });
});

/** Returns a version as one comparable number. */
const rank = (version: string): number => {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return (major * 1000 + minor) * 1000 + patch;
};

describe('the required version of Node', () => {
  const needed = manifest.engines.node.replace('>=', '');

  it('N4, N6: is the highest version that a dependency requires', () => {
    const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    const asked = names.map((name) => {
      const { engines = {} } = readJson<{ engines?: { node?: string } }>(`node_modules/${name}/package.json`);
      return /^>= ?([\d.]+)$/.exec(engines.node ?? '')?.[1] ?? '0';
    });
    expect(Math.max(...asked.map(rank))).toBe(rank(needed));
  });

  it('N4, N6: is named in the README, and the repository has a newer one', () => {
    expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain(`Node ${needed.replace(/\.0$/, '')}`);
    expect(rank((manifest.devDependencies['node'] ?? '').replace('^', ''))).toBeGreaterThan(rank(needed));
    expect(rank(process.versions.node)).toBeGreaterThanOrEqual(rank(needed));
  });
});
