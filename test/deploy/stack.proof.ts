/**
 * The services of `sample-app/deploy/compose.yaml` with Debian's programs: two instances that cannot write to
 * disk, PgBouncer, nginx, and Varnish.
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { canConfine, command, type Instance, MODULE, startInstance } from './application.ts';
import { Folder, freePort, Program, programAt, replaced } from './programs.ts';
import { createWithRoles, PASSWORD, type RoleDatabase } from './roles.ts';

const PROGRAMS = {
  pgbouncer: programAt('pgbouncer'),
  nginx: programAt('nginx'),
  varnish: programAt('varnishd'),
};

// Programs that do not run as root.
const AS_USER = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];

/** Milliseconds that a shared cache may be older than the content: `sharedMaxAge`, in whole seconds of nginx. */
const MAX_AGE = 4000;

// The programs come with the operating system: `apt install nginx-light pgbouncer varnish`.
const isComplete = Object.values(PROGRAMS).every((path) => path !== undefined);

(isComplete ? describe : describe.skip)('the deployment of the sample', () => {
  const folder = new Folder();
  const instances: Instance[] = [];
  const programs: Program[] = [];
  let database: RoleDatabase;
  let token: string;
  let nginx: string;
  let varnish: string;

  const send = async (url: string, method: string, title: string): Promise<Response> =>
    fetch(url, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ data: { title } }),
    });
  const titleAt = async (url: string): Promise<string> =>
    ((await (await fetch(url)).json()) as { data: { title: string } }).data.title;

  /** Starts PgBouncer, and returns the URL for instances. */
  async function startPgBouncer(): Promise<string> {
    const target = new URL(database.url);
    const url = new URL(database.urlOf('content_app'));
    url.port = String(await freePort());
    const users = folder.write('users.txt', `"${database.nameOf('content_app')}" "${PASSWORD}"\n`);
    const file = folder.write(
      'pgbouncer.ini',
      replaced('pgbouncer.ini', {
        'content = host=postgres port=5432 dbname=content': `* = host=${target.hostname} port=${target.port}`,
        '0.0.0.0': '127.0.0.1',
        6432: url.port,
        '/tmp/users.txt': users,
      }),
    );
    const program = Program.spawn(PROGRAMS.pgbouncer ?? '', [...AS_USER, file]);
    programs.push(program);
    await program.ready(async () => {
      const client = new pg.Client({ connectionString: url.href });
      await client.connect();
      await client.end();
      return true;
    });
    return url.href;
  }

  async function startNginx([first, second]: readonly number[]): Promise<string> {
    const port = await freePort();
    const file = folder.write(
      `nginx-${port}.conf`,
      replaced('nginx.conf', {
        'app-1:3000': `127.0.0.1:${first ?? 0}`,
        'app-2:3000': `127.0.0.1:${second ?? 0}`,
        'listen 8080': `listen 127.0.0.1:${port}`,
        '/tmp/': `${folder.path}/${port}-`,
      }),
    );
    const url = `http://127.0.0.1:${port}`;
    const program = Program.spawn(PROGRAMS.nginx ?? '', ['-e', 'stderr', '-c', file, '-g', 'daemon off;']);
    programs.push(program);
    await program.ready(async () => (await fetch(`${url}/api/articles`)).ok);
    return url;
  }

  /** Starts Varnish in front of the second instance, which runs until the end. */
  async function startVarnish(): Promise<string> {
    const port = await freePort();
    const file = folder.write(
      'varnish.vcl',
      replaced('varnish.vcl', { '"nginx"': '"127.0.0.1"', '"8080"': `"${instances[1]?.port ?? 0}"` }),
    );
    const url = `http://127.0.0.1:${port}`;
    const place = `${folder.path}/varnish`;
    const args = ['-F', '-a', `127.0.0.1:${port}`, '-f', file, '-n', place, '-s', 'malloc,32m', '-j', 'none'];
    const program = Program.spawn(PROGRAMS.varnish ?? '', args);
    programs.push(program);
    await program.ready(async () => (await fetch(`${url}/api/articles`)).ok);
    return url;
  }

  beforeAll(async () => {
    database = await createWithRoles();
    const migrator = { DATABASE_URL: database.urlOf('content_migrator'), MIGRATING: 'true' };
    const secrets = { JWT_SECRETS: 'a secret of 32 bytes for the proof of a deployment' };
    await command(['migration', '--apply', '--module', MODULE], { ...migrator, ...secrets });
    const created = await command(['token', 'create', '--name', 'proof', '--kind', 'full-access'], migrator);
    const pooler = await startPgBouncer();
    token = /nca_\S+/.exec(created)?.[0] ?? '';
    const env = {
      ...secrets,
      DATABASE_URL: pooler,
      TRANSACTION_POOLER: 'true',
      POOL_MAX: '4',
      FILES_FOLDER: `${folder.path}/files`,
    };
    instances.push(
      ...(await Promise.all([startInstance(env, folder.path), startInstance(env, folder.path)])),
    );
    nginx = await startNginx(instances.map(({ port }) => port));
    varnish = await startVarnish();
  });
  afterAll(async () => {
    await Promise.all([...programs, ...instances.map((one) => one.program)].map((one) => one.stop()));
    await database.drop();
    folder.remove();
  });

  it('starts without warnings', () => {
    expect(instances.map(({ program }) => program.log).join('')).not.toMatch(/warn|error/i);
  });

  // The machine may not allow it: it needs root, and the checkout must be readable for other users.
  (canConfine(folder.path) ? it : it.skip)('runs without rights, on a read-only file system', () => {
    const { pid } = instances[0]?.program.child ?? {};
    const seen = (name: string): string => readFileSync(`/proc/${pid}/${name}`, 'utf8');
    expect(seen('status')).toMatch(/^Uid:\t65534\t65534/m);
    expect(seen('status')).toMatch(/^CapEff:\t0+$/m);
    expect(seen('mountinfo')).toMatch(/^\d+ \d+ \S+ \/ \/ ro,/m);
  });

  it('shares content between instances', async () => {
    expect((await send(`${nginx}/api/articles`, 'POST', 'shared')).status).toBe(201);
    for (const { url } of instances) {
      const { data } = (await (await fetch(`${url}/api/articles`)).json()) as { data: { title: string }[] };
      expect(data.map(({ title }) => title)).toEqual(['shared']);
    }
  });

  // The application compares paths without case, decoded, and with or without a slash at the end.
  it.each(['_health', '_ready', 'metrics', '_HEALTH', '%5Fready', 'Metrics', 'metrics/'])(
    'hides /%s, a path for the platform only',
    async (path) => {
      const response = await fetch(`${nginx}/${path}`);
      expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html']);
    },
  );

  it('names the client itself, whatever address, host and protocol a client claims', async () => {
    const seen: IncomingHttpHeaders[] = [];
    const upstream = createServer(({ headers }, response) => {
      seen.push(headers);
      response.end();
    });
    await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done));
    const { port } = upstream.address() as AddressInfo;
    const url = await startNginx([port, port]);
    const claimed = {
      'X-Forwarded-For': '203.0.113.7',
      'X-Forwarded-Host': 'evil.example.org',
      'X-Forwarded-Proto': 'https',
      Forwarded: 'for=203.0.113.7;host=evil.example.org',
    };
    await fetch(`${url}/api/articles/claimed`, { headers: claimed });
    const { host } = new URL(url);
    expect(seen.at(-1)).toMatchObject({
      host,
      'x-forwarded-for': '203.0.113.7, 127.0.0.1',
      'x-forwarded-host': host,
      'x-forwarded-proto': 'http',
    });
    expect(seen.at(-1)).not.toHaveProperty('forwarded');
    upstream.close();
  });

  it('accepts uploads up to the limit of nginx, and refuses larger ones', async () => {
    const upload = async (bytes: number): Promise<number> => {
      const form = new FormData();
      form.append('files', new Blob(['x'.repeat(bytes)], { type: 'text/plain' }), 'text.txt');
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${nginx}/api/upload`, { method: 'POST', headers, body: form });
      return response.status;
    };
    expect(await upload(2_000_000)).toBe(201);
    expect(await upload(54_000_000)).toBe(413);
  });

  it('caches responses for the public, for no longer than sharedMaxAge', async () => {
    const posted = await send(`${nginx}/api/articles`, 'POST', 'old');
    const { data } = (await posted.json()) as { data: { documentId: string } };
    const urls = [nginx, varnish].map((cache) => `${cache}/api/articles/${data.documentId}`);
    for (const url of urls) expect(await titleAt(url)).toBe('old');
    expect((await fetch(urls[0] ?? '')).headers.get('x-cache')).toBe('HIT');
    expect((await fetch(urls[1] ?? '')).headers.get('x-varnish')).toMatch(/^\d+ \d+$/);

    await send(urls[0] ?? '', 'PUT', 'new');
    for (const url of urls) {
      expect(await titleAt(url)).toBe('old');
      const own = { authorization: `Bearer ${token}` };
      expect(await (await fetch(url, { headers: own })).text()).toContain('new');
      expect(await (await fetch(url, { headers: { 'content-position': 'primary' } })).text()).toContain(
        'new',
      );
    }
    await sleep(MAX_AGE);
    for (const url of urls) expect(await titleAt(url)).toBe('new');
  });

  it('loses no request when an instance ends', async () => {
    const statuses = new Set<number>();
    let isOver = false;
    const clients = Array.from({ length: 4 }, async (_, client) => {
      for (let i = 0; !isOver; i += 1)
        statuses.add((await fetch(`${nginx}/api/articles?pagination[page]=${client}${i}`)).status);
    });
    await instances[0]?.program.stop();
    isOver = true;
    await Promise.all(clients);
    expect([...statuses]).toEqual([200]);
  });
});
