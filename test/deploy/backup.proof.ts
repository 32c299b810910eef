/** `sample-app/deploy/backup.sh` and `restore.sh` with Debian's PostgreSQL: rows and files come back together. */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, globSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { command, type Environment, type Instance, MODULE, startInstance } from './application.ts';
import { deployed, Folder, freePort, Program } from './programs.ts';
import { createWithRoles, onDatabase, type RoleDatabase } from './roles.ts';

// The programs come with the operating system: `apt install postgresql`. The dump of a server needs a
// `pg_dump` of its version, so the server is Debian's, too.
const [dumper = ''] = globSync('/usr/lib/postgresql/*/bin/pg_dump').sort().reverse();
const bin = dirname(dumper);

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;

const JWT = { JWT_SECRETS: 'a secret of 32 bytes for the proof of a backup' };

(dumper === '' ? describe.skip : describe)('a backup', () => {
  const folder = new Folder();
  const files = join(folder.path, 'files');
  let server: Program;
  let database: RoleDatabase;
  let instance: Instance;
  let headers: Environment;

  /** Runs a script of the sample, with `files check` from the sources in place of the built command. */
  const script = (name: string, env: Environment): void => {
    const text = deployed(name).replace(/\n# Removes bytes[\s\S]*/, '');
    const path = folder.write(name, text);
    chmodSync(path, 0o755);
    execFileSync(path, [join(folder.path, 'backup')], {
      env: { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}`, FILES_FOLDER: files, ...env },
    });
  };
  const check = (): Promise<string> => command(['files', 'check', '--mend', '--module', MODULE], {});
  const upload = async (text: string): Promise<number> => {
    const form = new FormData();
    form.append('files', new Blob([text], { type: 'text/plain' }), 'text.txt');
    return (await fetch(`${instance.url}/api/upload`, { method: 'POST', headers, body: form })).status;
  };

  beforeAll(async () => {
    const data = join(folder.path, 'data');
    mkdirSync(data, { mode: 0o700 });
    if (isRoot) chownSync(data, NOBODY, NOBODY);
    const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    const options = ['-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
    execFileSync(join(bin, 'initdb'), ['-D', data, ...options], { ...user, stdio: 'ignore' });
    const port = await freePort();
    const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
    const settings = ['-h', '127.0.0.1', '-p', String(port), '-k', '', '-c', 'fsync=off'];
    server = new Program(spawn(join(bin, 'postgres'), ['-D', data, ...settings], { ...user }));
    await server.ready(async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.end();
      return true;
    });
    database = await createWithRoles(url);
    // The module reads the environment once, so that the check of files has it, too.
    const migrator = { ...JWT, DATABASE_URL: database.urlOf('content_migrator'), FILES_FOLDER: files };
    await command(['migration', '--apply', '--module', MODULE], migrator);
    const created = await command(['token', 'create', '--name', 'proof', '--kind', 'full-access'], migrator);
    headers = { authorization: `Bearer ${/nca_\S+/.exec(created)?.[0] ?? ''}` };
    const env = { ...JWT, DATABASE_URL: database.urlOf('content_app'), FILES_FOLDER: files };
    instance = await startInstance(env, folder.path);
  });
  afterAll(async () => {
    await instance.program.stop();
    await server.stop('SIGINT');
    folder.remove();
  });

  it('brings rows and files back, and the check proves that they agree', async () => {
    for (const text of ['one', 'two']) expect(await upload(text)).toBe(201);
    const body = JSON.stringify({ data: { title: 'kept' } });
    const json = { ...headers, 'content-type': 'application/json' };
    const url = `${instance.url}/api/articles`;
    expect((await fetch(url, { method: 'POST', headers: json, body })).status).toBe(201);

    script('backup.sh', { DATABASE_URL: database.urlOf('content_backup') });

    // Content after the backup, and a loss of all rows and files.
    expect(await upload('three')).toBe(201);
    await onDatabase(database.url, (client) =>
      client.query('delete from articles; delete from content_files'),
    );
    for (const name of readdirSync(files)) rmSync(join(files, name), { recursive: true });

    script('restore.sh', { DATABASE_URL: database.urlOf('content_migrator') });
    expect(await check()).toMatch(/2 files, 2 contents/);
    const { data } = (await (await fetch(url)).json()) as { data: { title: string }[] };
    expect(data.map(({ title }) => title)).toEqual(['kept']);
    // Instances still have their privileges.
    expect((await fetch(url, { method: 'POST', headers: json, body })).status).toBe(201);
  });

  it('fails the check when a file of the backup is missing', async () => {
    const backup = join(folder.path, 'backup/files');
    const [first = ''] = readdirSync(backup, { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(join(backup, name)).isFile(),
    );
    rmSync(join(files, first));
    await expect(check()).rejects.toThrow(/^missing {5}/);
  });
});
