/**
 * Closed-loop load generator: each of `connections` keep-alive connections sends its next request after the
 * previous response.
 *
 * ```js
 * await run({ url, path: '/api/articles', connections: 10, seconds: 8 });
 * await run({ url, paths: ['/api/articles/a', '/api/articles/b'] });
 * await run({ url, request: (index) => ({ method: 'POST', path: '/api/articles', body: { data: { title: `T ${index}` } } }) });
 * ```
 *
 * Pass one of `path`, `paths` (in turn) and `request`. A factory may return `{ method, path, headers, body
 * }`, or a path. A body that is neither text nor a Buffer is sent as JSON. With `count` the run also ends
 * after that many requests. Run it for a second or two before measuring: servers warm up.
 *
 * The generator also needs CPU (about 0.05 ms per request). With few cores, quote ratios of one run and
 * `cpu.mjs`, not absolute numbers.
 */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * @returns {Promise<{ requests: number, rps: number, p50: number | null, p99: number | null, errors: number,
 * bytes: number, statuses: Record<string, number>, seconds: number }>}
 *
 * `requests` is the number sent; `errors` counts failures (status 400 and up, or no response). `rps`, `p50`
 * and `p99` (milliseconds) are of the successful ones. `bytes` counts all response bodies, `statuses` counts
 * by status or error code, `seconds` is the measured time.
 */
export async function run({ url, path, paths, request, connections = 10, seconds = 8, count = Infinity }) {
  const base = new URL(url);
  const next = request ?? ((index) => (paths ?? [path])[index % (paths?.length ?? 1)]);
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const latencies = [];
  const statuses = {};
  let sent = 0;
  let bytes = 0;
  const started = performance.now();
  const deadline = started + seconds * 1000;

  const connection = async () => {
    while (performance.now() < deadline && sent < count) {
      const toSend = httpRequest(base, agent, next(sent++));
      const from = performance.now();
      const answer = await exchange(toSend);
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      bytes += answer.bytes;
      if (answer.status < 400) latencies.push(performance.now() - from);
      else if (typeof answer.status === 'string') await sleep(10); // no response: do not spin on a dead server
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  const elapsed = (performance.now() - started) / 1000;
  agent.destroy();

  latencies.sort((a, b) => a - b);
  return {
    requests: sent,
    rps: latencies.length / elapsed,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    errors: sent - latencies.length,
    bytes,
    statuses,
    seconds: elapsed,
  };
}

function httpRequest(base, agent, spec) {
  const { method = 'GET', path, headers = {}, body } = typeof spec === 'string' ? { path: spec } : spec;
  const options = { agent, host: base.hostname, port: base.port, method, path, headers };
  if (body === undefined) return { options };
  const json = typeof body !== 'string' && !Buffer.isBuffer(body);
  const payload = json ? JSON.stringify(body) : body;
  options.headers = {
    ...(json && { 'content-type': 'application/json' }),
    'content-length': Buffer.byteLength(payload),
    ...headers,
  };
  return { options, payload };
}

/** Never rejects: an error becomes the status. */
function exchange({ options, payload }) {
  return new Promise((resolve) => {
    const failed = (error) => resolve({ status: error.code ?? error.message, bytes: 0 });
    http
      .request(options, (response) => {
        let bytes = 0;
        response.on('data', (chunk) => {
          bytes += chunk.length;
        });
        response.on('end', () => resolve({ status: response.statusCode, bytes }));
        response.on('error', failed);
      })
      .on('error', failed)
      .end(payload);
  });
}

function percentile(sorted, share) {
  return sorted.length === 0 ? null : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
