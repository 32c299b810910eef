/** Rows and bytes of files stay consistent after errors and concurrent requests. */
import { createHash } from 'node:crypto';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM, type ContentService, getContentToken } from 'nestjs-content-api';
import { FileCheck, LocalStorage } from 'nestjs-content-api/files';
import { runFiles } from '../../src/module/files-command.ts';
import { readWhileReplaced } from '../faults/file-replace.ts';
import { dose } from '../support/dose.ts';
import { createFilesApp, type FilesApp, formOf, picture } from './helpers.ts';

interface Shown {
  readonly id: number;
  readonly documentId: string;
  readonly url: string;
}

/** Storage that fails or runs other work on request. */
class Troubled extends LocalStorage {
  failing = false;
  /** Runs once, after the next `head`. */
  meanwhile: (() => Promise<unknown>) | null = null;

  override async put(...args: Parameters<LocalStorage['put']>): Promise<void> {
    if (this.failing) throw new Error('The disk is full');
    await super.put(...args);
  }

  override async head(key: string): ReturnType<LocalStorage['head']> {
    const found = await super.head(key);
    const { meanwhile } = this;
    this.meanwhile = null;
    await meanwhile?.();
    return found;
  }
}

describe('bytes and rows', () => {
  let api: FilesApp;

  beforeAll(async () => {
    api = await createFilesApp();
    process.env['CHECK_APP_DIRECTORY'] = api.directory;
    process.env['CHECK_APP_DATABASE'] = String(api.app.get<MikroORM>(CONTENT_ORM).config.get('clientUrl'));
  });

  afterAll(() => api.close());

  const upload = async (bytes = picture()): Promise<Shown> => {
    const [file] = (await (await api.send(formOf([{ bytes }]))).json()) as Shown[];
    return file as Shown;
  };

  const pathOf = (bytes: Buffer): string => {
    const digest = createHash('sha256').update(bytes).digest('hex');
    return join(api.directory, digest.slice(0, 2), digest.slice(2, 4), `${digest}.png`);
  };

  const command = (...more: string[]): Promise<string> => {
    const module = `${join(import.meta.dirname, 'check-app.ts')}#CheckApp`;
    return runFiles(['files', 'check', '--module', module, ...more]);
  };

  it('are compared, and repaired, by the command line', async () => {
    const [kept, lost] = [picture(), picture()];
    await upload(kept);
    const gone = await upload(lost);
    expect(await command()).toBe('2 files, 2 contents: no problems');
    const orphan = pathOf(picture());
    await mkdir(dirname(orphan), { recursive: true });
    await writeFile(orphan, 'x');
    await writeFile(join(api.directory, 'of-somebody-else.txt'), 'x');
    const unfinished = join(api.directory, '_incoming', 'upload-x');
    await mkdir(unfinished, { recursive: true });
    await utimes(unfinished, 0, 0);
    await rm(pathOf(lost));
    const found = await command().catch((error: Error) => error.message.split('\n'));
    expect(found).toEqual([
      `orphaned    ${orphan.slice(api.directory.length + 1)}`,
      `missing     ${pathOf(lost).slice(api.directory.length + 1)}  of file ${gone.documentId}`,
      `unfinished  ${unfinished}`,
      '2 files, 1 contents: 3 problems',
    ]);
    await expect(command('--mend')).rejects.toThrow('3 problems, removed orphaned and unfinished bytes');
    await api.ask(`/api/upload/files/${gone.id}`, { method: 'DELETE' });
    expect(await command()).toBe('1 files, 1 contents: no problems');
  });

  it('leave an upload alone whose file still grows', async () => {
    const path = join(api.directory, '_incoming', 'upload-y');
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'bytes'), 'x');
    await utimes(path, 0, 0);
    expect(await command()).toContain('no problems');
    await utimes(join(path, 'bytes'), 0, 0);
    await utimes(path, 0, 0);
    expect(await command('--mend')).toContain('1 problems, removed');
  });

  it.each([[['files', '--help']], [['files', 'check', '-h']]])('N1: %j prints the usage', async (args) => {
    expect(await runFiles(args)).toMatch(/^Usage: nestjs-content-api files check/);
  });

  it.each([[['files']], [['files', 'check']], [['files', 'mend', '--module', 'x']]])(
    'rejects %j',
    async (args) => {
      await expect(runFiles(args)).rejects.toThrow('Usage: nestjs-content-api files check');
    },
  );

  it('20.9: the service of the application also removes bytes', async () => {
    const bytes = picture();
    const { documentId, url } = await upload(bytes);
    const files = api.app.get<ContentService>(getContentToken('file'));
    await files.delete(documentId);
    // The service does not wait until the bytes are removed.
    for (let i = 0; i < 100 && (await api.ask(url)).status === 200; i += 1)
      await new Promise((done) => setTimeout(done, 10));
    expect((await api.ask(url)).status).toBe(404);
  });
});

describe('a storage', () => {
  let api: FilesApp;
  let storage: Troubled;

  beforeAll(async () => {
    api = await createFilesApp();
    const { directory } = api;
    await api.close();
    storage = new Troubled(directory);
    api = await createFilesApp({ storage });
  });

  afterAll(async () => {
    await api.close();
    await rm(storage.scratch, { recursive: true, force: true });
  });

  const check = () => api.app.get(FileCheck).run({ abandoned: 0 });

  it('D15, D30: that fails leaves no row, and keeps a replaced file unchanged', async () => {
    const [file] = (await (await api.send(formOf([{}]))).json()) as Shown[];
    storage.failing = true;
    const responses = [
      await api.send(formOf([{}, {}])),
      await api.send(formOf([{}]), { path: `/api/upload?id=${file?.id}` }),
    ];
    storage.failing = false;
    for (const response of responses)
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await api.ask(file?.url ?? '')).status).toBe(200);
    expect(await check()).toMatchObject({ orphans: [], missing: [], unfinished: [], files: 1, contents: 1 });
  });

  it('gets the bytes of an upload again if their last other file is deleted during the upload', async () => {
    const bytes = picture();
    const [first] = (await (await api.send(formOf([{ bytes }]))).json()) as Shown[];
    // After the upload found the bytes, and before it locks them.
    storage.meanwhile = () => api.ask(`/api/upload/files/${first?.id}`, { method: 'DELETE' });
    const response = await api.send(formOf([{ bytes }]));
    const [second] = (await response.json()) as Shown[];
    expect([response.status, storage.meanwhile]).toEqual([201, null]);
    expect(Buffer.from(await (await api.ask(second?.url ?? '')).arrayBuffer())).toEqual(bytes);
    expect(await check()).toMatchObject({ orphans: [], missing: [] });
  });

  it('stores each content once, while a file uses it, during concurrent uploads and deletes', async () => {
    const contents = [picture(), picture(), picture()];
    await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        for (let i = 0; i < 4; i += 1) {
          const bytes = contents[(n + i) % 3] as Buffer;
          const [file] = (await (await api.send(formOf([{ bytes }]))).json()) as Shown[];
          if ((n + i) % 4 !== 0) await api.ask(`/api/upload/files/${file?.id}`, { method: 'DELETE' });
        }
      }),
    );
    expect(await check()).toMatchObject({ orphans: [], missing: [], unfinished: [] });
  });
});

it('20.6: a read during a replacement returns the old file or the new one', async () => {
  const { whole, mixed, replacements } = await readWhileReplaced(dose(40, 400));
  expect(mixed).toBe(0);
  expect(whole).toBeGreaterThan(0);
  expect(replacements).toBeGreaterThan(1);
});
