/**
 * Counts the messages that a server sends to PostgreSQL, as a proxy between the two: executed statements, and
 * waits for a response. Prepared statements belong to a session, so the proxy queries their plans on the
 * server's own idle connections.
 */
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Counters of each type of message. */
const CODES = { E: ['statements'], P: ['parsed'], S: ['roundTrips'], Q: ['statements', 'roundTrips'] };
const NOTHING = { statements: 0, parsed: 0, roundTrips: 0 };

/**
 * Starts a proxy for the server behind `databaseUrl`; `url` is its address. `counts` may be reset at any
 * time. `customPlans()` counts custom plans of prepared statements in all open sessions; NaN if a session
 * does not respond.
 */
export async function startCounter(databaseUrl) {
  const { hostname, port } = new URL(databaseUrl);
  const counts = { ...NOTHING };
  const sessions = new Set();
  const server = createServer((client) => {
    const session = new Session(client, connect(Number(port), hostname), counts);
    sessions.add(session);
    client.on('close', () => sessions.delete(session));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.port = String(server.address().port);
  return {
    url: url.href,
    counts,
    reset: () => Object.assign(counts, NOTHING),
    customPlans: async () => {
      let sum = 0;
      for (const session of sessions) sum += await session.number(CUSTOM_PLANS);
      return sum;
    },
    stop: () => {
      for (const session of sessions) session.end();
      return new Promise((done) => server.close(done));
    },
  };
}

const CUSTOM_PLANS = 'select coalesce(sum(custom_plans), 0) from pg_prepared_statements';
const PATIENCE_MS = 5000;

/** Connection of the server. */
class Session {
  /** Whether it is between transactions, without an outstanding response. */
  resting = false;
  /** Handles the response to the proxy's own query; null if all responses belong to the server. */
  asker = null;

  constructor(client, upstream, counts) {
    this.upstream = upstream;
    this.end = () => {
      client.destroy();
      upstream.destroy();
      this.resting = false;
      this.asker?.('Z');
    };
    for (const socket of [client, upstream]) socket.on('error', () => undefined).on('close', this.end);
    const sent = reader(false, (code) => {
      for (const what of CODES[code] ?? []) counts[what] += 1;
    });
    const answered = reader(true, (code, content) => {
      if (code === 'Z') this.resting = content.toString() === 'I';
      this.asker?.(code, content);
    });
    client.on('data', (chunk) => {
      this.resting = false;
      sent(chunk);
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      // Before the last message of the response is read, which ends the query.
      const own = this.asker === null;
      answered(chunk);
      if (own) client.write(chunk);
    });
  }

  /** Returns the number that a query selects; NaN if the connection does not become idle, or ends. */
  async number(sql) {
    const deadline = Date.now() + PATIENCE_MS;
    while (!this.resting) {
      if (Date.now() > deadline || this.upstream.destroyed) return NaN;
      await sleep(5);
    }
    return new Promise((resolve) => {
      let answer = NaN;
      this.asker = (code, content) => {
        // A row: number of columns, length of the first one, its text.
        if (code === 'D') answer = Number(content.toString('utf8', 6));
        if (code !== 'Z') return;
        this.asker = null;
        resolve(answer);
      };
      this.upstream.write(queryMessage(sql));
    });
  }
}

function queryMessage(sql) {
  const message = Buffer.from(`Q....${sql}\0`);
  message.writeInt32BE(message.length - 1, 1);
  return message;
}

/** Calls back with type and content of each message; the first of a client has no type. */
function reader(typed, onMessage) {
  let rest = Buffer.alloc(0);
  let head = typed ? 1 : 0;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      if (rest.length < head + 4) return;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      if (head === 1) onMessage(String.fromCharCode(rest[0]), rest.subarray(5, length));
      head = 1;
      rest = rest.subarray(length);
    }
  };
}
