/** Ways to write a slot: through the library or SQL, fast or slow, committed or rolled back. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Write } from './history.ts';
import { LASTING, REPLACED } from './model.ts';
import type { Instance } from './world.ts';

export interface WriterBase {
  readonly instances: readonly Instance[];
  readonly databaseUrl: string;
  /** The documents of lasting slots. */
  readonly documentIds: readonly string[];
  readonly random: () => number;
  readonly now: () => number;
  /** Returns a token that no write has used. */
  readonly nextToken: () => number;
  /** The columns of the table, except its id. */
  readonly columns: readonly string[];
}

/** Number of each write, null if the response does not contain it. */
type Seqs = readonly (number | null)[];

const seqIn = (document: unknown): number => Number((document as { readonly seq?: unknown }).seq);

/** Client that sends one write after another. */
export class Writer {
  private client: pg.Client | null = null;
  private readonly base: WriterBase;

  constructor(base: WriterBase) {
    this.base = base;
  }

  /** Writes, and records the write. Never throws. */
  async step(note: (write: Write) => void, together: (writes: readonly Write[]) => void): Promise<void> {
    const ways = Object.entries(WAYS);
    const [by, { slots, aborts, run }] = ways[this.whole(ways.length)] as [string, Way];
    const { now, nextToken } = this.base;
    const writes = slots(this).map((slot): Write => ({
      slot,
      by,
      token: nextToken(),
      invoked: now(),
      answered: Infinity,
      seq: null,
      outcome: 'unknown',
    }));
    for (const write of writes) note(write);
    try {
      const seqs = await run(this, writes);
      writes.forEach((write, i) => {
        write.answered = now();
        write.seq = seqs[i] ?? null;
        write.outcome = aborts === true ? 'aborted' : 'done';
      });
      if (writes.length > 1 && aborts !== true) together(writes);
    } catch (error) {
      // A write that PostgreSQL refused has no effect, unless it was prepared. The outcome of all other
      // failures is unknown.
      const isRefused = (error as { readonly severity?: string }).severity === 'ERROR' && by !== 'prepared';
      for (const write of writes) if (isRefused || aborts === true) write.outcome = 'aborted';
      await this.drop();
    }
  }

  whole(below: number): number {
    return Math.floor(this.base.random() * below);
  }

  /** Waits for a random time, mostly short. */
  async hesitate(): Promise<void> {
    await sleep(this.base.random() ** 3 * 150);
  }

  get instance(): Instance {
    const { instances } = this.base;
    return instances[this.whole(instances.length)] as Instance;
  }

  documentOf({ slot }: Write): string {
    return this.base.documentIds[slot] ?? '';
  }

  get columns(): readonly string[] {
    return this.base.columns;
  }

  async sql(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    if (this.client === null) {
      const client = new pg.Client({ connectionString: this.base.databaseUrl });
      client.on('error', () => undefined);
      await client.connect();
      this.client = client;
    }
    return (await this.client.query<Record<string, unknown>>(text, [...values])).rows;
  }

  /** Returns the number of a write by SQL, which must find its row. */
  async update({ slot, token }: Pick<Write, 'slot' | 'token'>): Promise<number> {
    const [row] = await this.sql('update items set token = $1 where slot = $2 returning seq', [token, slot]);
    if (row === undefined) throw new Error(`slot ${slot} has no row`);
    return Number(row['seq']);
  }

  async drop(): Promise<void> {
    const { client } = this;
    this.client = null;
    await client?.end().catch(() => undefined);
  }
}

interface Way {
  readonly slots: (writer: Writer) => readonly number[];
  /** Whether all of it is rolled back. */
  readonly aborts?: boolean;
  readonly run: (writer: Writer, writes: readonly Write[]) => Promise<Seqs>;
}

const lasting = (writer: Writer): readonly number[] => [writer.whole(LASTING)];
const replaced = (writer: Writer): readonly number[] => [LASTING + writer.whole(REPLACED)];
/** In the order in which all writers lock them. */
const two = (writer: Writer): readonly number[] => {
  const first = writer.whole(LASTING - 1);
  return [first, first + 1 + writer.whole(LASTING - 1 - first)];
};

async function updates(writer: Writer, writes: readonly Write[]): Promise<Seqs> {
  const seqs: number[] = [];
  for (const write of writes) seqs.push(await writer.update(write));
  return seqs;
}

async function inHost(writer: Writer, writes: readonly Write[], rollback: boolean): Promise<Seqs> {
  const wait = writer.whole(40);
  const requested = writes.map((write) => ({ documentId: writer.documentOf(write), token: write.token }));
  const answer = await writer.instance.ask({ do: 'write', writes: requested, wait, rollback });
  return (answer as unknown[]).map(seqIn);
}

const WAYS: Readonly<Record<string, Way>> = {
  http: {
    slots: lasting,
    run: async (writer, [write]) => {
      const { token } = write as Write;
      const path = `/api/items/${writer.documentOf(write as Write)}?fields=seq`;
      const { status, body } = await writer.instance.http('PUT', path, { body: { data: { token } } });
      if (status !== 200) throw new Error(`status ${status}: ${body}`);
      return [seqIn((JSON.parse(body) as { readonly data: unknown }).data)];
    },
  },
  sql: { slots: lasting, run: updates },
  merge: {
    slots: lasting,
    run: async (writer, [write]) => {
      const { slot, token } = write as Write;
      await writer.sql(
        `merge into items i using (select $1::int as slot, $2::int as token) s on i.slot = s.slot
         when matched then update set token = s.token`,
        [slot, token],
      );
      return [null];
    },
  },
  slow: {
    slots: two,
    run: async (writer, writes) => {
      await writer.sql('begin');
      const seqs = await updates(writer, writes);
      await writer.hesitate();
      await writer.sql('commit');
      return seqs;
    },
  },
  rollback: {
    slots: two,
    aborts: true,
    run: async (writer, writes) => {
      await writer.sql('begin');
      await updates(writer, writes);
      await writer.hesitate();
      await writer.sql('rollback');
      return [];
    },
  },
  savepoint: {
    slots: lasting,
    run: async (writer, writes) => {
      await writer.sql('begin; savepoint a');
      // No read may ever show it: it is not a token.
      for (const { slot } of writes) await writer.update({ slot, token: -1 });
      await writer.sql('rollback to savepoint a; savepoint b');
      const seqs = await updates(writer, writes);
      await writer.sql('release savepoint b');
      await writer.hesitate();
      await writer.sql('commit');
      return seqs;
    },
  },
  prepared: {
    slots: two,
    run: async (writer, writes) => {
      const name = `items-${writes[0]?.token}`;
      await writer.sql('begin');
      const seqs = await updates(writer, writes);
      await writer.sql(`prepare transaction '${name}'`);
      await writer.hesitate();
      await writer.sql(`commit prepared '${name}'`);
      return seqs;
    },
  },
  unprepared: {
    slots: lasting,
    aborts: true,
    run: async (writer, writes) => {
      const name = `items-${writes[0]?.token}`;
      await writer.sql('begin');
      await updates(writer, writes);
      await writer.sql(`prepare transaction '${name}'`);
      await writer.hesitate();
      await writer.sql(`rollback prepared '${name}'`);
      return [];
    },
  },
  host: { slots: two, run: (writer, writes) => inHost(writer, writes, false) },
  hostRollback: { slots: lasting, aborts: true, run: (writer, writes) => inHost(writer, writes, true) },
  replace: {
    slots: replaced,
    run: async (writer, [write]) => {
      const { slot, token } = write as Write;
      const kept = writer.columns
        .filter((name) => !['document_id', 'token', 'seq'].includes(name))
        .join(', ');
      // Two writers must not mistake each other's row for deleted.
      await writer.sql('begin');
      await writer.sql('select pg_advisory_xact_lock($1)', [slot]);
      const [row] = await writer.sql(
        `with gone as (delete from items where slot = $1 returning *)
         insert into items (document_id, token, seq, ${kept}) select $2, $3, seq + 1, ${kept} from gone returning seq`,
        [slot, `item${token}`, token],
      );
      await writer.hesitate();
      await writer.sql('commit');
      return [seqIn(row)];
    },
  },
};
