/**
 * Responses of handlers: the plan that is reduced before the read, and the `Answer` with its status, headers
 * and `meta`. Interceptors of the application wrap both.
 */
import {
  Body,
  CallHandler,
  Controller,
  Delete,
  ExecutionContext,
  Get,
  Global,
  Inject,
  Injectable,
  Module,
  NestInterceptor,
  Param,
  UseInterceptors,
} from '@nestjs/common';
import { Answer, CollectionController, EnvelopeInterceptor, SingleController } from 'nestjs-content-api';
import { map } from 'rxjs';
import { blog } from '../fixtures/blog.ts';
import { ADAPTERS, countStatements, createTestApp, type TestApp } from '../support/app.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Records the values that it gets, and adds to the `meta` of an `Answer`. */
@Injectable()
class Guest implements NestInterceptor {
  static readonly seen: unknown[] = [];
  intercept(_context: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(
      map((result: unknown) => {
        Guest.seen.push(result);
        return result instanceof Answer ? result.withMeta({ guest: true }) : result;
      }),
    );
  }
}

const LICENCE = Symbol('Licence');

@Global()
@Module({ providers: [{ provide: LICENCE, useValue: 'CC BY 4.0' }], exports: [LICENCE] })
class LicenceModule {}

/** Overrides every route and has a constructor. */
@Controller()
class AuthorController extends CollectionController {
  constructor(@Inject(LICENCE) private readonly licence: string) {
    super();
  }

  override async find(request: object): Promise<Answer> {
    return (await super.find(request)).withMeta({ licence: this.licence }).withHeaders({ 'X-Of': 'all' });
  }

  override async findOne(request: object): Promise<Answer> {
    const response = await super.findOne(request);
    return response.withStatus(203).withHeaders({ ETag: '"1"' }).withHeaders({ 'X-Of': 'one' });
  }

  override async create(request: object, body: unknown): Promise<Answer> {
    const response = await super.create(request, body);
    const { documentId } = JSON.parse(response.data) as { documentId: string };
    return response.withStatus(202).withHeaders({ Location: `/api/authors/${documentId}` });
  }

  override async delete(request: object): Promise<Answer> {
    return (await super.delete(request)).withStatus(200).withMeta({ gone: true });
  }

  @Get('as/values')
  values(): { plain: boolean } {
    return { plain: true };
  }

  @Get('as/answer/:status')
  answer(@Param('status') status: string): Answer {
    return new Answer('[1.0]').withStatus(Number(status));
  }
}

/** Overrides all routes with one method. */
@Controller()
@UseInterceptors(Guest)
class CategoryController extends CollectionController {
  protected override async perform(request: object, body?: unknown): Promise<Answer> {
    return (await super.perform(request, body)).withMeta({ performed: true });
  }
}

@Controller()
class HomepageController extends SingleController {
  @UseInterceptors(Guest)
  override find(request: object): Promise<Answer> {
    return super.find(request);
  }
}

/** Changes the data of a response. */
@Controller()
class TermController extends CollectionController {
  override async find(request: object): Promise<Answer> {
    const response = await super.find(request);
    return response.withData(response.data.replace('"former"', '"changed"'));
  }
}

/** Controller without content routes. */
@Controller('plain')
@UseInterceptors(EnvelopeInterceptor)
class PlainController {
  @Get() find(): Answer {
    return new Answer('{"n":1.50}').withMeta({ of: 'the host' });
  }
  @Delete() remove(@Body() _body: unknown): Answer {
    return Answer.NOTHING;
  }
}

@Module({ controllers: [PlainController] })
class PlainModule {}

const controllers = {
  author: AuthorController,
  category: CategoryController,
  homepage: HomepageController,
  term: TermController,
};

describe.each(ADAPTERS)('responses on %s', (adapter) => {
  let test: TestApp;
  let ann: string;
  beforeAll(async () => {
    test = await createTestApp({ ...blog, controllers, imports: [LicenceModule, PlainModule] }, adapter);
    const { body } = await test.http
      .post('/api/authors')
      .send({ data: { name: 'Ann' } })
      .expect(202);
    ann = body.data.documentId;
    await test.http
      .put('/api/homepage')
      .send({ data: { headline: 'Hello' } })
      .expect(200);
  });
  beforeEach(() => Guest.seen.splice(0));
  afterAll(() => test.close());

  it('an override adds to meta and keeps the pagination', async () => {
    const { body, headers } = await test.http.get('/api/authors').expect(200);
    expect(body.meta).toEqual({
      pagination: { page: 1, pageSize: 25, pageCount: 1, total: 1 },
      licence: 'CC BY 4.0',
    });
    expect([headers['x-of'], headers['content-type']]).toEqual(['all', JSON_TYPE]);
  });

  it('an override sets status and headers', async () => {
    const { headers } = await test.http.get(`/api/authors/${ann}`).expect(203);
    expect([headers['etag'], headers['x-of'], headers['content-type']]).toEqual(['"1"', 'one', JSON_TYPE]);
    const made = await test.http
      .post('/api/authors')
      .send({ data: { name: 'Bea' } })
      .expect(202);
    expect(made.headers['location']).toBe(`/api/authors/${made.body.data.documentId}`);
    const gone = await test.http.delete(`/api/authors/${made.body.data.documentId}`).expect(200);
    expect(gone.text).toBe('{"data":null,"meta":{"gone":true}}');
    expect(gone.headers['content-type']).toBe(JSON_TYPE);
  });

  it('HEAD has the status and headers of GET', async () => {
    const { headers, text } = await test.http.head(`/api/authors/${ann}`).expect(203);
    expect([headers['etag'], headers['content-type'], text]).toEqual(['"1"', JSON_TYPE, undefined]);
  });

  it('an override that changes the data removes the ETag', async () => {
    const made = await test.http
      .post('/api/terms')
      .send({ data: { word: 'former' } })
      .expect(201);
    const { body, headers } = await test.http.get('/api/terms').expect(200);
    expect(body.data[0].word).toBe('changed');
    // Express adds a weak tag of the text that it sends.
    expect(headers['etag'] ?? 'W/').toMatch(/^W\//);
    const one = await test.http.get(`/api/terms/${made.body.data.documentId}`).expect(200);
    expect(one.headers['etag']).toMatch(/^"/);
  });

  it('one override handles all routes', async () => {
    const made = await test.http
      .post('/api/categories')
      .send({ data: { name: 'News' } })
      .expect(201);
    const path = `/api/categories/${made.body.data.documentId}`;
    const meta = { performed: true, guest: true };
    expect(made.body.meta).toEqual(meta);
    expect((await test.http.get(path).expect(200)).body.meta).toEqual(meta);
    expect((await test.http.get('/api/categories').expect(200)).body.meta).toMatchObject(meta);
    expect((await test.http.delete(path).expect(204)).text).toBe('');
  });

  it('an additional route may return plain values or an Answer', async () => {
    expect((await test.http.get('/api/authors/as/values').expect(200)).text).toBe('{"plain":true}');
    const { text, headers } = await test.http.get('/api/authors/as/answer/201').expect(201);
    expect([text, headers['content-type']]).toEqual(['{"data":[1.0],"meta":{}}', JSON_TYPE]);
    for (const status of [204, 304]) {
      const { text: none, headers: few } = await test.http.get(`/api/authors/as/answer/${status}`);
      expect([none, few['content-type']]).toEqual(['', undefined]);
    }
  });

  it('a controller without content routes also gets the envelope', async () => {
    const { text, headers } = await test.http.get('/plain').expect(200);
    expect([text, headers['content-type']]).toEqual([
      '{"data":{"n":1.50},"meta":{"of":"the host"}}',
      JSON_TYPE,
    ]);
    expect((await test.http.delete('/plain').expect(204)).text).toBe('');
  });

  describe('an interceptor of the application', () => {
    it('on a controller gets the Answer and may return another one', async () => {
      expect((await test.http.get('/api/categories').expect(200)).body.meta.guest).toBe(true);
      expect(Guest.seen).toEqual([expect.any(Answer)]);
    });

    it('on a method gets the Answer and may return another one', async () => {
      const { text } = await test.http.get('/api/homepage?fields=headline').expect(200);
      expect(text).toMatch(/"headline":"Hello".*"meta":\{"guest":true\}\}$/);
      await test.http
        .put('/api/homepage')
        .send({ data: { headline: 'Bye' } })
        .expect(200);
      expect(Guest.seen).toHaveLength(1);
    });

    it('on a controller does not run for rejected requests', async () => {
      await test.http.get('/api/categories?sort=nope').expect(400);
      expect(Guest.seen).toEqual([]);
    });

    it('for the whole application gets the serialized text', async () => {
      const whole = await createTestApp(blog, adapter, (app) => app.useGlobalInterceptors(new Guest()));
      await whole.http.get('/api/categories').expect(200);
      expect(Guest.seen).toEqual([expect.stringMatching(/^\{"data":\[\],"meta":\{"pagination":/)]);
      await whole.close();
    });
  });

  describe('reduces the requested content before it reads', () => {
    it.each([
      ['an override', '/api/authors?populate[employer]=true&populate[articles][populate][author]=true'],
      ['a generated handler', '/api/articles?populate[author][populate][employer]=true'],
    ])('for %s: no statement names attributes that the caller cannot read', async (_what, path) => {
      const statements = await countStatements(() => test.http.get(path).expect(200));
      expect(statements).toHaveLength(1);
      expect(statements[0]).toContain('"authors"');
      expect(statements[0]).not.toContain('"companies"');
    });

    it.each([
      ['GET', '/api/authors?populate[nope]=true'],
      ['POST', '/api/authors?populate[nope]=true'],
    ])('%s %s: returns 400 for an invalid query without a query to the database', async (method, path) => {
      const send = { GET: () => test.http.get(path), POST: () => test.http.post(path).send({ data: {} }) };
      const asked = await countStatements(() => send[method as keyof typeof send]().expect(400));
      expect(asked).toEqual([]);
    });
  });
});
