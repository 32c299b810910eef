/**
 * One change of a model under load, with two old and two new processes on one database, as in a rolling
 * deployment.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { migrateContent } from 'nestjs-content-api';
import type { Host } from '../http/helpers.ts';
import { createDatabase } from '../support/database.ts';
import { ADMIN, type Change, type Get, type Model, ormOf, routesOf, SECRETS, start } from './run.ts';

/** Number of responses by process, request and status. */
export type RollingOutcome = Readonly<Record<string, number>>;

/** An application and its model; old ones may be behind the tables. */
interface Server {
  readonly host: Host;
  readonly model: Model;
  readonly isOld: boolean;
}

interface Asked {
  readonly path: string;
  readonly method: 'GET' | 'PUT';
  readonly data?: object;
}

/** Whether a request fails only because its process is old, with an error that reports it. */
const isBehind = ({ isOld }: Server, answer: Response): boolean =>
  isOld && answer.status === 503 && answer.headers.get('retry-after') !== null;

class Load {
  readonly counts: Record<string, number> = {};
  private isDone = false;
  private readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  stop(): void {
    this.isDone = true;
  }

  /** Sends requests to one server after the other, until it is stopped. */
  async run(servers: () => readonly Server[], offset: number): Promise<void> {
    for (let n = offset; !this.isDone; n += 1) {
      const all = servers();
      await this.visit(all[n % all.length] as Server, n);
    }
  }

  /** Reads everything, and writes one document back. */
  private async visit(server: Server, n: number): Promise<void> {
    const paths = routesOf(server.model);
    for (const path of paths) await this.ask(server, { method: 'GET', path });
    const types = server.model.contentTypes.filter(
      ({ kind, routes }) => kind !== 'singleType' && routes !== false,
    );
    const type = types[n % types.length];
    if (type === undefined) return;
    const route = `/api/${type.pluralApiId ?? ''}`;
    const list = await this.ask(server, { method: 'GET', path: `${route}?populate=*&status=draft&sort=id` });
    const document = list?.[n % Math.max(1, list.length)];
    if (document === undefined) return;
    const components = Object.entries(type.attributes).filter(
      ([, { type: kind }]) => kind === 'component' || kind === 'dynamiczone',
    );
    const shown = components.map(([name]) => [name, document[name]]).filter(([, value]) => value !== null);
    const data = Object.fromEntries(shown) as object;
    const path = `${route}/${document.documentId}`;
    await this.ask(server, { method: 'PUT', path: `${path}?status=draft`, data });
    // Newer processes publish drafts; older ones must not.
    if (type.draftAndPublish === true && server.isOld)
      await this.ask(server, { method: 'PUT', path, data: {} });
  }

  private async ask(server: Server, { method, path, data }: Asked): Promise<any> {
    const answer = await fetch(`${server.host.url}${path}`, {
      method,
      headers: { ...ADMIN, 'content-type': 'application/json' },
      ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
    });
    const text = await answer.text();
    const key = `${server.isOld ? 'old' : 'new'} ${method} ${answer.status}`;
    this.counts[key] = (this.counts[key] ?? 0) + 1;
    if (answer.status >= 500 && !isBehind(server, answer))
      throw new Error(`${this.name}: ${key} ${path} ${JSON.stringify(data)} → ${text}`);
    if (method === 'GET' && !server.isOld && answer.status === 200) await this.open(server, path);
    return answer.status === 200 && text !== '' ? JSON.parse(text).data : undefined;
  }

  /** Checks that a public response shows no hidden value. */
  private async open({ host }: Server, path: string): Promise<void> {
    const text = await (await fetch(`${host.url}${path.replace('&status=draft', '')}`)).text();
    if (SECRETS.test(text)) throw new Error(`${this.name}: ${path} shows ${text}`);
  }
}

/** Removes times of writes, which change with every write. */
const withoutTimes = (value: unknown): string =>
  JSON.stringify(value, (key, one: unknown) => (/^(updated|published)At$/.test(key) ? undefined : one));

const getter =
  ({ url }: Host): Get =>
  async (path) => {
    const answer = await fetch(`${url}${path}`, { headers: ADMIN });
    return answer.status === 404 ? null : ((await answer.json()) as any).data;
  };

/**
 * Migrates under the load of two old processes, adds two new ones, and checks that all values are unchanged.
 * Throws an Error with the reason.
 */
export async function rollOut(change: Change, milliseconds: number): Promise<RollingOutcome> {
  const { name, before, after } = change;
  const database = await createDatabase();
  const hosts: Host[] = [];
  const open = async (model: Model, isOld: boolean): Promise<Server> => {
    const host = await start(database, model);
    hosts.push(host);
    return { host, model, isOld };
  };
  const load = new Load(name);
  try {
    const first = await start(database, before);
    await migrateContent({ orm: ormOf(first), model: before });
    await change.data({
      get: getter(first),
      send: async (method, path, data) => {
        const answer = await fetch(`${first.url}${path}`, {
          method,
          headers: { ...ADMIN, 'content-type': 'application/json' },
          body: JSON.stringify({ data }),
        });
        if (!answer.ok) throw new Error(`${name}: ${path} ${await answer.text()}`);
        return ((await answer.json()) as any).data;
      },
    });
    await first.close();
    const servers = [await open(before, true), await open(before, true)];
    const old = servers[0] as Server;
    const was = await change.was(getter(old.host));
    let behind = servers;
    // Until the tables change, old processes may publish, which would change the compared content.
    await migrateContent({ orm: ormOf(old.host), model: after });
    const working = [0, 1, 2].map((offset) => load.run(() => behind, offset));
    const failed = Promise.all(working);
    failed.catch(() => load.stop());
    await sleep(milliseconds / 3);
    behind = [...servers, await open(after, false), await open(after, false)];
    await sleep((2 * milliseconds) / 3);
    load.stop();
    await failed;
    const is = await change.is(getter((behind[2] as Server).host));
    const [a, b] = [withoutTimes(was), withoutTimes(is)];
    if (a !== b) throw new Error(`${name}\n  was ${a}\n  is  ${b}`);
    return load.counts;
  } finally {
    load.stop();
    for (const host of hosts) await host.close();
    await database.drop();
  }
}
