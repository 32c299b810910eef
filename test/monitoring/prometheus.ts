/** Prometheus of Debian (`apt install prometheus`), started with a configuration. */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lookUntil } from '../support/look-until.ts';

const program = [...(process.env['PATH'] ?? '').split(':'), '/usr/bin', '/usr/local/bin']
  .map((folder) => join(folder, 'prometheus'))
  .find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

export const hasPrometheus = program !== undefined;

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

export class Prometheus {
  private constructor(
    private readonly child: ChildProcess,
    private readonly url: string,
    private readonly folder: string,
  ) {}

  /** Starts it with a configuration, and waits until it responds. */
  static async start(configuration: string): Promise<Prometheus> {
    if (program === undefined) throw new Error('prometheus is not installed');
    const folder = mkdtempSync(join(tmpdir(), 'content-api-prometheus-'));
    const file = join(folder, 'prometheus.yml');
    writeFileSync(file, configuration);
    const port = await freePort();
    const child = spawn(
      program,
      [
        `--config.file=${file}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    const started = new Prometheus(child, `http://127.0.0.1:${port}`, folder);
    if (await lookUntil(() => started.isReady(), Boolean)) return started;
    await started.stop();
    throw new Error('prometheus does not respond');
  }

  private isReady(): Promise<boolean> {
    return fetch(`${this.url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  /** Returns the present samples of an expression, once there are any. */
  async query(expression: string): Promise<readonly Sample[]> {
    return lookUntil(
      async () => {
        const response = await fetch(`${this.url}/api/v1/query?query=${encodeURIComponent(expression)}`);
        const { data } = (await response.json()) as { data?: { result: readonly Sample[] } };
        return data?.result ?? [];
      },
      ({ length }) => length > 0,
    );
  }

  /** Returns the error of the last scrape of each target; empty for success. */
  async scrapeErrors(): Promise<readonly string[]> {
    const response = await fetch(`${this.url}/api/v1/targets`);
    const { data } = (await response.json()) as {
      data: { activeTargets: readonly { readonly lastError: string }[] };
    };
    return data.activeTargets.map(({ lastError }) => lastError);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}
