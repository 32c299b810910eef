/** Every snippet of the documentation compiles, every option is documented, every link leads somewhere. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import { DEFAULT_SETTINGS } from '../src/settings.ts';

const root = resolve(import.meta.dirname, '..');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
];
const read = (page: string): string => readFileSync(join(root, page), 'utf8');

/** The TypeScript blocks of a page, as files of their own beside the tests. */
const snippets = pages.flatMap((page) =>
  [...read(page).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ''], i) => ({
    file: join(root, 'test', `${page.replace(/\W/g, '-')}-${i}.ts`),
    code,
  })),
);

function compileErrors(): string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => readFileSync(path, 'utf8')) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const virtual = new Map(snippets.map(({ file, code }) => [file, code]));
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => virtual.has(path) || fileExists(path);
  host.readFile = (path) => virtual.get(path) ?? readFile(path);
  host.getSourceFile = (path, languageVersion, ...rest) => {
    const code = virtual.get(path);
    return code === undefined
      ? getSourceFile.call(host, path, languageVersion, ...rest)
      : ts.createSourceFile(path, code, languageVersion);
  };
  const program = ts.createProgram([...virtual.keys()], { ...options, noEmit: true }, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) =>
        `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
}

describe('documentation', () => {
  it('has snippets, and all of them compile', () => {
    expect(snippets.length).toBeGreaterThan(4);
    expect(compileErrors()).toEqual([]);
  });

  it('names every setting and limit with its default', () => {
    const page = read('docs/options.md');
    const { limits, load, ...settings } = DEFAULT_SETTINGS;
    expect(Object.keys(settings).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    expect(
      Object.entries({ ...limits, ...load }).filter(
        ([name, value]) => !page.includes(`| \`${name}\` | ${value} |`),
      ),
    ).toEqual([]);
  });

  it.each(pages)('%s links only to what is there', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target = '']) => target);
    expect(links.filter((target) => !existsSync(resolve(root, dirname(page), target)))).toEqual([]);
  });

  it('keeps the code map short', () => {
    expect(read('docs/architecture.md').split('\n').length).toBeLessThanOrEqual(90);
  });

  describe('CONTRIBUTING.md', () => {
    const page = read('CONTRIBUTING.md');
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = new Set(
      [...page.matchAll(/npm (?:run )?([a-z][\w:]*)/g)]
        .map(([, name = '']) => name)
        .filter((name) => name !== 'ci'),
    );

    it('names only commands that there are', () => {
      expect([...named].filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
    });

    it('names every command that shows something about the code', () => {
      const showing = /^(test|lint|format|typecheck|check|build|bench|faults|conformance|fuzz:\w+)$/;
      expect(Object.keys(scripts).filter((name) => showing.test(name) && !named.has(name))).toEqual([]);
    });

    it('says what .ci/run runs', () => {
      const steps = [...read('.ci/run').matchAll(/^step \w+ npm run --silent ([\w:]+)/gm)].map(
        ([, name = '']) => name,
      );
      expect(steps.filter((name) => !named.has(name))).toEqual([]);
      expect(steps).toEqual(
        expect.arrayContaining(['lint', 'typecheck', 'build', 'test', 'conformance', 'fuzz:leak']),
      );
    });
  });
});
