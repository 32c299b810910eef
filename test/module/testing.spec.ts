/** Tests of an application, as the page about testing shows them. */
import { Controller, Get, type INestApplication, Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  CONTENT_DATABASE,
  ContentModule,
  type ContentService,
  getContentToken,
  InjectContent,
} from 'nestjs-content-api';
import { EventsModule, type LoggedEvent, OnContentEvent } from 'nestjs-content-api/events';
import { ContentTestDatabase } from 'nestjs-content-api/testing';
import pg from 'pg';
import supertest from 'supertest';
import { note } from '../support/notes.ts';
import { eventually } from '../events/helpers.ts';

@Controller('titles')
class Titles {
  constructor(@InjectContent('note') private readonly notes: ContentService) {}

  @Get()
  async titles(): Promise<unknown[]> {
    return (await this.notes.find()).data.map((one) => (one as { title?: unknown }).title);
  }
}

@Module({
  imports: [
    ContentModule.forRoot({
      contentTypes: [note],
      access: { public: { note: '*' } },
      database: { clientUrl: 'postgresql://unreachable.invalid/production' },
    }),
  ],
  controllers: [Titles],
})
class AppModule {}

const server = String(process.env.TEST_DATABASE_URL);

const names = async (): Promise<unknown[]> => {
  const client = new pg.Client(server);
  await client.connect();
  const { rows } = await client.query(`select datname from pg_database where datname like 'content_test%'`);
  await client.end();
  return rows.map(({ datname }) => datname);
};

describe('ContentTestDatabase', () => {
  const database = new ContentTestDatabase(server);
  let app: INestApplication;
  beforeAll(async () => {
    const module = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(CONTENT_DATABASE)
      .useValue(database.options)
      .compile();
    await database.create(module);
    app = module.createNestApplication({ logger: ['fatal'] });
    await app.init();
  });

  const http = () => supertest(app.getHttpServer());
  const create = (title: string) => http().post('/api/notes').send({ data: { title } }).expect(201);

  it('replaces the database of the application by a new one', async () => {
    await create('one');
    expect((await http().get('/titles').expect(200)).body).toEqual(['one']);
  });

  it('is empty again after clear, also for cached responses', async () => {
    await http().get('/api/notes');
    await database.clear(app);
    expect((await http().get('/api/notes').expect(200)).body.data).toEqual([]);
    await create('two');
    expect((await http().get('/api/notes').expect(200)).body.data).toMatchObject([{ title: 'two' }]);
  });

  it('is dropped with the application', async () => {
    const before = await names();
    await database.drop(app);
    const left = await names();
    expect(before.filter((name) => !left.includes(name))).toHaveLength(1);
  });
});

it('a service of a type can be replaced', async () => {
  const database = new ContentTestDatabase(server);
  const module = await Test.createTestingModule({ imports: [AppModule] })
    .overrideProvider(CONTENT_DATABASE)
    .useValue(database.options)
    .overrideProvider(getContentToken('note'))
    .useValue({ find: () => Promise.resolve({ data: [{ title: 'a mock' }] }) })
    .compile();
  await database.create(module);
  const app = module.createNestApplication({ logger: ['fatal'] });
  await app.init();
  expect((await supertest(app.getHttpServer()).get('/titles').expect(200)).body).toEqual(['a mock']);
  await database.drop(app);
});

@Injectable()
class Follower {
  readonly seen: string[] = [];

  @OnContentEvent('follower', { actions: ['create'] })
  follow({ documentId }: LoggedEvent): void {
    this.seen.push(documentId);
  }
}

it('handlers receive events before and after clear', async () => {
  const database = new ContentTestDatabase(server);
  const module = await Test.createTestingModule({
    imports: [AppModule, EventsModule.forRoot()],
    providers: [Follower],
  })
    .overrideProvider(CONTENT_DATABASE)
    .useValue(database.options)
    .compile();
  await database.create(module);
  const app = module.createNestApplication({ logger: ['fatal'] });
  await app.init();
  for (const title of ['one', 'two', 'three']) {
    const { body } = await supertest(app.getHttpServer()).post('/api/notes').send({ data: { title } });
    await eventually(() => app.get(Follower).seen.filter((id) => id === body.data.documentId), 1);
    await database.clear(app);
  }
  await database.drop(app);
});
