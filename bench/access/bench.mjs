/**
 * `npm run bench -- access [--tries 2000]`: checks whether the time of a refusal reveals its cause. Compares
 * sign-in with an unknown name and with a wrong password, and API tokens with an unknown id and with a wrong
 * secret. Sends one request at a time, in turns. Writes bench/results/access.{md,json}.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describePostgres, startDatabases } from '../databases.mjs';
import { spawnServer } from '../spawn-server.mjs';
import { report } from './report.mjs';
import { compare, shuffled, summary } from './statistics.mjs';

const directory = import.meta.dirname;
const results = join(directory, '..', 'results');
const TRIES = 2000;
const WARM_UP = 50;
const KNOWN = 'bench user';
const UNKNOWN = 'bench none';

/** Pairs of refused requests: equal request sizes, equal response bytes. */
const pairs = (token) => {
  const [, lookup, secret] = /^nca_([^_]+)_(.+)$/.exec(token);
  const signIn = (identifier) => ({
    method: 'POST',
    path: '/api/auth/local',
    body: JSON.stringify({ identifier, password: 'wrong password' }),
  });
  const withToken = (prefix) => ({
    method: 'GET',
    path: '/api/notes',
    headers: {
      authorization: `Bearer nca_${prefix}_${randomBytes(32).toString('base64url').slice(0, secret.length)}`,
    },
  });
  const other = lookup.replace(/./g, (digit) => (digit === '0' ? '1' : '0'));
  return [
    {
      name: 'sign-in',
      status: 400,
      groups: [
        { name: 'an unknown name', request: () => signIn(UNKNOWN) },
        { name: 'a wrong password', request: () => signIn(KNOWN) },
      ],
    },
    {
      name: 'API token',
      status: 401,
      groups: [
        { name: 'an unknown prefix', request: () => withToken(other) },
        { name: 'a wrong secret', request: () => withToken(lookup) },
      ],
    },
  ];
};

export async function bench(args) {
  const { values } = parseArgs({ args, options: { tries: { type: 'string', default: String(TRIES) } } });
  const tries = Number(values.tries);
  const databases = await startDatabases();
  let server;
  try {
    server = await spawnServer({
      args: [join(directory, 'server.mjs'), '--database-url', await databases.create()],
      env: { NODE_ENV: 'production' },
    });
    const machine = {
      ...(await describePostgres(databases.url)),
      date: new Date().toISOString().slice(0, 10),
    };
    const send = client(server.url);
    const registered = await send({
      method: 'POST',
      path: '/api/auth/local/register',
      body: JSON.stringify({ username: KNOWN, email: 'bench@example.com', password: 'right password' }),
    });
    if (registered.status !== 200) throw new Error(`cannot register: ${registered.text}`);
    const measured = [];
    for (const pair of pairs(/^token (\S+)$/m.exec(server.output())[1])) {
      const [first, second, control] = await measure(pair, tries, send);
      const groups = [first, second].map((times, i) => ({ name: pair.groups[i].name, ...summary(times) }));
      measured.push({ name: pair.name, groups, ...compare(first, second), control: compare(first, control) });
      console.error(`measured ${pair.name}`);
    }
    const outcome = { machine, options: { tries }, pairs: measured };
    const markdown = report(outcome);
    console.log(markdown);
    // A short run does not replace the numbers of a full one.
    if (tries >= TRIES) {
      await mkdir(results, { recursive: true });
      await writeFile(join(results, 'access.md'), markdown);
      await writeFile(join(results, 'access.json'), `${JSON.stringify(outcome, null, 1)}\n`);
    }
  } finally {
    await server?.stop();
    await databases.stop();
  }
}

/**
 * Times of each try in milliseconds: of both kinds, and of the first kind again as a control. The order
 * within a turn is random.
 */
async function measure({ name, status, groups }, tries, send) {
  const kinds = [...groups, groups[0]];
  const times = kinds.map(() => []);
  let wanted;
  for (let i = -WARM_UP; i < tries; i += 1) {
    for (const which of shuffled([...kinds.keys()])) {
      const answer = await send(kinds[which].request());
      wanted ??= answer.text;
      if (answer.status !== status || answer.text !== wanted)
        throw new Error(`${name}: ${answer.status} ${answer.text} instead of ${status} ${wanted}`);
      if (i >= 0) times[which].push(answer.milliseconds);
    }
  }
  return times;
}

/**
 * HTTP client on one keep-alive connection. It measures from the first byte sent to the last one received.
 */
function client(url) {
  const { hostname, port } = new URL(url);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  return ({ method, path, headers = {}, body = '' }) =>
    new Promise((resolve, reject) => {
      const json =
        body === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const start = performance.now();
      const sent = http.request(
        { agent, hostname, port, method, path, headers: { ...headers, ...json } },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () =>
            resolve({ status: response.statusCode, text, milliseconds: performance.now() - start }),
          );
        },
      );
      sent.on('error', reject).end(body);
    });
}
