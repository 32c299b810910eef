/**
 * Counts what a server sends to PostgreSQL, from between the two: statements executed, and times that it
 * waits for an answer.
 */
import { connect, createServer } from 'node:net';
import { once } from 'node:events';

const CODES = { E: 'statements', Q: 'statements', P: 'parsed', S: 'roundTrips' };

/**
 * Stands before the server behind `databaseUrl`; `url` leads to it. `counts` may be set back to zero at any
 * time.
 */
export async function startCounter(databaseUrl) {
  const { hostname, port } = new URL(databaseUrl);
  const counts = { statements: 0, parsed: 0, roundTrips: 0 };
  const sockets = new Set();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          client.destroy();
          upstream.destroy();
        });
    }
    const read = reader((code) => {
      if (CODES[code] !== undefined) counts[CODES[code]] += 1;
      if (code === 'Q') counts.roundTrips += 1;
    });
    client.on('data', (chunk) => {
      read(chunk);
      upstream.write(chunk);
    });
    upstream.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.port = String(server.address().port);
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((done) => server.close(done));
  };
  return {
    url: url.href,
    counts,
    reset: () => Object.assign(counts, { statements: 0, parsed: 0, roundTrips: 0 }),
    stop,
  };
}

/** Calls back with the type of each message of a connection's frontend; the first message has none. */
function reader(onMessage) {
  let rest = Buffer.alloc(0);
  let first = true;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const head = first ? 0 : 1;
      if (rest.length < head + 4) return;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      if (!first) onMessage(String.fromCharCode(rest[0]));
      first = false;
      rest = rest.subarray(length);
    }
  };
}
