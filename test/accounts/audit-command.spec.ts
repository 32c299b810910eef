/** `npx nestjs-content-api audit` and `erase`, in processes of their own. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM } from 'nestjs-content-api';
import { createTestApp, type TestApp } from '../support/app.ts';
import { AUDITED, auditedImports } from './audited-app.ts';

const pathTo = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const APP = `${pathTo('audited-app.ts')}#AuditedApp`;
const COMMAND = [
  '--no-warnings',
  '--import',
  pathTo('../support/from-source.mjs'),
  pathTo('../../src/cli.ts'),
];

describe('npx nestjs-content-api audit and erase', () => {
  let test: TestApp;
  let folder: string;
  let user: { readonly jwt: string; readonly id: string };
  let note: string;

  const run = async (...args: string[]): Promise<string> => {
    const url = String(test.app.get<MikroORM>(CONTENT_ORM).config.get('clientUrl'));
    const env = { ...process.env, AUDITED_APP_DATABASE: url };
    const child = promisify(execFile)(process.execPath, [...COMMAND, ...args, '--module', APP], { env });
    return (await child).stdout.trimEnd();
  };
  const count = async (table: string, condition: string): Promise<unknown> =>
    (await test.sql(`select count(*)::int as n from ${table} where ${condition}`, [user.id]))[0]?.['n'];
  /** Numbers of the rows that name the user, apart from the account. */
  const naming = async (): Promise<unknown> => ({
    documents: await count('notes', 'created_by_document_id = $1 or updated_by_document_id = $1'),
    versions: await count('content_version', `actor_id = $1 or content::text like '%' || $1 || '%'`),
    entries: await count('content_audit', 'actor_id = $1 or document_id = $1'),
    responses: await count('content_request_key', 'strpos(answer, $1) > 0'),
  });
  /** Creates the note once, and repeats the response after that. */
  const createNote = () =>
    test.http
      .post('/api/notes?populate[createdBy]=true')
      .set({ authorization: `Bearer ${user.jwt}`, 'idempotency-key': 'first-note' })
      .send({ data: { title: 'one' } })
      .expect(201);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'audit-command-'));
    test = await createTestApp({ ...AUDITED, imports: auditedImports() });
    const { body } = await test.http
      .post('/api/auth/local/register')
      .send({ username: 'ann', email: 'ann@example.org', password: 'a long password' })
      .expect(200);
    user = { jwt: body.jwt, id: body.user.documentId };
    note = (await createNote()).body.data.documentId;
  });
  afterAll(async () => {
    await test.close();
    await rm(folder, { recursive: true });
  });

  it('26.5 audit export writes every entry to a new file that only its owner reads', async () => {
    const file = join(folder, 'audit.ndjson');
    expect(await run('audit', 'export', '--file', file)).toBe(`3 entries written to ${file}`);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line));
    expect(entries.map(({ action }) => action).sort()).toEqual(['create', 'create', 'register']);
    expect(entries.at(-1)).toMatchObject({
      type: 'note',
      documentId: note,
      by: { kind: 'user', id: user.id },
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('26.6, 28.6 erase removes the user from documents, versions and entries, after a dry run', async () => {
    const before = await naming();
    expect(before).toEqual({ documents: 1, versions: 1, entries: 3, responses: 1 });
    const dry = (await run('erase', '--user', user.id, '--dry-run')).split('\n');
    expect(dry[0]).toBe('Nothing is removed yet. This would be:');
    expect(await naming()).toEqual(before);
    const erased = (await run('erase', '--user', user.id)).split('\n');
    expect(dry.slice(1)).toEqual(erased);
    expect(erased.filter((line) => !line.startsWith('0 '))).toEqual([
      '1 stored versions and deletions by the user, without the id now',
      '1 stored versions that the user has created, without the id now',
      '2 audit entries by the user, without the id and the address now',
      '2 audit entries about the account, without its id and the address of its public caller now',
      '1 stored responses to requests with an Idempotency-Key that show the user, without data now',
      '1 versions of "note" with the user as author, without the id now',
    ]);
    expect(await naming()).toEqual({ documents: 0, versions: 0, entries: 0, responses: 0 });
    expect((await createNote()).body).toEqual({ data: null, meta: {} });
    const shown = await test.http
      .get(`/api/notes/${note}?populate[createdBy]=true`)
      .set('authorization', `Bearer ${user.jwt}`)
      .expect(200);
    expect(shown.body.data).toMatchObject({ title: 'one', createdBy: null });
  });

  it('26.5 audit forget deletes old entries, after a dry run', async () => {
    await test.sql(`update content_audit set at = now() - interval '3 days' where action = 'register'`);
    const dry = await run('audit', 'forget', '--days', '2', '--dry-run');
    expect(dry).toBe('Nothing is deleted yet: 1 entries would be');
    expect(await run('audit', 'forget', '--days', '2')).toBe('1 entries deleted');
    const left = await test.sql('select action from content_audit');
    expect(left).toEqual([{ action: 'create' }, { action: 'create' }]);
  });

  it('wrong arguments end with the usage', async () => {
    await expect(run('erase')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('Usage') });
  });
});
