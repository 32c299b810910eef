import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Starts a server with endpoints that count their requests, and respond after some milliseconds. */
export async function startReceiver(endpoints, milliseconds = 0) {
  const counts = new Map();
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => {
      counts.set(request.url, (counts.get(request.url) ?? 0) + 1);
      if (milliseconds === 0) response.end();
      else setTimeout(() => response.end(), milliseconds);
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://localhost:${server.address().port}`;
  return {
    urls: Array.from({ length: endpoints }, (_, i) => `${url}/endpoint${i}`),
    /** Number of requests to all endpoints. */
    total: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
    /** Waits until each endpoint has received this many requests, and returns the milliseconds. */
    async received(count) {
      const started = performance.now();
      while ([...counts.values()].filter((one) => one >= count).length < endpoints) await sleep(10);
      return performance.now() - started;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
