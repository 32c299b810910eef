/** Application with live reads, and a client that writes as an editor. */
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import {
  type AuthStrategy,
  BeforeContentRead,
  ContentError,
  type ContentReadEvent,
  type Credentials,
  defineCollectionType,
} from 'nestjs-content-api';
import { EventsModule } from 'nestjs-content-api/events';
import { type Adapter, createTestApp, type TestApp } from '../support/app.ts';
import { eventually } from './helpers.ts';
import { LiveClient } from './live-client.ts';

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  actions: true,
  attributes: {
    title: { type: 'string' },
    section: { type: 'relation', relation: 'manyToOne', target: 'section', inversedBy: 'articles' },
    topics: { type: 'relation', relation: 'manyToMany', target: 'topic', inversedBy: 'articles' },
  },
});
const section = defineCollectionType({
  singularApiId: 'section',
  pluralApiId: 'sections',
  attributes: {
    name: { type: 'string' },
    articles: { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'section' },
    memo: { type: 'relation', relation: 'oneToOne', target: 'memo' },
  },
});
const memo = defineCollectionType({
  singularApiId: 'memo',
  pluralApiId: 'memos',
  owner: 'author',
  attributes: { text: { type: 'string' }, author: { type: 'string' } },
});
export const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  localized: true,
  attributes: { title: { type: 'string', localized: true } },
});
const topic = defineCollectionType({
  singularApiId: 'topic',
  pluralApiId: 'topics',
  attributes: {
    articles: { type: 'relation', relation: 'manyToMany', target: 'article', mappedBy: 'topics' },
  },
});
const silent = defineCollectionType({
  singularApiId: 'silent',
  pluralApiId: 'silents',
  events: false,
  attributes: { title: { type: 'string' } },
});
/** Types without the route of the list. */
const inner = defineCollectionType({
  singularApiId: 'inner',
  pluralApiId: 'inners',
  routes: false,
  attributes: { title: { type: 'string' } },
});
const single = defineCollectionType({
  singularApiId: 'single',
  pluralApiId: 'singles',
  routes: { only: ['findOne'] },
  attributes: { title: { type: 'string' } },
});

export const SECRET = 'a secret of the tests, which is long enough';
/** Users whose credentials are not valid any more. */
export const revoked = new Set<string>();

/** Users without permissions. */
export const demoted = new Set<string>();

/** Users whose reads a hook refuses. */
export const refused = new Set<string>();

/** Users whose reads wait in a hook. */
export const held = new Map<string, { arrived: number; readonly until: Promise<void> }>();

@Injectable()
class ReadHook {
  @BeforeContentRead('memo', 'find')
  async check({ caller: { id } }: ContentReadEvent): Promise<void> {
    const wait = held.get(id ?? '');
    if (wait !== undefined) wait.arrived += 1;
    await wait?.until;
    if (id !== null && refused.has(id)) throw new ContentError('ForbiddenError', 'Refused');
  }
}

class Names implements AuthStrategy {
  readonly name = 'names';
  readonly vary = ['X-User'];
  authenticate({ headers }: Credentials) {
    const id = headers['x-user'];
    if (typeof id !== 'string') return null;
    if (revoked.has(id)) throw new ContentError('UnauthorizedError', 'Revoked');
    if (demoted.has(id)) return { kind: 'user', id, roles: ['nobody'] } as const;
    return { kind: 'user', id, roles: [id === 'editor' ? 'editor' : 'member'] } as const;
  }
}

export interface Opening {
  readonly lastId?: string | undefined;
  readonly user?: string;
}

export class LiveApp {
  private readonly clients: LiveClient[] = [];
  private constructor(
    readonly test: TestApp,
    /** Connections of the server. */
    readonly sockets: readonly Socket[],
  ) {}

  static async start(adapter: Adapter): Promise<LiveApp> {
    const sockets: Socket[] = [];
    const test = await createTestApp(
      {
        contentTypes: [article, topic, section, memo, page, silent, inner, single],
        defaultLocale: 'en',
        locales: ['en', 'fr', 'de'],
        access: {
          public: {
            article: ['find', 'findOne'],
            section: ['find', 'findOne'],
            page: ['find', 'findOne'],
            silent: ['find'],
            inner: ['find'],
            single: ['find'],
          },
          roles: {
            editor: { '*': '*' },
            member: {
              memo: ['create', { actions: ['find'], own: true }],
              article: [{ actions: ['find'], fields: ['title'] }],
            },
          },
        },
        providers: [ReadHook],
        auth: { strategies: [new Names()] },
        imports: [
          EventsModule.forRoot({
            pollMilliseconds: 50,
            live: { secret: SECRET, maxListeners: 12, heartbeatSeconds: 1 },
          }),
        ],
      },
      adapter,
      (app) => {
        const server = app.getHttpServer() as {
          on(event: 'connection', listener: (one: Socket) => void): void;
        };
        server.on('connection', (socket) => sockets.push(socket));
      },
    );
    return new LiveApp(test, sockets);
  }

  /** Closes all streams. */
  reset(): void {
    for (const client of this.clients.splice(0)) client.close();
    revoked.clear();
    demoted.clear();
    refused.clear();
    held.clear();
  }

  async open(path = '', { lastId, user }: Opening = {}): Promise<LiveClient> {
    const headers: Record<string, string> = user === undefined ? {} : { 'X-User': user };
    const client = await LiveClient.open(`${this.test.url}/api/live${path}`, lastId, headers);
    this.clients.push(client);
    if (client.response.statusCode === 200) await eventually(() => (client.lastId ? [1] : []), 1);
    return client;
  }

  async create(path: string, data: object, user = 'editor'): Promise<string> {
    const { body } = await this.test.http.post(`/api/${path}`).set('X-User', user).send({ data }).expect(201);
    return (body as { data: { documentId: string } }).data.documentId;
  }

  async put(path: string, data: object): Promise<void> {
    await this.test.http.put(`/api/${path}`).set('X-User', 'editor').send({ data }).expect(200);
  }

  async remove(path: string): Promise<void> {
    await this.test.http.delete(`/api/${path}`).set('X-User', 'editor').expect(204);
  }

  /** Returns the tags of a response; null for a response without tags. */
  async tagsOf(path: string, user?: string): Promise<string[] | null> {
    const request = this.test.http.get(`/api/${path}`);
    const { headers } = await (user === undefined ? request : request.set('X-User', user)).expect(200);
    const { 'content-tags': tags } = headers as Record<string, string | undefined>;
    return tags === undefined ? null : tags.split(' ');
  }

  /** Waits until all earlier changes have arrived. */
  async settled(client: LiveClient): Promise<void> {
    const id = await this.create('pages', { title: 'settled' });
    const [last] = (await this.tagsOf(`pages/${id}`)) ?? [];
    await eventually(() => [...stale(client)].filter((tag) => tag === last), 1);
  }

  /** Returns the tags that go stale until a change that all clients see. */
  async staleBy(client: LiveClient, work: () => PromiseLike<unknown>): Promise<Set<unknown>> {
    await this.settled(client);
    client.messages.length = 0;
    await work();
    await this.settled(client);
    return stale(client);
  }

  /** Logs changes of pages. */
  backlog(count: number, action = 'update'): Promise<unknown> {
    return this.test.sql(
      `insert into content_event (id, xid, at, type, document_id, locale, action, actor, attributes, published)
       select nextval('content_counts_id_seq'), pg_current_xact_id(), now(), 'page', 'many' || n, '', $2,
         'system', '[]', true from generate_series(1, $1::int) n`,
      [count, action],
    );
  }
}

export const stale = (client: LiveClient): Set<unknown> => new Set(client.of('stale').flat());
