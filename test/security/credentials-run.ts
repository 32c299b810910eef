/**
 * Sends random requests with random credentials, and searches responses and the log for confidential values.
 */
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { inspect } from 'node:util';
import { SignJWT } from 'jose';
import type * as WorkRoom from '../../src/content/store/background-work.ts';
import { SECRET, tokenIn } from '../accounts/helpers.ts';
import type { Adapter } from '../support/app.ts';
import { loadRoom } from '../support/rooms.ts';
import { type AccountsWorld, startAccounts } from './accounts-world.ts';
import { type Case, NOWHERE, type Secret, type Sent, type Value } from './credentials-cases.ts';

const { BackgroundWork } = await loadRoom<typeof WorkRoom>('content/store/background-work');

/** Prefix of every password of the run, so that a part of one is also found. */
const MARK = 'kAn4ry';

/** Text that no response and no log line may contain. */
const FORBIDDEN: Readonly<Record<string, RegExp>> = {
  'a password': new RegExp(MARK),
  'a password hash': /argon2id\$/,
  'an API token': /nca_/,
  'the hash of an API token': /sha256\$/,
  'a JSON Web Token': /eyJ[\w-]{6}/,
  'a secret, a code or the hash of one': /[\w-]{40}/,
  'the signing secret': new RegExp(SECRET.slice(0, 12)),
  'the database password': /postgres(ql)?:\/\//,
};

/** Returns the forbidden text with its context, or null. */
export function forbiddenIn(text: string): string | null {
  for (const [what, pattern] of Object.entries(FORBIDDEN)) {
    const found = pattern.exec(text);
    if (found !== null) return `${what}: …${text.slice(Math.max(0, found.index - 60), found.index + 60)}…`;
  }
  return null;
}

interface Reply {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends a request byte for byte on its own connection: HTTP clients refuse to send invalid requests. */
function exchange(url: string, bytes: Buffer): Promise<Reply> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    socket.setTimeout(30_000, () => socket.destroy(new Error('no response within 30 s')));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      chunks.length > 0 || error.code === 'ECONNRESET' || error.code === 'EPIPE' ? undefined : reject(error),
    );
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const end = text.indexOf('\r\n\r\n');
      // A connection that the parser closed before its response arrived counts as rejected.
      resolve({
        status: text === '' ? 400 : Number(text.split(' ', 2)[1]),
        head: text.slice(0, end),
        body: end < 0 ? '' : text.slice(end + 4),
      });
    });
    socket.write(bytes);
  });
}

/** Real credentials by kind. Responses add more of them. */
type Pools = Readonly<Record<Exclude<Secret['from'], 'text'>, string[]>>;

interface Person {
  readonly username: string;
  readonly email: string;
  password: string;
}

const ISSUE = [
  '/auth/local',
  '/auth/local/register',
  '/auth/reset-password',
  '/auth/change-password',
  '/auth/refresh',
];

export interface Outcome {
  readonly problems: readonly string[];
  readonly statuses: Readonly<Record<string, number>>;
  /** Responses that contain tokens as intended. */
  readonly issued: number;
  readonly logLines: number;
}

/** Application with users, tokens and a recorded log. */
export class Watched {
  private readonly people: Person[] = [];
  private readonly pools: Pools = {
    jwt: [],
    apiToken: [],
    refreshToken: [],
    expired: [],
    code: [],
    hash: [],
  };
  private readonly log: string[] = [];
  private readonly world: AccountsWorld;
  private passwords = 0;
  private issued = 0;
  private lost = 0;

  private constructor(world: AccountsWorld) {
    this.world = world;
  }

  static async start(adapter: Adapter): Promise<Watched> {
    const watched = new Watched(
      await startAccounts(adapter, { refresh: true, register: { fields: ['nickname'] } }),
    );
    await watched.fill();
    return watched;
  }

  close(): Promise<void> {
    return this.world.close();
  }

  private newPassword(): string {
    this.passwords += 1;
    return `${MARK}-${this.passwords}`;
  }

  private async fill(): Promise<void> {
    const { world, pools } = this;
    const write = (...parts: unknown[]): void =>
      void this.log.push(
        parts.map((part) => (typeof part === 'string' ? part : inspect(part, { depth: 6 }))).join(' '),
      );
    world.app.useLogger({
      log: write,
      error: write,
      warn: write,
      debug: write,
      verbose: write,
      fatal: write,
    });
    for (let i = 0; i < 8; i += 1) {
      const password = this.newPassword();
      const signed = await world.register({ password });
      this.people.push({
        username: String(signed.user['username']),
        email: String(signed.user['email']),
        password,
      });
      pools.jwt.push(signed.jwt);
      pools.refreshToken.push(signed.refreshToken);
    }
    await world.sql(
      `update content_users set role_document_id = (select document_id from content_roles where type = 'manager') where id <= 2`,
    );
    await world.sql('update content_users set blocked = true where id = 5');
    for (const kind of ['read-only', 'full-access'] as const)
      for (let i = 0; i < 2; i += 1)
        pools.apiToken.push((await world.tokens.create({ name: `${kind} ${i}`, kind })).token);
    pools.apiToken.push(
      (
        await world.tokens.create({
          name: 'custom',
          kind: 'custom',
          grants: { note: ['find', 'create'], user: ['find'] },
        })
      ).token,
    );
    for (const which of ['expired', 'revoked']) {
      const { token, documentId } = await world.tokens.create({ name: which, kind: 'full-access', days: 1 });
      pools.expired.push(token);
      if (which === 'revoked') await world.tokens.revoke(documentId);
      else
        await world.sql(
          "update content_api_tokens set expires_at = now() - interval '1 day' where document_id = $1",
          [documentId],
        );
    }
    pools.expired.push(
      await new SignJWT({ id: 1, v: 'x' })
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject('content-user')
        .setIssuedAt(1000)
        .setExpirationTime(2000)
        .sign(new TextEncoder().encode(SECRET)),
    );
    for (const { email } of this.people.slice(2, 6).filter((_, i) => i !== 2))
      pools.code.push(await world.resetCode(email));
    const rows = await world.sql(
      `select password as hash from content_users union all select hash from content_api_tokens union all select reset_password_token from content_users where reset_password_token is not null union all select sessions->0->>'hash' from content_users`,
    );
    pools.hash.push(
      ...rows.map(({ hash }) => String(hash)),
      createHash('sha256')
        .update(pools.refreshToken[0] ?? '')
        .digest('base64url'),
    );
    await world.post('/notes', { data: { title: 'a note' } }, pools.jwt[0]);
    // From now on every third mail fails, which logs a line.
    const { outbox } = world;
    const deliver = outbox.send.bind(outbox);
    outbox.send = async (mail) => {
      if ((this.lost += 1) % 3 === 0) throw new Error('the mail server is unreachable');
      await deliver(mail);
    };
  }

  /**
   * Breaks the database, sends all requests about passwords and tokens, and repairs it. Returns the forbidden
   * text and the number of log lines.
   */
  async broken(
    how: string,
    mend: string,
  ): Promise<{
    readonly found: readonly string[];
    readonly statuses: readonly number[];
    readonly logLines: number;
  }> {
    const [{ username, email, password }, jwt, apiToken, code, refreshToken] = [
      this.person(2),
      this.pools.jwt[0],
      this.pools.apiToken[3],
      this.pools.code[0],
      this.pools.refreshToken[2],
    ] as [Person, string, string, string, string];
    this.log.length = 0;
    await this.world.sql(how);
    const own = this.newPassword();
    const both = { password: own, passwordConfirmation: own };
    const { post, put, get } = this.world;
    const answers = [
      await post('/auth/local', { identifier: username, password }),
      await post('/auth/local/register', { username: 'new one', email: 'new@example.com', password: own }),
      await post('/auth/forgot-password', { email }),
      await post('/auth/reset-password', { code, ...both }),
      await post('/auth/change-password', { currentPassword: this.person(0).password, ...both }, jwt),
      await post('/auth/refresh', { refreshToken }),
      await put('/users/3', { password: own }, apiToken),
      await post('/users', { username: 'another', email: 'another@example.com', password: own }, apiToken),
      await get('/users/me', jwt),
      await get('/notes', apiToken),
    ];
    // Mails are sent after the response.
    await this.world.app.get(BackgroundWork, { strict: false }).waitForAll();
    await this.world.sql(mend);
    const texts = [
      ...answers
        .filter(({ status }) => status >= 400)
        .map(({ headers, body }) => JSON.stringify([headers, body])),
      ...this.log,
    ];
    return {
      found: texts.map(forbiddenIn).filter((found) => found !== null),
      statuses: answers.map(({ status }) => status),
      logLines: this.log.length,
    };
  }

  private secretOf(secret: Secret): string {
    if (secret.from === 'text') return secret.text;
    const pool = this.pools[secret.from];
    const real = pool[secret.which % pool.length] ?? '';
    if (secret.spoil === null) return real;
    const at = secret.spoil.at % Math.max(1, real.length);
    switch (secret.spoil.how) {
      case 'cut':
        return real.slice(0, at);
      case 'flip':
        return `${real.slice(0, at)}${real[at] === 'A' ? 'B' : 'A'}${real.slice(at + 1)}`;
      case 'append':
        return `${real}${String.fromCharCode(33 + (at % 90))}`;
      case 'upper':
        return real.toUpperCase();
      case 'double':
        return real + real;
      case 'shuffle':
        return real.split('.').reverse().join('.');
      case 'first part':
        return real.split(/[._]/)[0] ?? '';
    }
  }

  private person(which: number): Person {
    return this.people[which % this.people.length] as Person;
  }

  private valueOf(value: Value): unknown {
    switch (value.kind) {
      case 'json':
        return value.json;
      case 'secret':
        return this.secretOf(value.secret);
      case 'own':
        return this.newPassword();
      case 'right':
        return this.person(value.which).password;
      default:
        return this.person(value.which)[value.kind];
    }
  }

  private headerOf({ header, scheme, secret, basic }: Sent): string {
    const text = this.secretOf(secret);
    const name = this.person(text.length);
    const credential = basic ? Buffer.from(`${name.username}:${name.password}`).toString('base64') : text;
    // An empty line would end the headers; the server validates everything else.
    return `${header}: ${scheme}${credential.replace(/[\r\n]/g, ' ')}`;
  }

  private bodyOf({ body, malformed, path }: Case): {
    readonly text: string;
    readonly password: string | null;
  } {
    if (body === null) return { text: '', password: null };
    const values = Object.fromEntries(Object.entries(body).map(([key, value]) => [key, this.valueOf(value)]));
    if (path === '/auth/local/register' && body['username']?.kind === 'username')
      Object.assign(values, { username: `new ${this.passwords}`, email: `new${this.passwords}@example.com` });
    if ('passwordConfirmation' in values && body['password']?.kind === body['passwordConfirmation']?.kind)
      values['passwordConfirmation'] = values['password'];
    const json = JSON.stringify('data' in values ? { data: { ...values, data: undefined } } : values);
    const password = typeof values['password'] === 'string' ? values['password'] : null;
    // Without a route of the library, the framework reports errors in a body with an excerpt of it.
    switch (NOWHERE.includes(path) ? 'no' : malformed) {
      case 'no':
        return { text: json, password };
      case 'unquoted':
        return { text: json.replaceAll(new RegExp(`"(${MARK}[^"]*)"`, 'g'), '$1'), password };
      case 'cut':
        return { text: json.slice(0, Math.ceil(json.length * 0.8)), password };
      case 'trailing':
        return { text: `${json}${password ?? 'x'}`, password };
      case 'array':
        return { text: `[${json}]`, password };
      case 'twice':
        return { text: json + json, password };
    }
  }

  /** Returns the complete response to a body, as text. */
  async answerTo(path: string, body: string, contentType = 'application/json'): Promise<string> {
    const { head, body: text } = await exchange(
      this.world.url,
      Buffer.from(
        `POST /api${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: ${contentType}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      ),
    );
    return head + text;
  }

  /** Returns the problem of a response, or null. */
  private async check(one: Case): Promise<{ readonly problem: string | null; readonly status: number }> {
    const { text, password } = this.bodyOf(one);
    const lines = [
      `${one.method} /api${one.path}${one.query === '' ? '' : `?${one.query}`} HTTP/1.1`,
      'host: localhost',
      'connection: close',
      ...one.sent.map((sent) => this.headerOf(sent)),
      ...(text === ''
        ? []
        : [`content-type: ${one.contentType}`, `content-length: ${Buffer.byteLength(text)}`]),
    ];
    const reply = await exchange(
      this.world.url,
      Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(text)]),
    );
    const { status } = reply;
    if (!(status >= 200 && status < 500))
      return { problem: `status ${status}: ${reply.body.slice(0, 300)}`, status };
    const body = this.withoutIssued(one, reply, password);
    const found = forbiddenIn(`${reply.head}\n${body}`);
    return { problem: found === null ? null : `with status ${status}: ${found}`, status };
  }

  /**
   * Returns the body without the tokens that a sign-in returns; they become credentials of later requests.
   */
  private withoutIssued({ path, method }: Case, { status, body }: Reply, password: string | null): string {
    if (status !== 200 || method !== 'POST' || !ISSUE.includes(path)) return body;
    const { jwt, refreshToken, user } = JSON.parse(body) as {
      readonly jwt?: string;
      readonly refreshToken?: string;
      readonly user?: { readonly username: string; readonly email: string };
    };
    this.issued += 1;
    if (jwt !== undefined) this.pools.jwt.push(jwt);
    if (refreshToken !== undefined) this.pools.refreshToken.push(refreshToken);
    const known = this.people.find(({ username }) => username === user?.username);
    if (known !== undefined && password !== null) known.password = password;
    return [jwt, refreshToken].reduce<string>(
      (rest, token) => (token === undefined ? rest : rest.replace(token, '')),
      body,
    );
  }

  /** Sends the cases, a few at a time. Stops at the tenth problem. */
  async run(list: Iterable<Case>, concurrency = 8): Promise<Outcome> {
    const problems: string[] = [];
    const statuses: Record<string, number> = {};
    // Queue that all workers share.
    const queue = (function* (): Generator<Case> {
      yield* list;
    })();
    const before = this.world.outbox.mails.length;
    this.log.length = 0;
    const work = async (): Promise<void> => {
      for (const one of queue) {
        if (problems.length >= 10) return;
        const { problem, status } = await this.check(one);
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (problem !== null)
          problems.push(
            `${one.method} ${one.path}?${one.query} ${JSON.stringify({ ...one, method: undefined, path: undefined, query: undefined }).slice(0, 600)}: ${problem}`,
          );
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    this.pools.code.push(...this.world.outbox.mails.slice(before).map(tokenIn));
    problems.push(
      ...this.log.flatMap((line) => {
        const found = forbiddenIn(line);
        return found === null ? [] : [`in the log: ${found}`];
      }),
    );
    return { problems, statuses, issued: this.issued, logLines: this.log.length };
  }
}
