/** What Fastify does otherwise than Express. */
import type { HttpAdapterHost } from '@nestjs/core';

const FORM = 'multipart/form-data';

interface FastifyRoute {
  readonly url: string;
  readonly method: string | string[];
}

interface FastifyOptions {
  readonly ignoreTrailingSlash?: boolean;
}

interface FastifyInstance {
  readonly initialConfig?: FastifyOptions & { readonly routerOptions?: FastifyOptions };
  addHook(name: 'onRoute', hook: (route: FastifyRoute) => void): void;
  route(route: FastifyRoute): void;
  hasContentTypeParser(type: string): boolean;
  addContentTypeParser(
    type: string,
    parser: (request: object, payload: object, done: (error: null) => void) => void,
  ): void;
}

/** Fastify only: trailing slashes are tolerated, as on Express. */
export function adaptFastify({ httpAdapter }: HttpAdapterHost, owns: (path: string) => boolean): void {
  if (httpAdapter?.getType() !== 'fastify') return;
  const instance = httpAdapter.getInstance<FastifyInstance>();
  const { initialConfig = {} } = instance;
  if (initialConfig.ignoreTrailingSlash === true || initialConfig.routerOptions?.ignoreTrailingSlash === true)
    return;
  instance.addHook('onRoute', (route) => {
    const own = owns(route.url.toLowerCase()) && !route.url.endsWith('/') && route.method !== 'HEAD';
    if (own) instance.route({ ...route, url: `${route.url}/` });
  });
}

/** Fastify only: leaves forms unread for handlers that read them, unless the host has a parser of its own. */
export function leaveForms({ httpAdapter }: HttpAdapterHost): void {
  if (httpAdapter?.getType() !== 'fastify') return;
  const instance = httpAdapter.getInstance<FastifyInstance>();
  if (instance.hasContentTypeParser(FORM)) return;
  instance.addContentTypeParser(FORM, (_request, _payload, done) => done(null));
}
