/** Export and import: the target responds to all requests like the source. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ContentArchive } from 'nestjs-content-api';
import type * as DatabaseRoom from '../../src/content/store/database.ts';
import { run } from '../../src/module/command-line.ts';
import { snapshot } from '../http/helpers.ts';
import type { Host } from '../http/helpers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { loadRoom } from '../support/rooms.ts';
import { rewritten } from './rewritten.ts';
import { answers, directoryOf, fill, send, startWorld } from './world.ts';

const { Database } = await loadRoom<typeof DatabaseRoom>('content/store/database');

const deadlock = (): Error => Object.assign(new Error('deadlock detected'), { code: '40P01' });

describe('an archive', () => {
  const databases: TestDatabase[] = [];
  const hosts: Host[] = [];
  let folder: string;
  let file: string;
  let source: Host;
  let target: Host;
  let before: Record<string, string>;

  const start = async (): Promise<Host> => {
    const database = await createDatabase();
    databases.push(database);
    const host = await startWorld(database);
    hosts.push(host);
    return host;
  };
  const archive = ({ app }: Host): ContentArchive => app.get(ContentArchive);
  const from = (path: string) => () => createReadStream(path);
  const lines = async (): Promise<string[]> =>
    gunzipSync(await readFile(file))
      .toString()
      .split('\n');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'archive-'));
    file = join(folder, 'content.gz');
    source = await start();
    await fill(source, 7);
    before = await answers(source);
    await archive(source).export(createWriteStream(file));
    target = await start();
  });
  afterAll(async () => {
    for (const host of hosts) await host.close();
    for (const { url } of databases) await rm(directoryOf(url), { recursive: true, force: true });
    for (const database of databases) await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('holds no password, no token and no session', async () => {
    // The header describes the model, which names attributes.
    const text = (await lines()).slice(1).join('\n');
    for (const word of [
      'argon2',
      'sessions',
      'reset_password',
      'confirmation_token',
      'api_token',
      '"key"',
      '"pin"',
    ])
      expect(text.includes(word)).toBe(false);
    expect(text).toContain('ann@example.com');
  });

  it('a dry run says that nothing is in the way, and writes nothing', async () => {
    const rows = await snapshot(target);
    expect(await archive(target).import(from(file), { dryRun: true })).toMatchObject({
      conflicts: [],
      imported: 0,
    });
    expect(await snapshot(target)).toEqual(rows);
  });

  it('makes an empty system answer the same, byte for byte, on all routes, in all states and locales', async () => {
    const result = await archive(target).import(from(file));
    expect(result).toMatchObject({ replaced: 0, same: 0, skipped: 0, conflicts: [] });
    expect(result.imported).toBeGreaterThan(10);
    expect(await answers(target)).toEqual(before);
    expect(Object.values(before).filter((answer) => answer.startsWith('200')).length).toBeGreaterThan(20);
  });

  it('what is written afterwards gets numbers that nothing has, and its place behind all others', async () => {
    const highest = async (host: Host) =>
      (await host.sql('select max(id)::int as id from stories'))[0]?.['id'] as number;
    const made = await send(target, 'POST', 'stories?populate=lead', {
      data: { title: 'later', lead: { label: 'x' } },
    });
    expect(made.id).toBeGreaterThan(await highest(source));
    const known = (await lines()).join('\n').matchAll(/"w\.part".*?"id": (\d+)|"lead":\{"id": (\d+)/g);
    expect([...known].map(([, a, b]) => Number(a ?? b))).not.toContain(made.lead.id);
    await send(target, 'DELETE', `stories/${made.documentId}`);
  });

  it('imports once: the second time everything is there', async () => {
    const rows = await snapshot(target);
    expect(await archive(target).import(from(file))).toMatchObject({ imported: 0, replaced: 0, skipped: 0 });
    expect(await snapshot(target)).toEqual(rows);
  });

  it.each([{ onConflict: 'skip' }, { onConflict: 'skip', atOnce: 1 }] as const)(
    'keeps unused roles, unless the archive replaces them: %j',
    async (options) => {
      const [from, other] = [await start(), await start()];
      const create = (host: Host, name: string) =>
        send(host, 'POST', 'users-permissions/roles', { name, permissions: {} });
      await create(from, 'Translator');
      await create(from, 'Reviewer');
      await create(other, 'Printer');
      const moved = join(folder, `roles-${options.atOnce ?? 'all'}.gz`);
      await archive(from).export(createWriteStream(moved));
      await archive(other).import(() => createReadStream(moved), options);
      const rows = await other.sql('select name from content_roles order by name');
      const names = rows.map(({ name }) => name);
      for (const name of ['Printer', 'Reviewer', 'Translator']) expect(names).toContain(name);
    },
  );

  it.each([
    [true, 1],
    [false, 2],
  ])('a transaction that reads a snapshot (%s) is not repeated after a deadlock', async (snapshot, runs) => {
    let count = 0;
    const work = (): Promise<string> => {
      count += 1;
      return count === 1 ? Promise.reject(deadlock()) : Promise.resolve('');
    };
    await Promise.allSettled([source.app.get(Database).runAlone(work, { snapshot })]);
    expect(count).toBe(runs);
  });

  it.each([
    ['decimals', '{"n": 1.50, "list": [0.10, {"deep": 123456789.123456789}]}'],
    ['long integers', '[12345678901234567890, -1234567890123456789]'],
    ['exponents', '{"n":1e2,"small":[1.50e-7]}'],
    ['a member that is named like a column', '{"revision":9007199254740993,"id":9007199254740993}'],
  ])('rounds no number of a JSON value: %s', async (_, extra) => {
    const [other, open] = [
      await start(),
      await rewritten(file, (line) => line.replace(/"extra":\{"n": \d+\}/g, `"extra":${extra}`)),
    ];
    await archive(other).import(open);
    const wrong = `extra::text <> '${extra}'::jsonb::text`;
    expect(await other.sql(`select count(*)::int as n from stories where ${wrong}`)).toEqual([{ n: 0 }]);
    const revisions = 'select id, revision::text from stories order by id';
    expect(await other.sql(revisions)).toEqual(await source.sql(revisions));
  });

  it('says how many documents it has processed if a concurrent write stops it', async () => {
    const other = await start();
    const all = await lines();
    const last = JSON.parse(all[all.findIndex((line) => line.startsWith('{"end":"tag"')) - 1] ?? '');
    const { name } = await send(source, 'GET', `tags/${last.documentId}`);
    let opened = 0;
    // The import opens the archive to check it, and to write.
    const open = (): Readable =>
      Readable.from(
        (async function* () {
          opened += 1;
          if (opened === 2) await send(other, 'POST', 'tags', { data: { name } });
          yield* createReadStream(file);
        })(),
      );
    await expect(archive(other).import(open, { atOnce: 1 })).rejects.toThrow(
      /^The import stopped after [1-9]\d* documents: 1 conflicts with/,
    );
    await expect(archive(other).import(open, { atOnce: 1 })).rejects.toThrow(/^The import stopped after/);
  });

  describe('in a system that has been written meanwhile', () => {
    let story: any;
    let rival: any;
    beforeAll(async () => {
      [story] = await send(target, 'GET', 'stories?sort=id&pagination[limit]=1');
      await send(target, 'PUT', `stories/${story.documentId}`, { data: { rank: 99 } });
      const [red] = await send(target, 'GET', 'tags?filters[name]=red');
      await send(target, 'DELETE', `tags/${red.documentId}`);
      rival = await send(target, 'POST', 'tags', { data: { name: 'red' } });
    });

    it('lists what is in the way, and refuses it by default with nothing written', async () => {
      const rows = await snapshot(target);
      const { conflicts } = await archive(target).import(from(file), { dryRun: true });
      expect(conflicts).toEqual(
        expect.arrayContaining([
          { kind: 'content', type: 'story', documentId: story.documentId },
          expect.objectContaining({ kind: 'value', type: 'tag', attribute: 'name', other: rival.documentId }),
        ]),
      );
      await expect(archive(target).import(from(file))).rejects.toMatchObject({ conflicts });
      await expect(archive(target).import(from(file), { onConflict: 'replace' })).rejects.toMatchObject({
        conflicts: conflicts.filter(({ kind }) => kind === 'value'),
      });
      expect(await snapshot(target)).toEqual(rows);
    });

    it('skips what is there and imports the rest', async () => {
      const result = await archive(target).import(from(file), { onConflict: 'skip' });
      expect(result).toMatchObject({ imported: 0, replaced: 0 });
      expect(result.skipped).toBeGreaterThan(1);
      expect(await send(target, 'GET', `stories/${story.documentId}`)).toMatchObject({ rank: 99 });
    });

    it('replaces what is there, once nothing else is in the way; what no archive holds stays', async () => {
      await send(target, 'DELETE', `tags/${rival.documentId}`);
      await target.sql(`update content_users set sessions = '[{"id":"x"}]', blocked = true`);
      const result = await archive(target).import(from(file), { onConflict: 'replace' });
      expect(result.replaced).toBeGreaterThan(1);
      expect(await answers(target)).toEqual(before);
      expect(await target.sql('select sessions, blocked from content_users')).toEqual([
        { sessions: [{ id: 'x' }], blocked: false },
      ]);
    });
  });

  describe('what is not a whole archive of this model is refused, with nothing written', () => {
    const whole = async (): Promise<string> => (await lines()).join('\n');
    it.each([
      ['what is not gzip', async () => Buffer.from('hello'), /damaged/],
      ['what is not an archive', async () => gzipSync('{"hello":1}\n'), /not a content archive/],
      [
        'another version',
        async () => gzipSync((await whole()).replace('"version":1', '"version":2')),
        /version 2/,
      ],
      [
        'a changed byte',
        async () => gzipSync((await whole()).replace('ann@', 'eve@')),
        /part "user" does not match its count or checksum/,
      ],
      [
        'a missing document',
        async () => gzipSync((await whole()).replace(/\{"documentId".*\n/, '')),
        /count or checksum/,
      ],
      [
        'a missing end',
        async () => gzipSync((await whole()).replace(/\{"complete".*\n/, '')),
        /not complete/,
      ],
      [
        'a missing part',
        async () => gzipSync((await whole()).replace(/\{"part":"contents"[^]*?\{"end".*\n/, '')),
        /^The archive is not complete$/,
      ],
      [
        'two archives in one file',
        async () => gzipSync(`${await whole()}${await whole()}`),
        /^This is not a content archive, or it is damaged$/,
      ],
      ['half a file', async () => (await readFile(file)).subarray(0, 2000), /damaged|not complete/],
      [
        'a part of another kind',
        async () => gzipSync((await whole()).replace('"part":"documents"', '"part":"../../etc/passwd"')),
        /unknown to this library/,
      ],
    ] as const)('%s', async (_, bytes, message) => {
      const rows = await snapshot(target);
      const given = await bytes();
      await expect(
        archive(target).import(() => Readable.from([given]), { onConflict: 'replace' }),
      ).rejects.toThrow(message);
      expect(await snapshot(target)).toEqual(rows);
    });

    it('a type and an attribute that the model does not have', async () => {
      const [header, ...rest] = await lines();
      const part = { part: 'documents', type: 'nobody', columns: {}, links: [], lastId: 0 };
      const text = [header, JSON.stringify(part), ...rest].join('\n');
      expect(text).toContain('nobody');
      const sum = createHash('sha256')
        .update(`${JSON.stringify(part)}\n`)
        .digest('hex');
      const parts = rest.filter((line) => line.startsWith('{"end"')).length + 1;
      const changed = [
        header,
        JSON.stringify(part),
        JSON.stringify({ end: 'nobody', documents: 0, sha256: sum }),
        ...rest.map((line) => line.replace(/"parts":\d+/, `"parts":${parts}`)),
      ].join('\n');
      const open = () => Readable.from([gzipSync(changed)]);
      expect(await archive(target).import(open, { dryRun: true })).toMatchObject({
        conflicts: [{ kind: 'type', type: 'nobody' }],
      });
      await expect(archive(target).import(open)).rejects.toThrow('Nothing was imported');
      await archive(target).import(open, { onConflict: 'skip' });
    });
  });

  describe('docs/moving-content.md', () => {
    const said: string[] = [];
    const command = (line: string, module: string): Promise<string> => {
      const words = line
        .replace('content.archive', join(folder, 'by-command'))
        .replace('dist/app.module.js#AppModule', `${join(import.meta.dirname, 'app.ts')}#${module}`)
        .split(' ');
      return run(words.slice(2), { env: {}, say: (one) => void said.push(one) });
    };
    let commands: string[];
    beforeAll(async () => {
      const page = await readFile(join(import.meta.dirname, '../../docs/moving-content.md'), 'utf8');
      commands = [...page.matchAll(/^npx nestjs-content-api .*$/gm)].map(([line]) => line);
      const empty = await start();
      process.env['ARCHIVE_SOURCE'] = source.database.url;
      process.env['ARCHIVE_TARGET'] = empty.database.url;
    });

    it('its commands export, look and import', async () => {
      const [exporting = '', looking = '', importing = '', trusting = ''] = commands;
      expect(await command(exporting, 'Source')).toMatch(/^Written: .*, 19 documents, 4 contents of files$/);
      expect(said).toContain('story: 7');
      await expect(command(exporting, 'Source')).rejects.toThrow('already exists');
      expect(await command(looking, 'Target')).toBe('No conflicts');
      expect(await command(`${trusting} --allow-public --dry-run`, 'Target')).toBe('No conflicts');
      expect(await command(importing, 'Target')).toMatch(
        /^Imported: \d+ new, 0 replaced, 0 unchanged, 0 left out; 4 contents of files$/,
      );
      const other = hosts.at(-1) as Host;
      expect(await answers(other)).toEqual(before);
      await other.sql(`update tags set name = 'changed' where name = 'red'`);
      const told = /onflicts.*:\n {2}tag \w+ exists with other content$/;
      await expect(command(looking, 'Target')).rejects.toThrow(told);
      await expect(command(importing, 'Target')).rejects.toThrow(told);
      expect(await command(`${importing} --on-conflict skip`, 'Target')).toMatch(
        /1 left out; 0 contents of files$/,
      );
      expect(await command(`${importing} --on-conflict replace`, 'Target')).toMatch(/ 1 replaced/);
    });

    it.each([
      ['export', /^Usage: nestjs-content-api export <file>/],
      ['import', /^Usage: nestjs-content-api import <file>/],
      ['import nowhere', /File not found: nowhere/],
      ['import package.json --on-conflict eat', /--on-conflict is one of refuse, skip, replace/],
      ['import package.json', /Give --module/],
      ['nothing', /^There is no command "nothing"\s+Usage: nestjs-content-api <command>/],
    ])('"%s" says what is missing', async (line, message) => {
      await expect(run(line.split(' '), { env: {}, say: () => undefined })).rejects.toThrow(message);
    });
  });
});
