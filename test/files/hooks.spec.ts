/** Hooks of the application on files run for every route that writes the rows, and can reject the write. */
import { tmpdir } from 'node:os';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ForbiddenException, Injectable } from '@nestjs/common';
import { AfterContent, BeforeContent, type ContentEvent, OnContentCommitted } from 'nestjs-content-api';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import { createTestApp, type TestApp } from '../support/app.ts';
import { formOf } from './helpers.ts';

const calls: string[] = [];

@Injectable()
class FileRules {
  @BeforeContent('file', 'create', 'update')
  before({ action, data }: ContentEvent): void {
    calls.push(`before ${action} ${String(data['name'])}`);
    if (data['name'] === 'forbidden.png') throw new ForbiddenException('Not this one');
    if (action === 'create') data['caption'] = 'by the host';
  }

  @AfterContent('file', 'delete')
  after({ action }: ContentEvent): void {
    calls.push(`after ${action}`);
  }

  @OnContentCommitted('file', 'create', 'update', 'delete')
  committed({ action }: ContentEvent): void {
    calls.push(`committed ${action}`);
  }
}

describe('hooks on files', () => {
  let app: TestApp;
  let directory: string;
  const send = (name: string, path = '/api/upload') =>
    fetch(app.url + path, { method: 'POST', body: formOf([{ name }]) });
  const kept = async (): Promise<string[]> =>
    (await readdir(directory, { recursive: true, withFileTypes: true })).flatMap((one) =>
      one.isFile() ? one.name : [],
    );

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'file-hooks-'));
    app = await createTestApp({
      contentTypes: [],
      access: { public: { file: '*' } },
      imports: [FilesModule.forRoot({ storage: new LocalStorage(directory), images: null })],
      providers: [FileRules],
    });
  });
  afterAll(async () => {
    await app.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('run with uploads, replacements and deletions, and may change the values of a file', async () => {
    const [file] = (await (await send('one.png')).json()) as { id: number; caption: string }[];
    expect(file?.caption).toBe('by the host');
    expect((await send('two.png', `/api/upload?id=${file?.id}`)).status).toBe(200);
    expect((await fetch(`${app.url}/api/upload/files/${file?.id}`, { method: 'DELETE' })).status).toBe(200);
    expect(calls).toEqual([
      'before create one.png',
      'committed create',
      'before update two.png',
      'committed update',
      'after delete',
      'committed delete',
    ]);
  });

  it('leave neither a row nor bytes if one rejects the write', async () => {
    const response = await send('forbidden.png');
    expect([response.status, ((await response.json()) as any).error.message]).toEqual([403, 'Not this one']);
    expect(await app.sql('select 1 from content_files')).toEqual([]);
    expect(await kept()).toEqual([]);
  });
});
