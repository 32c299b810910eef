/** Files in `sample-app/deploy`: names, limits and arithmetic agree with the library and with each other. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { run } from '../../src/module/command-line.ts';
import { DEFAULT_SETTINGS } from '../../src/kernel/settings.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { note } from '../support/notes.ts';
import { deployed, deployedPath, Folder } from './programs.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/production.md'), 'utf8');

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly read_only?: boolean;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container {
  readonly command?: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly securityContext: { readonly readOnlyRootFilesystem: boolean };
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

interface Resource {
  readonly kind: string;
  readonly spec: {
    readonly replicas?: number;
    readonly strategy?: { readonly rollingUpdate: { readonly maxSurge: number } };
    readonly template?: {
      readonly spec: {
        readonly securityContext: { readonly runAsNonRoot: boolean; readonly runAsUser: number };
        readonly containers: readonly Container[];
      };
    };
  };
}

const { services } = parse(deployed('compose.yaml'), { merge: true }) as {
  services: Readonly<Record<string, Service>>;
};
const resources = parseAllDocuments(deployed('kubernetes.yaml')).map((one) => one.toJS() as Resource);
const pods = resources.flatMap(({ spec }) => spec.template?.spec ?? []);
const containers = pods.flatMap((pod) => pod.containers);
const deployment = resources.find(({ kind }) => kind === 'Deployment');

const apps = ['migrate', 'app-1', 'app-2'].map((name) => services[name] ?? {});
const commands = [...apps, ...containers].flatMap(({ command }) => (command === undefined ? [] : [command]));

/** Environment variables that the application of the sample reads. */
const variables = new Set([
  ...(/const \{([^}]*)\} = process\.env/.exec(deployed('app.module.ts'))?.[1] ?? '')
    .split(',')
    .map((one) => one.trim()),
  ...[...deployed('main.ts').matchAll(/process\.env\['(\w+)'\]/g)].map(([, name = '']) => name),
]);

/** Returns the number of a setting of PgBouncer. */
const pgbouncer = (name: string): number =>
  Number(new RegExp(`^${name} = (\\d+)$`, 'm').exec(deployed('pgbouncer.ini'))?.[1]);

/** Connections that stay free for migrations, backups and operators. */
const RESERVE = 20;

describe('sample-app/deploy', () => {
  it('sets only variables that the application reads', () => {
    const set = [
      ...apps.flatMap(({ environment = {} }) => Object.keys(environment)),
      ...containers.flatMap(({ env }) => env.map(({ name }) => name)),
    ];
    expect(set.length).toBeGreaterThan(10);
    expect(set.filter((name) => !variables.has(name))).toEqual([]);
    expect([...variables].filter((name) => !PAGE.includes(`\`${name}\``) && name !== 'PORT')).toEqual([]);
  });

  it('mounts only files that exist', () => {
    const mounted = Object.values(services)
      .flatMap(({ volumes = [] }) => volumes)
      .filter((volume) => volume.startsWith('./'))
      .map((volume) => volume.split(':')[0] ?? '');
    expect(mounted.length).toBeGreaterThan(3);
    expect(mounted.filter((file) => !existsSync(deployedPath(file)))).toEqual([]);
  });

  it('runs only commands and options of the library', async () => {
    const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      bin: Record<string, string>;
    };
    const restore =
      / (node_modules\/\S+ files check .*)$/m.exec(deployed('restore.sh'))?.[1]?.split(' ') ?? [];
    const ofLibrary = [...commands, ['node', ...restore]].filter(([, file = '']) => file.includes('cli.js'));
    expect(ofLibrary).toHaveLength(3);
    for (const [program, file, name = '', ...args] of ofLibrary) {
      expect([program, file]).toEqual([
        'node',
        `node_modules/nestjs-content-api/${bin['nestjs-content-api'] ?? ''}`,
      ]);
      const usage = await run([name, '--help'], { env: {}, say: () => undefined });
      expect(args.filter((arg) => arg.startsWith('--') && !usage.includes(arg))).toEqual([]);
    }
  });

  it('lets no container of the application write to its image, or be root', () => {
    expect(apps.map(({ read_only }) => read_only)).toEqual([true, true, true]);
    expect(containers.map(({ securityContext }) => securityContext.readOnlyRootFilesystem)).toEqual([
      true,
      true,
    ]);
    const [, user] = /^USER (\d+)$/m.exec(deployed('Dockerfile').split('\nFROM ').at(-1) ?? '') ?? [];
    expect(Number(user)).toBeGreaterThan(0);
    for (const { securityContext } of pods)
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: Number(user) });
  });

  it('turns prepared statements off exactly behind PgBouncer in transaction mode', () => {
    expect(deployed('pgbouncer.ini')).toMatch(/^pool_mode = transaction$/m);
    for (const { environment = {} } of apps)
      expect(environment['TRANSACTION_POOLER']).toBe(
        String(environment['DATABASE_URL']?.includes('@pgbouncer:')),
      );
  });

  it('opens no more connections than PostgreSQL and PgBouncer accept', () => {
    const max = Number(/max_connections=(\d+)/.exec(services['postgres']?.command?.join(' ') ?? '')?.[1]);
    const pools = apps.slice(1).map(({ environment = {} }) => Number(environment['POOL_MAX']) + 1);
    expect(pgbouncer('default_pool_size')).toBeLessThanOrEqual(max - RESERVE);
    expect(2 * pools.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(pgbouncer('max_client_conn'));

    const limit = Number(/connection limit (\d+)/.exec(deployed('roles.sql'))?.[1]);
    const { replicas = 0, strategy } = deployment?.spec ?? {};
    const pool = containers.flatMap(({ env }) => env).find(({ name }) => name === 'POOL_MAX')?.value;
    const most = (replicas + (strategy?.rollingUpdate.maxSurge ?? 0)) * (Number(pool) + 1);
    expect(most).toBeGreaterThan(10);
    expect(Math.max(most, pgbouncer('default_pool_size'))).toBeLessThanOrEqual(limit);
    expect(limit).toBeLessThanOrEqual(max - RESERVE);
  });

  it('lets nginx wait for as long as a request may take, and accept uploads of the allowed size', () => {
    const { limits, load } = DEFAULT_SETTINGS;
    const seconds = Number(/proxy_read_timeout (\d+)s/.exec(deployed('nginx.conf'))?.[1]);
    expect(seconds * 1000).toBeGreaterThan(limits.statementTimeout + load.queueTimeout);
    const megabytes = Number(/client_max_body_size (\d+)m/.exec(deployed('nginx.conf'))?.[1]);
    const maxBytes = Number(/maxBytes: ([\d_]+)/.exec(deployed('app.module.ts'))?.[1]?.replaceAll('_', ''));
    expect(megabytes * 2 ** 20).toBeGreaterThan(maxBytes + 100 * 64 * 1024 - 4 * 2 ** 20);
  });

  describe('backup.sh', () => {
    const folder = new Folder();
    const [files = '', backup = '', programs = ''] = ['files', 'backup', 'programs'].map((name) =>
      join(folder.path, name),
    );
    const write = (...path: string[]): void => {
      mkdirSync(join(files, ...path, '..'), { recursive: true });
      writeFileSync(join(files, ...path), 'bytes');
    };
    const program = (name: string, text: string): void =>
      writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    const run = (): unknown =>
      execFileSync('/bin/sh', [deployedPath('backup.sh'), backup], {
        env: { PATH: `${programs}:${process.env['PATH'] ?? ''}`, FILES_FOLDER: files, DATABASE_URL: 'none' },
        stdio: 'ignore',
      });
    const saved = (): string[] => readdirSync(backup, { recursive: true, encoding: 'utf8' }).sort();

    beforeAll(() => {
      mkdirSync(programs);
      program('pg_dump', `touch "${backup}/content.dump"`);
    });
    afterAll(() => folder.remove());

    it('fails without a folder of files', () => {
      expect(run).toThrow('Command failed');
    });

    it('saves the rows if there are no files', () => {
      mkdirSync(files);
      run();
      expect(saved()).toEqual(['content.dump', 'files']);
    });

    it('saves files without uploads in progress, and repeats a copy during which a file was deleted', () => {
      write('ab', 'cd', 'one.txt');
      write('_incoming', 'upload-x', 'two.txt');
      // The first of two copies fails, as it does if a file was deleted.
      program('cp', `[ -e "${files}/failed" ] || { touch "${files}/failed"; exit 1; }; exec /bin/cp "$@"`);
      run();
      const expected = ['files/ab', 'files/ab/cd', 'files/ab/cd/one.txt'];
      expect(saved()).toEqual(['content.dump', 'files', ...expected]);
    });
  });

  it('has the application that docs/production.md shows', () => {
    for (const file of ['app.module.ts', 'main.ts', 'roles.sql', 'backup.sh', 'restore.sh'])
      expect(PAGE).toContain(file.endsWith('.ts') ? deployed(file) : file);
  });

  describe('the probes', () => {
    let app: TestApp;
    beforeAll(async () => {
      app = await createTestApp({ contentTypes: [note], health: true });
    });
    afterAll(() => app.close());

    it('request paths that respond', async () => {
      const inCompose = apps.flatMap(
        ({ healthcheck }) => /:3000(\/\w+)/.exec(healthcheck?.test.join(' ') ?? '')?.[1] ?? [],
      );
      const inKubernetes = containers.flatMap(({ startupProbe, livenessProbe, readinessProbe }) =>
        [startupProbe, livenessProbe, readinessProbe].flatMap((probe) => probe?.httpGet.path ?? []),
      );
      expect([inCompose.length, inKubernetes.length]).toEqual([2, 3]);
      for (const path of [...inCompose, ...inKubernetes]) await app.http.get(path).expect(204);
    });
  });
});
