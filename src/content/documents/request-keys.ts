/**
 * Idempotency keys: a write with an `Idempotency-Key` runs once, and its response is repeated for 24 hours.
 */
import { createHash } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Caller } from '../access/caller.js';
import {
  compileHoldKey,
  compileStoreAnswer,
  compileStoredAnswer,
  type StoredAnswer,
} from '../compile/compile-request-keys.js';
import type { Database } from '../store/database.js';
import type { Disconnect } from '../../kernel/disconnect.js';
import type { Row, Runner } from '../../pool/runner.js';
import { ContentError } from '../../kernel/errors.js';
import { mutexOf } from '../plan/locks.js';
import type { ReadPlan } from '../plan/plan.js';
import { REPLAYED_HEADER, REQUEST_KEY_HEADER } from '../query/request-key.js';
import { requestKeyTableOf } from '../model/request-keys.js';
import { Answer } from './answer.js';

export interface KeyedRequest {
  readonly key: string;
  readonly caller: Caller;
  readonly plan: ReadPlan;
  readonly content: readonly unknown[];
  readonly disconnect: Disconnect | null;
}

const digest = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

const pending = (): ContentError =>
  new ContentError('ConflictError', `A request with this ${REQUEST_KEY_HEADER} is still running`);

const reused = (): ContentError =>
  new ContentError(
    'UnprocessableEntityError',
    `This ${REQUEST_KEY_HEADER} belongs to another request: use a new key`,
  );

export class RequestKeys {
  private readonly running = new Set<string>();

  constructor(private readonly database: Database) {}

  /**
   * Runs a write once per key and caller. The response is stored in the transaction of the write, so it
   * exists if and only if the write is committed. Throws ConflictError while the first request runs, and
   * UnprocessableEntityError for another request with the same key.
   */
  async once(request: KeyedRequest, write: (em: SqlEntityManager) => Promise<Answer>): Promise<Answer> {
    const { key, caller, plan, content, disconnect } = request;
    const id = digest(caller.kind, caller.id, key);
    const stored = { id, fingerprint: digest(plan.format, ...content) };
    if (this.running.has(id)) throw pending();
    this.running.add(id);
    try {
      return await this.database.transaction(
        (runner) => attempt(runner, { type: plan.type, ...stored }, write),
        {
          values: new Map(),
          retryOn: plan.type.storage.contended,
          shared: true,
          mutex: mutexOf(plan.type, plan.documentId),
          disconnect,
        },
      );
    } finally {
      this.running.delete(id);
    }
  }
}

async function attempt(
  runner: Runner,
  { type, id, fingerprint }: Omit<StoredAnswer, 'answer'> & Pick<ReadPlan, 'type'>,
  write: (em: SqlEntityManager) => Promise<Answer>,
): Promise<Answer> {
  const table = requestKeyTableOf(type);
  const [lock] = await runner.run(compileHoldKey(id));
  if (lock?.['held'] !== true) throw pending();
  const [stored] = await runner.run(compileStoredAnswer(table, id));
  if (stored !== undefined) return replayed(stored, fingerprint);
  if (runner.em === null) throw new Error('The transaction has no entity manager');
  const answer = await write(runner.em);
  const { data, meta, head } = answer;
  await runner.run(
    compileStoreAnswer(table, { id, fingerprint, answer: JSON.stringify({ data, meta, head }) }),
  );
  return answer;
}

function replayed({ fingerprint, answer }: Row, expected: string): Answer {
  if (fingerprint !== expected) throw reused();
  const { data, meta, head } = JSON.parse(String(answer)) as Pick<Answer, 'data' | 'meta' | 'head'>;
  return new Answer(data, meta, head).withHeaders({ [REPLAYED_HEADER]: 'true' });
}
