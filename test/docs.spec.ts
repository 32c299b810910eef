/** Every snippet of the documentation compiles, every option is documented, every link has a target. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { ContentService } from '../src/content/documents/content.service.ts';
import { ATTRIBUTE_OPTIONS, COMPONENT_OPTIONS, TYPE_OPTIONS } from '../src/content/model/options.ts';
import { isScalarType } from '../src/content/model/scalar-types.ts';
import { LocalStorage } from '../src/features/media/local-storage.ts';
import { resolveUsersOptions } from '../src/features/accounts/users.options.ts';
import { resolveEventsOptions } from '../src/features/events/events.options.ts';
import { resolveReleasesOptions } from '../src/features/releases/releases.options.ts';
import { resolveDeskOptions } from '../src/features/desk/desk.options.ts';
import { resolveFilesOptions } from '../src/features/media/files.options.ts';
import { run } from '../src/module/command-line.ts';
import { DEFAULT_SETTINGS } from '../src/kernel/settings.ts';

const root = resolve(import.meta.dirname, '..');
const pages = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/*.md', { cwd: root }).sort()];
const read = (page: string): string => readFileSync(join(root, page), 'utf8');

/**
 * TypeScript blocks of a page, as separate files in the folder of the tests. A block that others import has
 * the name in the line before it.
 */
const snippets = pages.flatMap((page) =>
  [...read(page).matchAll(/(?:`src\/([\w.-]+)`[^\n]*\n\n)?```ts\n([\s\S]*?)```/g)].map(
    ([, named, code = ''], i) => ({
      file: join(root, 'test', named ?? `${page.replace(/\W/g, '-')}-${i}.ts`),
      code,
      page,
    }),
  ),
);

/** Returns the anchors of a page: its headings, in the spelling of GitHub and npm. */
const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

/** Returns the error of a link, or undefined. */
function brokenLink(page: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : relative(root, resolve(root, dirname(page), path));
  if (!existsSync(join(root, target))) return link;
  return anchor === undefined || anchorsOf(target).includes(anchor) ? undefined : `${link}: no such heading`;
}

/** Returns the rows of the tables below a heading, each as the text of its cells. */
function rowsUnder(page: string, heading: string): string[][] {
  const section = read(page).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| option '));
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split(' | ')
      .map((cell) => cell.trim()),
  );
}

const quoted = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

/** Returns the attribute types of a cell of the option table. */
function typesIn(cell: string): string[] {
  const all = Object.keys(ATTRIBUTE_OPTIONS);
  if (cell === 'every attribute') return all;
  return cell === 'every scalar' ? all.filter(isScalarType) : quoted(cell);
}

/**
 * Programs of snippets: a page that registers a model is a separate program, because a registration applies
 * globally.
 */
const programs = ((): (typeof snippets)[] => {
  const registering = pages.filter((page) => read(page).includes('interface Register'));
  const own = (page: string) => snippets.filter((snippet) => snippet.page === page);
  return [snippets.filter(({ page }) => !registering.includes(page)), ...registering.map(own)];
})();

/** Returns the errors of all programs. The library is parsed once for all of them and checked elsewhere. */
function compileErrors(): string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile) as { config: unknown };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const parsed = new Map<string, ts.SourceFile | undefined>();
  return programs.flatMap((of) => {
    const virtual = new Map(of.map(({ file, code }) => [file, code]));
    const host = ts.createCompilerHost(options);
    const { fileExists, readFile, getSourceFile } = host;
    host.fileExists = (path) => virtual.has(path) || fileExists(path);
    host.readFile = (path) => virtual.get(path) ?? readFile(path);
    host.getSourceFile = (path, languageVersion, ...rest) => {
      const code = virtual.get(path);
      if (code !== undefined) return ts.createSourceFile(path, code, languageVersion);
      if (!parsed.has(path)) parsed.set(path, getSourceFile.call(host, path, languageVersion, ...rest));
      return parsed.get(path);
    };
    const program = ts.createProgram([...virtual.keys()], { ...options, noEmit: true }, host);
    const ofFile = (file: string): readonly ts.Diagnostic[] => {
      const source = program.getSourceFile(file);
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    };
    return [
      ...program.getOptionsDiagnostics(),
      ...program.getGlobalDiagnostics(),
      ...[...virtual.keys()].flatMap(ofFile),
    ].map(
      ({ file, messageText }) =>
        `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  });
}

describe('documentation', () => {
  it('has snippets, and all of them compile', () => {
    expect(snippets.length).toBeGreaterThan(4);
    expect(compileErrors()).toEqual([]);
  });

  it('has an index with every page', () => {
    const linked = [...read('docs/README.md').matchAll(/\]\(([\w-]+\.md)\)/g)].map(
      ([, page]) => `docs/${page}`,
    );
    const all = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
    expect([...new Set(linked)].sort()).toEqual(all.sort());
  });

  it('lists every option of files', () => {
    const { scratch: _scratch, ...options } = resolveFilesOptions({ storage: new LocalStorage('x') });
    const named = rowsUnder('docs/files.md', 'Options').flatMap(([name]) => quoted(name));
    expect(named.sort()).toEqual(Object.keys(options).sort());
  });

  it('lists every option of releases', () => {
    const named = rowsUnder('docs/releases.md', 'Options').flatMap(([name]) => quoted(name));
    expect(named).toEqual(Object.keys(resolveReleasesOptions({})));
  });

  it('lists every option of the desk', () => {
    const { images: _images, frames: _frames, preview, look, ...options } = resolveDeskOptions({});
    const named = rowsUnder('docs/desk.md', 'Options').flatMap(([name]) => quoted(name));
    const nested = [
      'origins.images',
      'origins.frames',
      ...Object.keys(preview).map((one) => `preview.${one}`),
      ...Object.keys(look).map((one) => `look.${one}`),
    ];
    expect(named.sort()).toEqual([...Object.keys(options), ...nested].sort());
  });

  it('lists every option of events', () => {
    const {
      endpoints: _endpoints,
      allow: _allow,
      signingKey: _key,
      timeout: _timeout,
      live: _live,
      ...options
    } = resolveEventsOptions({});
    const ofWebhooks = ['endpoints', 'allow', 'signingKey', 'timeoutSeconds'];
    const ofLive = ['secret', 'maxListeners', 'heartbeatSeconds'];
    const inside = [...ofWebhooks.map((name) => `webhooks.${name}`), ...ofLive.map((name) => `live.${name}`)];
    const named = rowsUnder('docs/events.md', 'Options').map(([name]) => quoted(name)[0]);
    expect(named.sort()).toEqual([...Object.keys(options), ...inside].sort());
  });

  it('lists every setting and limit with its default', () => {
    const page = read('docs/options.md');
    const { limits, load, ...settings } = DEFAULT_SETTINGS;
    expect(Object.keys(settings).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    expect(
      Object.entries({ ...limits, ...load }).filter(
        ([name, value]) => !page.includes(`| \`${name}\` | ${value} |`),
      ),
    ).toEqual([]);
  });

  it('lists every command, and no other', async () => {
    const usage = await run(['--help'], { env: {}, say: () => undefined });
    const commands = [...usage.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = '']) => name);
    const named = rowsUnder('docs/options.md', 'Commands').flatMap(([name]) => quoted(name));
    expect(commands.length).toBeGreaterThan(6);
    expect(named.filter((name) => name !== 'command').sort()).toEqual(commands.sort());
  });

  it('lists every option of users', () => {
    const {
      secrets: _secrets,
      claims: _claims,
      ...options
    } = resolveUsersOptions({ secret: 'a secret of 32 bytes, and of more than that' });
    const named = rowsUnder('docs/accounts.md', 'Users and roles').flatMap(([name]) => quoted(name));
    expect(named).toEqual(expect.arrayContaining(['secret', 'issuer', 'audience', ...Object.keys(options)]));
  });

  it('M5: lists the attribute types of every attribute option, and no other', () => {
    const documented = rowsUnder('docs/content-types.md', 'Options of attributes').flatMap(
      ([options, types = '']) =>
        quoted(options).flatMap((name) => typesIn(types).map((type) => `${type}.${name}`)),
    );
    const taken = Object.entries(ATTRIBUTE_OPTIONS).flatMap(([type, options]) =>
      Object.keys(options).map((name) => `${type}.${name}`),
    );
    expect(documented.sort()).toEqual(taken.sort());
  });

  it('M5: lists every option of types and components', () => {
    const rows = rowsUnder('docs/content-types.md', 'Options of types').map(([name]) => quoted(name)[0]);
    expect([...rows, 'kind'].sort()).toEqual(Object.keys(TYPE_OPTIONS).sort());
    const page = read('docs/content-types.md');
    expect(Object.keys(COMPONENT_OPTIONS).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('M5: lists every method of ContentService, with its parameters', () => {
    const PRIVATE = ['constructor', 'plan', 'planWrite'];
    const methods = Object.getOwnPropertyNames(ContentService.prototype).filter(
      (name) => !PRIVATE.includes(name),
    );
    const documented = rowsUnder('docs/services.md', 'Methods').flatMap(([call]) => quoted(call));
    expect(methods.length).toBeGreaterThan(8);
    for (const method of methods) expect(documented).toContainEqual(expect.stringMatching(`^${method}\\(`));
  });

  it.each(pages)('%s has only links with a target', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link = '']) => link);
    expect(links.flatMap((link) => brokenLink(page, link) ?? [])).toEqual([]);
  });

  it('docs/clients.md shows the code of the sample site as it is', () => {
    const excerpts = [...read('docs/clients.md').matchAll(/```js\n([\s\S]*?)```/g)].map(
      ([, code = '']) => code,
    );
    const files = globSync('sample-app/site/*.js', { cwd: root }).map(read);
    expect(excerpts.length).toBeGreaterThan(2);
    expect(excerpts.filter((code) => !files.some((file) => file.includes(code)))).toEqual([]);
  });

  it('docs/clients.md has a row for every tested client, with the installed version', () => {
    const installed = JSON.parse(read('test/clients/installed/package.json')) as {
      dependencies: Record<string, string>;
    };
    const rows = [...read('docs/clients.md').matchAll(/^\| `([^`]+)` (\S+) \| (.*) \| (.*) \|$/gm)];
    const run = [...read('test/clients/checks.ts').matchAll(/^ {2}\{ name: '([^']+)', checks/gm)];
    expect(run.length).toBeGreaterThan(6);
    expect(rows.map(([, name = '']) => name)).toEqual(run.map(([, name]) => name));
    for (const [, name = '', version] of rows) expect(version).toBe(installed.dependencies[name]);
  });

  describe('docs/architecture.md', () => {
    const [map = '', glossary = ''] = read('docs/architecture.md').split('\n## Glossary\n');

    it('has at most 140 lines without its diagram, and 50 terms', () => {
      const lines = map.replaceAll(/```mermaid\n[\s\S]*?```\n/g, '');
      expect(lines.split('\n').length).toBeLessThanOrEqual(140);
      const words = [...glossary.matchAll(/^\| (?!term |---)([^|]+) \|/gm)].map(([, word = '']) => word);
      expect(words.length).toBeGreaterThan(20);
      expect(words.length).toBeLessThanOrEqual(50);
      expect(new Set(words).size).toBe(words.length);
    });

    it('names only files that exist', () => {
      const floors = /^\| \d+ \| `([\w/]+\/)` \|.*\| ([^|]+) \|$/gm;
      const named = (text: string): string[] =>
        [...text.matchAll(/`([\w./-]+(?:\.ts|\/))`/g)].map(([, file = '']) => file);
      const ofRooms = [...map.matchAll(floors)].flatMap(([, room = '', files = '']) =>
        named(files).map((file) => `${room}${file}`),
      );
      const elsewhere = named(`${map.replace(floors, '')}${glossary}`);
      const files = [...ofRooms, ...elsewhere];
      expect(files.length).toBeGreaterThan(80);
      const missing = files.filter(
        (file) => !existsSync(join(root, 'src', file)) && !existsSync(join(root, file)),
      );
      expect(missing).toEqual([]);
    });
  });

  describe('CONTRIBUTING.md', () => {
    const page = read('CONTRIBUTING.md');
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = new Set(
      [...page.matchAll(/npm (?:run )?([a-z][\w:]*)/g)]
        .map(([, name = '']) => name)
        .filter((name) => name !== 'ci'),
    );

    it('names only files that exist', () => {
      const files = [...page.matchAll(/`((?:test|src|bench|docs)\/[\w./-]+)`/g)].map(([, file = '']) => file);
      expect(files.length).toBeGreaterThan(50);
      expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    });

    it('names only commands that exist', () => {
      expect([...named].filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
    });

    it('names every command but parts of others, and `start`, which the README explains', () => {
      const isPart = (name: string): boolean => /^pre|^build:|^start$/.test(name);
      expect(Object.keys(scripts).filter((name) => !isPart(name) && !named.has(name))).toEqual([]);
    });

    it('names the commands of .ci/run', () => {
      const script = (file: string): string | undefined =>
        Object.keys(scripts).find((name) => scripts[name]?.endsWith(file));
      const steps = [
        ...read('.ci/run').matchAll(
          /^ *step (?:\w+|".+?") npm (?:run --silent ([\w:]+)|exec -c .*?(test\/[\w/.]+))/gm,
        ),
      ].map(([, name, file = '']) => name ?? script(file) ?? file);
      expect(steps.filter((name) => !named.has(name))).toEqual([]);
      expect(steps).toEqual(
        expect.arrayContaining(['lint', 'typecheck', 'build', 'test', 'proofs', 'conformance', 'fuzz:leak']),
      );
    });
  });
});
