/**
 * Counts what a server sends to PostgreSQL, from between the two: statements executed, and times that it
 * waits for an answer. Prepared statements are a session's own affair, so that what became of their plans is
 * asked here, too, on the server's own connections while they rest.
 */
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** What each type of message counts as. */
const CODES = { E: ['statements'], P: ['parsed'], S: ['roundTrips'], Q: ['statements', 'roundTrips'] };
const NOTHING = { statements: 0, parsed: 0, roundTrips: 0 };

/**
 * Stands before the server behind `databaseUrl`; `url` leads to it. `counts` may be set back to zero at any
 * time; `customPlans()` is how often a prepared statement was planned for one execution, in all sessions that
 * are open; NaN where one of them does not tell.
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

/** One connection of the server's. */
class Session {
  /** Whether it is between transactions, and everything sent has been answered. */
  resting = false;
  /** Takes the answer to a question that is not the server's; null when all answers are the server's. */
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
      // Before the last message of the answer is read, which ends the question.
      const own = this.asker === null;
      answered(chunk);
      if (own) client.write(chunk);
    });
  }

  /** The one number that a query selects; NaN where the connection does not come to rest, or ends. */
  async number(sql) {
    const deadline = Date.now() + PATIENCE_MS;
    while (!this.resting) {
      if (Date.now() > deadline || this.upstream.destroyed) return NaN;
      await sleep(5);
    }
    return new Promise((resolve) => {
      let answer = NaN;
      this.asker = (code, content) => {
        // A row: how many columns, the length of the first one, its text.
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

/** Calls back with type and content of each message; the first of a frontend has no type. */
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
