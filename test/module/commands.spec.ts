/** Mistakes on the command line: one message each, which says what to do. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { jest } from '@jest/globals';
import { run } from '../../src/module/command-line.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const FIXTURE = join(import.meta.dirname, 'commands.fixture.ts');

const SURROUNDINGS = { env: {}, say: () => undefined };

describe('a command reports', () => {
  let database: TestDatabase;
  let folder: string;
  beforeAll(async () => {
    database = await createDatabase();
    folder = await mkdtemp(join(tmpdir(), 'commands-'));
    const limited = new URL(database.url);
    limited.searchParams.set('options', '-c role=pg_monitor');
    process.env['COMMANDS_DATABASE'] = database.url;
    process.env['COMMANDS_LIMITED'] = limited.href;
    await writeFile(join(folder, 'wrong.js'), 'not a module');
    await writeFile(join(folder, 'text'), 'text');
    await writeFile(join(folder, 'cut'), gzipSync('{"format":').subarray(0, 15));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await database.drop();
  });

  const messageOf = (...args: readonly string[]): Promise<string> =>
    run(args, SURROUNDINGS).then(
      (output) => `no error: ${output}`,
      (error: unknown) => (error as Error).message,
    );

  it('mistakes in grants once', async () => {
    const written: string[] = [];
    const spies = (['stdout', 'stderr'] as const).map((name) =>
      jest.spyOn(process[name], 'write').mockImplementation((text) => {
        written.push(String(text));
        return true;
      }),
    );
    try {
      expect(await messageOf('check', '--module', `${FIXTURE}#Misspelt`)).toBe(
        'The grants have 1 mistake:\n  - access.public.note: "finde" is not an action; did you mean "find"?',
      );
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
    expect(written).toEqual([]);
  });

  it.each([
    [() => folder, /^\S+ is a folder: give the compiled file, for example dist\/app\.module\.js$/],
    [() => join(folder, 'wrong.js'), /^\S+wrong\.js cannot be loaded: Unexpected identifier/],
    [() => `${FIXTURE}#number`, /^number of \S+ is not a Nest module$/],
    [() => `${FIXTURE}#Twice`, /^--module imports ContentModule several times: name a module that/],
    [() => `${FIXTURE}#WithoutContent`, /^The module of your application does not import ContentModule$/],
  ])('the mistake in --module %s', async (reference, message) => {
    for (const command of [['check'], ['migration'], ['export', join(folder, 'none')]])
      expect(await messageOf(...command, '--module', reference())).toMatch(message);
  });

  it('an export that the module does not have, although it has a default one', async () => {
    expect(await messageOf('check', '--module', `${FIXTURE}#Limitid`)).toMatch(
      /commands\.fixture\.ts exports no Limitid; did you mean "Limited"\?$/,
    );
    const ofDefault = await messageOf('check', '--module', FIXTURE);
    expect(ofDefault).toBe(await messageOf('check', '--module', `${FIXTURE}#App`));
  });

  it('nothing wrong in an export of CommonJS that Node finds only in the default one', async () => {
    // Written as SWC does, with which Nest can compile.
    const file = join(folder, 'several.cjs');
    await writeFile(
      file,
      `Object.defineProperty(exports, '__esModule', { value: true });
       const all = { get AppModule() { return AppModule; }, get Other() { return 5; } };
       for (const name in all)
         Object.defineProperty(exports, name, { enumerable: true, get: () => all[name] });
       class AppModule {}`,
    );
    for (const reference of [file, `${file}#AppModule`])
      expect(await messageOf('check', '--module', reference)).toBe(
        'The module of your application does not import ContentModule',
      );
    expect(await messageOf('check', '--module', `${file}#Other`)).toMatch(
      /^Other of \S+ is not a Nest module$/,
    );
  });

  it('an unreachable database, and missing tables', async () => {
    const file = join(folder, 'never');
    expect(await messageOf('export', file, '--module', `${FIXTURE}#Unreachable`)).toMatch(
      /ECONNREFUSED.*\. Check that the server runs, and its address$/,
    );
    expect(await messageOf('export', file, '--module', `${FIXTURE}#App`)).toMatch(
      /^The database cannot be used: 42P01 .* run "npx nestjs-content-api migration" and the migrations/,
    );
  });

  it('folders that it cannot use', async () => {
    const app = ['--module', `${FIXTURE}#App`];
    const text = join(folder, 'text');
    expect(await messageOf('migration', ...app, '--path', text)).toBe(
      `Cannot use ${text}: it already exists`,
    );
    expect(await messageOf('migration', ...app, '--path', join(text, 'in'))).toBe(
      `Cannot use ${join(text, 'in')}: a part of the path is a file`,
    );
  });

  it('options about a file when it writes none', async () => {
    const app = ['--module', `${FIXTURE}#App`, '--apply'];
    const message = '--apply writes no file: leave out --path and --name';
    expect(await messageOf('migration', ...app, '--name', 'tags')).toBe(message);
    expect(await messageOf('migration', ...app, '--path', folder)).toBe(message);
  });

  it('a missing privilege, and a missing folder', async () => {
    expect(await run(['migration', '--apply', '--module', `${FIXTURE}#App`], SURROUNDINGS)).toMatch(/Done$/);
    expect(await messageOf('export', join(folder, 'never'), '--module', `${FIXTURE}#Limited`)).toMatch(
      /^permission denied for \S+ content_\S+. Grant the privilege to the role of the connection$/,
    );
    const file = join(folder, 'no/file');
    expect(await messageOf('export', file, '--module', `${FIXTURE}#App`)).toBe(
      `Cannot use ${file}.unfinished: it does not exist, or its folder`,
    );
  });

  it('a file that is not an archive', async () => {
    const app = ['--module', `${FIXTURE}#App`];
    expect(await messageOf('import', folder, ...app)).toBe(`${folder} is a folder, not an archive`);
    expect(await messageOf('import', join(folder, 'text'), ...app)).toBe(
      'This is not a content archive, or it is damaged',
    );
    expect(await messageOf('import', join(folder, 'cut'), ...app)).toBe('The archive is not complete');
  });
});

it.each(['--version', '-v'])('%s prints the version of the package', async (option) => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(await run([option], SURROUNDINGS)).toBe(version);
});

describe('help', () => {
  const names = ['token', 'files', 'user', 'access', 'desk', 'webhooks', 'events', 'audit', 'erase'];
  const more = ['check', 'migration', 'export', 'import', 'adopt', 'recount', 'types'];

  it.each([...names, ...more])('of "%s" is its usage', async (name) => {
    for (const option of ['--help', '-h'])
      expect(await run([name, option], SURROUNDINGS)).toMatch(
        new RegExp(`^Usage: nestjs-content-api ${name}\\b`),
      );
  });

  it('lists all commands', async () => {
    for (const word of ['--help', '-h', 'help'])
      expect(await run([word], SURROUNDINGS)).toMatch(/^Usage: nestjs-content-api <command>\n/);
  });
});
