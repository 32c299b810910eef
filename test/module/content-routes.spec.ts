/** Content routes among guards and interceptors of the application: how it recognises and decorates them. */
import { jest } from '@jest/globals';
import {
  BadRequestException,
  type CallHandler,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  type INestApplication,
  Injectable,
  Logger,
  type NestInterceptor,
  NotFoundException,
  Param,
  type PipeTransform,
  Req,
  Scope,
  SetMetadata,
  type Type,
  UseInterceptors,
  UsePipes,
  VersioningType,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, Reflector } from '@nestjs/core';
import {
  CollectionController,
  ContentModule,
  contentRouteOf,
  type ContentModuleOptions,
  isContentRoute,
} from 'nestjs-content-api';
import { map, type Observable } from 'rxjs';
import supertest from 'supertest';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import { tmpdir } from 'node:os';
import { type Host, startHost } from '../http/helpers.ts';
import { ADAPTERS, type Adapter } from '../support/app.ts';
import { note } from '../support/notes.ts';

const Public = () => SetMetadata('public', true);

/** Refuses every request without a key, unless the route is public: a guard as most applications have. */
@Injectable()
class KeyGuard implements CanActivate {
  private readonly reflector = new Reflector();

  canActivate(context: ExecutionContext): boolean {
    return this.reflector.getAllAndOverride('public', [context.getHandler(), context.getClass()]) === true;
  }
}

const seen: unknown[] = [];

@Injectable()
class Recogniser implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    seen.push([isContentRoute(context), contentRouteOf(context)]);
    return true;
  }
}

@Injectable()
class Wrapper implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((result: unknown) => ({ ok: true, result })));
  }
}

@Injectable()
class CarefulWrapper extends Wrapper {
  override intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return isContentRoute(context) ? next.handle() : super.intercept(context, next);
  }
}

@Controller('own')
class Own {
  @Get()
  get(): string {
    return 'own';
  }
}

/** Controller of all paths below one, which the adapters write differently. */
function proxyOn(adapter: Adapter): Type {
  @Controller('api/proxy')
  class Proxy {
    @Get(adapter === 'fastify' ? '*' : '*path')
    path(@Req() { url }: { readonly url: string }): string {
      return url;
    }
  }
  return Proxy;
}

@Injectable()
class Refusing implements PipeTransform {
  transform(): never {
    throw new BadRequestException();
  }
}

@Controller({ host: 'admin.example.com', scope: Scope.REQUEST })
class AdminController extends CollectionController {
  private calls = 0;

  @Get('about/calls')
  count(): string {
    this.calls += 1;
    return String(this.calls);
  }
}

/** Routes of the application below the content prefix. */
@Controller('api/orders')
class Orders {
  @Get('upstream')
  upstream(): never {
    throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
  }

  @Get(':id')
  find(@Param('id') id: string): never {
    throw new NotFoundException(`Cannot find order ${id}`);
  }
}

@Controller({ version: '1' })
class VersionedController extends CollectionController {}

@Controller()
class NoteController extends CollectionController {
  @Get('about/this')
  about(): string {
    return 'notes';
  }
}

interface StartOptions extends Partial<ContentModuleOptions> {
  readonly prepare?: (app: INestApplication) => void;
}

const start = (
  adapter: Adapter,
  providers: readonly object[],
  { prepare = () => undefined, ...options }: StartOptions = {},
): Promise<Host> =>
  startHost(
    ({ url }) => ({
      imports: [
        ContentModule.forRoot({
          contentTypes: [note],
          access: { public: { note: '*', file: '*' } },
          database: { clientUrl: url },
          ...options,
        }),
        FilesModule.forRoot({ storage: new LocalStorage(tmpdir()), images: null }),
      ],
      controllers: [Own, Orders, proxyOn(adapter)],
      providers: [...(providers as [])],
    }),
    { adapter, tables: true, prepare },
  );

describe.each(ADAPTERS)('content routes on %s', (adapter) => {
  it('get the decorators of the options, which guards of the application read', async () => {
    const host = await start(adapter, [{ provide: APP_GUARD, useClass: KeyGuard }], {
      decorators: [Public()],
    });
    const http = supertest.agent(host.url);
    await http.get('/api/notes').expect(200);
    await http.get('/own').expect(403);
    await host.close();
  });

  it('run the interceptors and pipes of these decorators', async () => {
    const host = await start(adapter, [], {
      decorators: [UseInterceptors(Wrapper), UsePipes(Refusing)] as ClassDecorator[],
    });
    const http = supertest.agent(host.url);
    expect((await http.get('/api/notes').expect(200)).body).toMatchObject({ ok: true });
    await http.post('/api/notes').send({ data: {} }).expect(400);
    await host.close();
  });

  it('have the host and the scope of the controller of the application', async () => {
    const host = await start(adapter, [], { controllers: { note: AdminController } });
    const http = supertest.agent(host.url);
    const at = (name: string) => http.get('/api/notes').set('Host', name);
    await at('admin.example.com').expect(200);
    await at('www.example.com').expect(404);
    for (let time = 0; time < 2; time += 1) {
      const { text } = await http.get('/api/notes/about/calls').set('Host', 'admin.example.com').expect(200);
      expect(text).toBe('1');
    }
    await host.close();
  });

  it('are protected at the version of the controller of the application, too', async () => {
    const host = await start(adapter, [], {
      controllers: { note: VersionedController },
      prepare: (app) => void app.enableVersioning({ type: VersioningType.URI }),
    });
    const http = supertest.agent(host.url);
    const { headers } = await http.get('/v1/api/notes').expect(200);
    expect(headers).toMatchObject({
      'cache-control': 'private, no-cache',
      'x-request-id': expect.any(String),
    });
    expect((await http.patch('/v1/api/notes').expect(405)).headers['allow']).toBe('GET, HEAD, POST, OPTIONS');
    expect((await http.post('/v1/api/notes').send('{').type('json').expect(400)).body.error).toMatchObject({
      name: 'SyntaxError',
    });
    await http.get('/api/notes').expect(404);
    await host.close();
  });

  it('leave errors of other routes below their prefix to Nest', async () => {
    const log = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const host = await start(adapter, []);
    const order = await supertest(host.url).get('/api/orders/7').expect(404);
    expect(order.body).toEqual({ statusCode: 404, error: 'Not Found', message: 'Cannot find order 7' });
    await supertest(host.url).get('/api/orders/upstream').expect(500);
    const unknown = await supertest(host.url).get('/api/orders/7/lines').expect(404);
    expect(unknown.body.error).toMatchObject({ name: 'NotFoundError' });
    await host.close();
    log.mockRestore();
  });

  it('leave long paths of other routes below their prefix as they are', async () => {
    const host = await start(adapter, []);
    const long = 'a'.repeat(150);
    const { text } = await supertest(host.url).get(`/api/proxy/${long}`).expect(200);
    expect(text).toBe(`/api/proxy/${long}`);
    await host.close();
  });

  it('and routes of the application below them, are told apart', async () => {
    const host = await start(adapter, [{ provide: APP_GUARD, useClass: Recogniser }], {
      controllers: { note: NoteController },
    });
    const http = supertest.agent(host.url);
    const tell = async (method: 'get' | 'post' | 'delete', path: string): Promise<unknown> => {
      seen.splice(0);
      await http[method](path);
      return seen[0];
    };
    expect(await tell('get', '/api/notes')).toEqual([true, { type: 'note', action: 'find' }]);
    expect(await tell('get', '/api/notes/unknown')).toEqual([true, { type: 'note', action: 'findOne' }]);
    expect(await tell('post', '/api/notes')).toEqual([true, { type: 'note', action: 'create' }]);
    expect(await tell('delete', '/api/notes/unknown')).toEqual([true, { type: 'note', action: 'delete' }]);
    for (const path of ['/api/openapi.json', '/api/i18n/locales', '/api/upload/files'])
      expect(await tell('get', path)).toEqual([true, null]);
    expect(await tell('get', '/own')).toEqual([false, null]);
    expect(await tell('get', '/api/notes/about/this')).toEqual([false, null]);
    await host.close();
  });

  it.each([
    ['that an interceptor wraps are reported once', Wrapper, 1],
    ['that an interceptor leaves alone are not reported', CarefulWrapper, 0],
  ] as const)('%s', async (_title, interceptor, count) => {
    const lines: string[] = [];
    const log = jest
      .spyOn(Logger.prototype, 'warn')
      .mockImplementation((line) => void lines.push(String(line)));
    const host = await start(adapter, [{ provide: APP_INTERCEPTOR, useClass: interceptor }]);
    const http = supertest.agent(host.url);
    for (let i = 0; i < 3; i += 1) await http.get('/api/notes').expect(200);
    await http.get('/api/notes/unknown').expect(404);
    await http
      .post('/api/notes')
      .send({ data: { title: 'ü€' } })
      .expect(201);
    await http.head('/api/notes').expect(200);
    expect((await http.get('/own')).text).toContain('own');
    await host.close();
    log.mockRestore();
    expect(lines.filter((line) => line.includes('isContentRoute'))).toHaveLength(count);
  });
});
