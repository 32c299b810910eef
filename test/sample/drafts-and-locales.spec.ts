/** docs/drafts-and-locales.md: its requests, in order, against a newly started sample. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createAtlas } from '../../sample-app/atlas.ts';
import { AtlasLoader } from '../../sample-app/loader/atlas-loader.ts';
import { runToken as run } from '../../src/module/token-command.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/drafts-and-locales.md'), 'utf8');

interface Block {
  readonly kind: string;
  readonly text: string;
}

const [start, ...blocks]: readonly Block[] = [...PAGE.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(
  ([, kind = '', text = '']) => ({ kind, text }),
);
const scripts = blocks.filter(({ kind }) => kind === 'sh');

/** Returns the response below a script in the page, or null. */
const shownBelow = (script: Block): object | null => {
  const next = blocks[blocks.indexOf(script) + 1];
  return next?.kind === 'json' ? (JSON.parse(next.text) as object) : null;
};

/** Separates the outputs of two scripts. */
const MARK = '---';

/**
 * Returns the last response that each script prints. A response begins a line; its documents may begin
 * others.
 */
async function responsesOf(url: string, token: string): Promise<string[]> {
  const text = ['set -eu', `TOKEN=${token}`, ...scripts.map(({ text }) => `${text}\necho '${MARK}'`)].join(
    '\n',
  );
  const { stdout } = await promisify(execFile)('bash', ['-c', text.replaceAll('http://localhost:3000', url)]);
  return stdout.split(`${MARK}\n`).map((output) => output.split(/^(?=\{)/m).at(-1) ?? '');
}

describe('docs/drafts-and-locales.md', () => {
  let database: TestDatabase;
  let app: NestExpressApplication;
  let answers: readonly string[];

  beforeAll(async () => {
    database = await createDatabase();
    app = await createAtlas({ databaseUrl: database.url });
    await app.get(AtlasLoader).load();
    await app.listen(0);
    const url = (await app.getUrl()).replace('[::1]', 'localhost');
    answers = await responsesOf(url, await madeToken());
  });

  afterAll(async () => {
    await app?.close();
    await database.drop();
  });

  /** Returns the token that the command of the page creates. */
  async function madeToken(): Promise<string> {
    const [, args = ''] = /cli\.js (token [^|]*) \|/.exec(start?.text ?? '') ?? [];
    const module = join(ROOT, 'sample-app/token-module.ts');
    const before = process.env['DATABASE_URL'];
    process.env['DATABASE_URL'] = database.url;
    try {
      const said = await run(args.replace('dist-sample/token-module.js', module).split(' '), {});
      return said.split('\n').at(-1) ?? '';
    } finally {
      if (before === undefined) delete process.env['DATABASE_URL'];
      else process.env['DATABASE_URL'] = before;
    }
  }

  it('has many requests, and the responses of most of them', () => {
    expect(scripts.length).toBeGreaterThan(15);
    expect(scripts.filter((script) => shownBelow(script) !== null).length).toBeGreaterThan(14);
  });

  const shown = scripts.flatMap((script, i): [string, number, object][] => {
    const expected = shownBelow(script);
    return expected === null ? [] : [[script.text.trim().split('\n').at(-1) ?? '', i, expected]];
  });

  it.each(shown)('%s', (_command, i, expected) => {
    expect(JSON.parse(answers[i] ?? '')).toMatchObject(expected);
  });

  it('leaves an atlas that the next start accepts', async () => {
    expect(await app.get(AtlasLoader).load()).toBe(false);
  });
});
