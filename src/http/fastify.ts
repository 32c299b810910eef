/** What Fastify does otherwise than Express, for the content routes only. */
import type { HttpAdapterHost } from '@nestjs/core';

interface FastifyRequest {
  readonly url: string;
  readonly raw: { readonly headers: Record<string, string | undefined> };
}

interface FastifyRoute {
  readonly url: string;
  readonly method: string | string[];
}

interface FastifyOptions {
  readonly ignoreTrailingSlash?: boolean;
}

interface FastifyInstance {
  readonly initialConfig?: FastifyOptions & { readonly routerOptions?: FastifyOptions };
  addHook(name: 'onRequest', hook: (request: FastifyRequest, reply: unknown, done: () => void) => void): void;
  addHook(name: 'onRoute', hook: (route: FastifyRoute) => void): void;
  route(route: FastifyRoute): void;
}

const pathOf = (url: string): string => (url.split('?', 1)[0] ?? '').toLowerCase();

/** Clients send a JSON content type with every request; without a body there is nothing to parse. */
function dropEmptyBody(request: FastifyRequest): void {
  const { headers } = request.raw;
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0)
    delete headers['content-type'];
}

/** Fastify only: trailing slashes are tolerated and empty bodies are no error, as on Express. */
export function adaptFastify({ httpAdapter }: HttpAdapterHost, owns: (path: string) => boolean): void {
  if (httpAdapter?.getType() !== 'fastify') return;
  const instance = httpAdapter.getInstance<FastifyInstance>();
  instance.addHook('onRequest', (request, _reply, done) => {
    if (request.raw.headers['content-type'] !== undefined && owns(pathOf(request.url)))
      dropEmptyBody(request);
    done();
  });
  const { initialConfig = {} } = instance;
  if (initialConfig.ignoreTrailingSlash === true || initialConfig.routerOptions?.ignoreTrailingSlash === true)
    return;
  instance.addHook('onRoute', (route) => {
    const own = owns(route.url.toLowerCase()) && !route.url.endsWith('/') && route.method !== 'HEAD';
    if (own) instance.route({ ...route, url: `${route.url}/` });
  });
}
