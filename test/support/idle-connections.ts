import type { INestApplication } from '@nestjs/common';

/**
 * Turns off the server's timeout of idle connections. A client on a busy machine could otherwise send a
 * request on a connection that the server is about to close.
 */
export function keepIdleConnections(app: INestApplication): void {
  const server = app.getHttpServer() as { keepAliveTimeout: number };
  server.keepAliveTimeout = 0;
}
