/**
 * The same commands from several connections concurrently: no request fails, and the invariants of the tables
 * hold.
 */
import fc from 'fast-check';
import { CONTENT_SCHEMA, type ContentSchema } from 'nestjs-content-api';
import { startModel } from './app.ts';
import { Client, type Reply, type Request } from './client.ts';
import { type Command, command } from './commands.ts';
import { invariantsOf, violations } from './invariants.ts';
import { BulkWrite } from './bulk.ts';
import { bodyOf, dataOf, idempotencyKeyOf, type Names, plainRequest, writeRequest } from './requests.ts';
import { typeNamed } from './shape.ts';
import { World } from './world.ts';

const CONNECTIONS = 8;
/** Few documents, so that writers conflict. */
const MOST = 4;
/** Number of commands between two checks of the tables. */
const TURN = 1000;

export interface CrowdReport {
  readonly statuses: Record<number, number>;
  readonly problems: readonly string[];
  readonly deadlocks: number;
}

export interface CrowdRun {
  readonly commands: number;
  readonly seed: number;
  readonly progress?: (text: string) => void;
}

class Crowd {
  readonly statuses: Record<number, number> = {};
  readonly problems: string[] = [];
  private readonly documents = new Map<string, string[]>();
  private readonly names: Names;
  private readonly client: Client;

  constructor(client: Client, files: readonly string[]) {
    this.client = client;
    const find = (type: string, slot: number): string | undefined => {
      const ids = type === 'file' ? files : (this.documents.get(type) ?? []);
      return ids[slot % Math.max(ids.length, 1)];
    };
    const typeOf = (id: string): string | undefined =>
      [...this.documents].find(([, ids]) => ids.includes(id))?.[0];
    this.names = { world: new World(files), find, typeOf, instanceId: () => undefined };
  }

  async run(one: Command): Promise<void> {
    const type = typeNamed(one.type);
    const ids = this.documents.get(one.type) ?? [];
    this.documents.set(one.type, ids);
    const caller =
      'caller' in one && one.caller !== null ? (this.names.find('person', one.caller) ?? null) : null;
    const id = this.names.find(one.type, one.slot);
    if (one.verb === 'bulk') {
      // Documents are not deleted, and none is created, so that the numbers of the slots stay.
      const items = one.items.filter(({ verb }) => verb !== 'create' && verb !== 'delete');
      const { body } = new BulkWrite(items, { type, caller, atomic: one.atomic }, this.names);
      const request = { method: 'POST', path: `/api/${type.path}/bulk`, body, caller };
      if (id !== undefined && items.length > 0) this.note(await this.send(request, one), { ...one, items });
      return;
    }
    if (one.verb === 'restore') return this.restore(one, id);
    if (!('body' in one)) {
      if (id === undefined) return;
      this.note(await this.send(plainRequest(one, { id, caller }), one), one);
      // Its remaining links in another locale are not visible any more.
      if (one.verb === 'delete' && (one.locale === '*' || !type.localized) && caller === null)
        this.documents.set(
          one.type,
          (this.documents.get(one.type) ?? []).filter((other) => other !== id),
        );
      return;
    }
    const makes = !type.single && (id === undefined || (one.verb === 'create' && ids.length < MOST));
    const command: Command = { ...one, verb: makes ? 'create' : 'update' };
    if (command.verb !== 'create' && command.verb !== 'update') return;
    const data = dataOf(bodyOf(command, this.names), type, this.names);
    const reply = await this.send(
      writeRequest(command, data, { id: makes ? undefined : id, caller }),
      command,
    );
    this.note(reply, command);
    const written: unknown = reply.body?.data?.documentId;
    const known = this.documents.get(one.type) ?? [];
    if (
      reply.status < 300 &&
      typeof written === 'string' &&
      !known.includes(written) &&
      (makes || type.single)
    )
      this.documents.set(one.type, [...known, written].slice(-MOST));
  }

  /** Restores one of the newest versions of a document. */
  private async restore(one: Command & { readonly verb: 'restore' }, id = ''): Promise<void> {
    const type = typeNamed(one.type);
    const path = `/api/${type.path}${type.single ? '' : `/${id}`}/versions`;
    const { body } = await this.client.send({ method: 'GET', path });
    const versions: readonly { readonly id: string }[] = body?.data ?? [];
    const version = versions[one.version % versions.length];
    if (version === undefined) return;
    const request = { method: 'POST', path: `${path}/${version.id}/actions/restore` };
    this.note(await this.send(request, one), one);
  }

  private send(request: Request, command: Command): Promise<Reply> {
    return this.client.send({ ...request, idempotencyKey: idempotencyKeyOf(command) });
  }

  private note({ status, body }: Reply, one: Command): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    if (status >= 500 || status === 409)
      this.problems.push(`${status} ${JSON.stringify(body)} to ${JSON.stringify(one)}`);
  }
}

/** Runs commands concurrently, `CONNECTIONS` at a time. */
export async function runCrowd({ commands, seed, progress }: CrowdRun): Promise<CrowdReport> {
  const { app, files } = await startModel(CONNECTIONS);
  const client = new Client(await app.app.getUrl(), CONNECTIONS);
  const invariants = invariantsOf(app.app.get<ContentSchema>(CONTENT_SCHEMA, { strict: false }));
  const crowd = new Crowd(client, files);
  const queue = fc.sample(command, { seed, numRuns: commands });
  const problems: string[] = [];
  for (let done = 0; done < queue.length && problems.length === 0; done += TURN) {
    const chunk = queue.slice(done, done + TURN);
    const worker = async (): Promise<void> => {
      for (let one = chunk.shift(); one !== undefined; one = chunk.shift()) await crowd.run(one);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, worker));
    problems.push(...(await violations(app.sql, invariants)), ...crowd.problems);
    progress?.(`${Math.min(done + TURN, queue.length)} commands: ${JSON.stringify(crowd.statuses)}`);
  }
  const [{ deadlocks } = { deadlocks: 0 }] = await app.sql(
    'select pg_stat_clear_snapshot(), deadlocks::int from pg_stat_database where datname = current_database()',
  );
  client.close();
  await app.close();
  return { statuses: crowd.statuses, problems, deadlocks: Number(deadlocks) };
}
