/** S3 servers for tests. */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3StorageOptions } from '../../src/features/media/s3-storage.ts';

export type S3Server = 's3rver' | 'fauxqs';

export interface RunningS3 {
  /** Options of a bucket on the server. */
  readonly options: S3StorageOptions;
  readonly stop: () => void;
}

/** Starts a server in a separate process, so that its memory does not count as that of the test. */
export async function startS3(kind: S3Server): Promise<RunningS3> {
  const directory = mkdtempSync(join(tmpdir(), 'content-s3-'));
  const file = join(import.meta.dirname, 's3-server.mjs');
  const child = fork(file, [kind, directory], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const stop = (): void => {
    child.kill();
    rmSync(directory, { recursive: true, force: true });
  };
  const endpoint = await new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').once('data', (line: string) => resolve(line.trim()));
    child.once('exit', () => reject(new Error(`${kind} did not start`)));
  });
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  const client = { endpoint, credentials, region: 'us-east-1', forcePathStyle: true };
  return { options: { bucket: 'files', client }, stop };
}
