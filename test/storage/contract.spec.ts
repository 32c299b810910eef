/** Every storage that comes with the library keeps the contract that others are held to (issue 13, part 3). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalStorage } from '../../src/files/local-storage.ts';
import { S3Storage } from '../../src/files/s3-storage.ts';
import { storageContract } from '../../src/testing.ts';
import { type RunningS3, startS3 } from './s3-server.ts';

describe('a directory', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'content-kept-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  for (const { name, run } of storageContract(() => new LocalStorage(folder))) it(name, run);
});

describe.each(['s3rver', 'fauxqs'] as const)('a bucket of %s', (kind) => {
  let server: RunningS3;
  let storage: S3Storage;
  beforeAll(async () => {
    server = await startS3(kind);
    storage = new S3Storage({ ...server.options, prefix: 'site/' });
  });
  afterAll(() => {
    storage.close();
    server.stop();
  });

  for (const { name, run } of storageContract(() => storage)) it(name, run);
});
