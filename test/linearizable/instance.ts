/**
 * Application in its own process: `fork(instance.ts, [database url, adapter, 'ledger', 'notify' or
 * 'replicas', …urls of replicas])`. Sends its URL, then responds to commands of the parent process.
 */
import type { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { INestApplication } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import {
  CONTENT_ORM,
  CONTENT_SCHEMA,
  ContentMetrics,
  ContentModule,
  type ContentService,
  getContentToken,
} from 'nestjs-content-api';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as Databases from '../../src/content/store/database.ts';
import type * as NativePools from '../../src/pool/native-pool.ts';
import type * as Workers from '../../src/cache/change-log-worker.ts';
import type * as Ledgers from '../../src/cache/change-log.ts';
import type * as Tables from '../../src/content/model/change-log-tables.ts';
import type { Schema } from '../../src/content/model/model.ts';
import { model } from './model.ts';
import { type Sent, textsOf } from '../support/upkeep.ts';
import { watchQueries } from '../support/watch-queries.ts';
import { NotifyChangeLog } from './notify-change-log.ts';

/** Commands to an instance, in addition to HTTP requests. */
export type Command =
  | { readonly do: 'makeTables' | 'look' | 'recount' | 'metrics' | 'reads' | 'close' }
  /** Writes in a transaction of the host, which ends after a while. */
  | {
      readonly do: 'write';
      readonly writes: readonly { readonly documentId: string; readonly token: number }[];
      readonly wait: number;
      readonly rollback: boolean;
    };

export interface Answered {
  readonly id: number;
  readonly value: unknown;
  readonly error: string | null;
}

const underJest = process.env.JEST_WORKER_ID !== undefined;
const load = <T>(room: string): Promise<T> =>
  import(underJest ? `../../src/${room}.ts` : `../../dist/${room}.js`) as Promise<T>;
const { ChangeLogWorker } = await load<typeof Workers>('cache/change-log-worker');
const { ChangeLog } = await load<typeof Ledgers>('cache/change-log');
const { Database } = await load<typeof Databases>('content/store/database');
const { changeLogTablesOf } = await load<typeof Tables>('content/model/change-log-tables');

/** Reads of items. */
export interface ReadCounts {
  /** Sent to servers, by port. */
  readonly sent: Readonly<Record<string, number>>;
  /** Reads with a position to which a replica has responded. */
  readonly reached: number;
}

interface Started {
  readonly adapter: string;
  /** With `replicas` alone, no response is cached. */
  readonly by: string;
  readonly replicas: readonly string[];
}

async function start(databaseUrl: string, { adapter, by, replicas }: Started): Promise<INestApplication> {
  const content = ContentModule.forRoot({
    ...model,
    cache: by === 'replicas' ? false : { bytes: 64_000_000 },
    database: {
      clientUrl: databaseUrl,
      pool: { min: 0, max: 8 },
      replicas: replicas.map((clientUrl) => ({ clientUrl })),
    },
  });
  const builder = Test.createTestingModule({ imports: [content] });
  if (by === 'notify')
    builder.overrideProvider(ChangeLog).useFactory({
      factory: (schema: Schema, database: Databases.Database) =>
        new NotifyChangeLog(
          {
            tables: changeLogTablesOf(schema.file),
            marked: false,
            noted: [],
            open: () => database.open(),
            warn: () => undefined,
          },
          databaseUrl,
        ),
      inject: [CONTENT_SCHEMA, Database],
    });
  const module = await builder.compile();
  const app =
    adapter === 'fastify'
      ? module.createNestApplication<NestFastifyApplication>(new FastifyAdapter())
      : module.createNestApplication();
  app.useLogger(['fatal']);
  await app.listen(0, '127.0.0.1');
  return app;
}

class Rollback extends Error {}

async function write(app: INestApplication, command: Extract<Command, { do: 'write' }>): Promise<unknown> {
  const items = app.get<ContentService>(getContentToken('item'), { strict: false });
  const em = app.get<MikroORM>(CONTENT_ORM).em as SqlEntityManager;
  const seqs: unknown[] = [];
  try {
    await em.transactional(async (inside) => {
      for (const { documentId, token } of command.writes)
        seqs.push(await items.update(documentId, { token }, { fields: ['seq'] }, { em: inside }));
      await sleep(command.wait);
      if (command.rollback) throw new Rollback();
    });
  } catch (error) {
    if (!(error instanceof Rollback)) throw error;
  }
  return seqs;
}

/** A statement begins with a comment that names its route. */
const READ_OF_ITEMS = /^(\/\*[^*]*\*\/ )?select[^]*from "items"/;

/** Counts the reads of this process from now on. */
async function countReads(): Promise<ReadCounts> {
  const counts = { sent: {} as Record<string, number>, reached: 0 };
  const { NativePool } = await load<typeof NativePools>('pool/native-pool');
  const { runIf } = NativePool.prototype;
  NativePool.prototype.runIf = async function (...read): ReturnType<typeof runIf> {
    const rows = await runIf.apply(this, read);
    if (rows !== null) counts.reached += 1;
    return rows;
  };
  const watch = (query: Sent, { port }: { readonly port: number }): void => {
    const reads = textsOf(query).filter((text) => READ_OF_ITEMS.test(text));
    counts.sent[port] = (counts.sent[port] ?? 0) + reads.length;
  };
  void watchQueries(watch, () => new Promise<never>(() => undefined));
  return counts;
}

const [databaseUrl = '', adapter = 'express', by = 'ledger', ...replicas] = process.argv.slice(2);
const counts = await countReads();
const app = await start(databaseUrl, { adapter, by, replicas });

async function perform(command: Command): Promise<unknown> {
  if (command.do === 'write') return write(app, command);
  if (command.do === 'metrics') return app.get(ContentMetrics).cache;
  if (command.do === 'reads') return counts;
  if (command.do === 'recount') return void (await app.get(ContentMetrics).recount());
  if (command.do === 'close') return app.close();
  if (command.do === 'makeTables') await app.get<MikroORM>(CONTENT_ORM).schema.create();
  return app.get(ChangeLogWorker).maintain();
}

process.on('message', ({ id, command }: { readonly id: number; readonly command: Command }) => {
  const answer = (value: unknown, error: string | null): unknown =>
    process.send?.({ id, value, error } satisfies Answered);
  perform(command).then(
    (value) => answer(value, null),
    (error: unknown) => answer(null, String(error)),
  );
});
process.on('disconnect', () => process.exit(0));
process.send?.({ url: await app.getUrl() });
