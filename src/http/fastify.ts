/** What Fastify's router does otherwise than Express', for the content routes only. */
import type { HttpAdapterHost } from '@nestjs/core';

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
