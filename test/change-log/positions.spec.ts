/**
 * The response to every write contains the database's position, so that its client can read the write on any
 * replica.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Body, Controller, Delete, Get, HttpCode, Inject, Post, Put, Res } from '@nestjs/common';
import type { MikroORM, SqlEntityManager } from '@mikro-orm/postgresql';
import {
  CONTENT_ORM,
  ContentModule,
  type ContentService,
  defineCollectionType,
  getContentToken,
} from 'nestjs-content-api';
import { UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import { Outbox, usersOptions } from '../accounts/helpers.ts';
import { formOf } from '../files/helpers.ts';
import { type Host, startHost } from '../http/helpers.ts';
import { adaptersFor } from '../support/adapters.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string' } },
});

@Controller('own')
class OwnController {
  constructor(
    @Inject(getContentToken('note')) private readonly notes: ContentService,
    @Inject(CONTENT_ORM) private readonly orm: MikroORM,
  ) {}

  @Post('service')
  service(@Body() { title }: { title: string }): Promise<object> {
    return this.notes.create({ title });
  }

  @Put('transaction')
  async transaction(): Promise<object> {
    await this.orm.em.transactional(async (em) => {
      await (em as SqlEntityManager).execute(`update notes set title = title || '!'`);
    });
    return { done: true };
  }

  @Delete('both')
  @HttpCode(204)
  async both(): Promise<void> {
    await this.orm.em.transactional(async (em) => {
      await this.notes.create({ title: 'both' }, {}, { em: em });
    });
  }

  @Post('nothing')
  nothing(): object {
    return { done: false };
  }

  @Get('reading')
  async reading(): Promise<object> {
    return this.notes.create({ title: 'written by a GET' });
  }

  @Post('refused')
  async refused(): Promise<object> {
    return this.notes.create({ name: 'no such attribute' });
  }

  @Post('itself')
  async itself(@Res() response: { send(text: string): void }): Promise<void> {
    await this.notes.create({ title: 'itself' });
    response.send('sent by the handler');
  }
}

const MARK = /^[0-9a-f]{24}$/;

describe.each(adaptersFor('express'))('positions of writes, on %s', (adapter) => {
  let host: Host;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'positions-'));
    host = await startHost(
      ({ url }) => ({
        imports: [
          ContentModule.forRoot({
            contentTypes: [note, ...userTypes()],
            access: {
              public: { note: '*', file: '*', user: '*', role: '*' },
              roles: { authenticated: { note: '*' } },
            },
            // Only the header matters here, so the primary may be its own replica.
            database: { clientUrl: url, replicas: [{ clientUrl: url }] },
          }),
          UsersModule.forRoot(usersOptions(new Outbox())),
          FilesModule.forRoot({ storage: new LocalStorage(directory), images: null }),
        ],
        controllers: [OwnController],
      }),
      { adapter, tables: true },
    );
  });
  afterAll(async () => {
    await host.close();
    await rm(directory, { recursive: true, force: true });
  });

  interface Written {
    readonly status: number;
    readonly mark: string | null;
    readonly body: any;
  }
  async function send(
    method: string,
    path: string,
    body?: object | FormData,
    jwt?: string,
  ): Promise<Written> {
    const json = body !== undefined && !(body instanceof FormData);
    const answer = await fetch(host.url + path, {
      method,
      headers: {
        ...(json ? { 'content-type': 'application/json' } : {}),
        ...(jwt === undefined ? {} : { authorization: `Bearer ${jwt}` }),
      },
      ...(body === undefined ? {} : { body: json ? JSON.stringify(body) : body }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true && text !== '';
    return {
      status: answer.status,
      mark: answer.headers.get('content-position'),
      body: isJson ? JSON.parse(text) : text,
    };
  }
  /** Sends a write, and expects a position that is the latest so far. */
  let last = '';
  async function written(...request: Parameters<typeof send>): Promise<Written['body']> {
    const { status, mark, body } = await send(...request);
    const [method, path] = request;
    expect([method, path, status, mark]).toEqual([
      method,
      path,
      expect.any(Number),
      expect.stringMatching(MARK),
    ]);
    expect([path, status < 300]).toEqual([path, true]);
    expect(String(mark) >= last).toBe(true);
    last = String(mark);
    return body;
  }

  it('of content', async () => {
    const { data } = await written('POST', '/api/notes', { data: { title: 'a' } });
    await written('PUT', `/api/notes/${data.documentId}`, { data: { title: 'b' } });
    await written('DELETE', `/api/notes/${data.documentId}`);
  });

  it('of uploads', async () => {
    const [file] = await written('POST', '/api/upload', formOf([{}]));
    await written('POST', `/api/upload?id=${file.id}`, formOf([{}]));
    await written('POST', `/api/upload?id=${file.id}`, { fileInfo: { caption: 'c' } });
    await written('DELETE', `/api/upload/files/${file.id}`);
  });

  it('of accounts, users and roles', async () => {
    const person = { username: 'ann', email: 'ann@example.org', password: 'correct horse' };
    const { jwt, user } = await written('POST', '/api/auth/local/register', person);
    const passwords = {
      currentPassword: 'correct horse',
      password: 'another horse',
      passwordConfirmation: 'another horse',
    };
    await written('POST', '/api/auth/change-password', passwords, jwt);
    await written('PUT', `/api/users/${user.id}`, { username: 'anna' });
    const made = { username: 'bob', email: 'bob@example.org', password: 'correct horse' };
    const bob = await written('POST', '/api/users', made);
    await written('DELETE', `/api/users/${bob.id}`);
    await written('POST', '/api/users-permissions/roles', { name: 'Editor', type: 'editor' });
    const { body } = await send('GET', '/api/users-permissions/roles');
    const { id } = body.roles.find(({ type }: { type: string }) => type === 'editor');
    await written('PUT', `/api/users-permissions/roles/${id}`, { description: 'd' });
    await written('DELETE', `/api/users-permissions/roles/${id}`);
  });

  it("of the host's own controllers, by services and in their own transactions", async () => {
    await written('POST', '/own/service', { title: 'own' });
    await written('PUT', '/own/transaction');
    await written('DELETE', '/own/both');
  });

  it('of the primary in reads of content', async () => {
    for (const [method, path] of [
      ['GET', '/api/notes'],
      ['HEAD', '/api/notes'],
    ] as const)
      await written(method, path);
  });

  it('no position in other reads, after no write, in refusals, and if the handler has responded', async () => {
    const silent: readonly (readonly [string, string, number, object?])[] = [
      ['GET', '/own/reading', 200],
      ['POST', '/own/nothing', 201],
      ['POST', '/own/refused', 400],
      ['POST', '/own/itself', 201],
      ['POST', '/api/notes', 400, { data: { name: 1 } }],
      ['PUT', '/api/notes/nobody', 404, { data: {} }],
      ['GET', '/api/upload/files', 200],
      ['GET', '/api/users', 200],
    ];
    for (const [method, path, status, body] of silent) {
      const answer = await send(method, path, body);
      expect([method, path, answer.status, answer.mark]).toEqual([method, path, status, null]);
    }
  });
});
