/**
 * Idempotency keys: a write with an `Idempotency-Key` runs once, and its response is repeated for 24 hours.
 * A caller whose permissions have changed in the meantime gets the ids only. Signed URLs are repeated as they
 * were sent, so that a repetition never extends the access to a file.
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
import { compileRead } from '../compile/compile-read.js';
import type { Database } from '../store/database.js';
import type { Disconnect } from '../../kernel/disconnect.js';
import type { Row, Runner } from '../../pool/runner.js';
import { ContentError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { present } from '../../kernel/present.js';
import { mutexOf } from '../plan/locks.js';
import { openConditions } from '../plan/open-conditions.js';
import type { ReadPlan } from '../plan/plan.js';
import { REPLAYED_HEADER, REQUEST_KEY_HEADER } from '../query/request-key.js';
import type { Schema } from '../model/model.js';
import { requestKeyTableOf } from '../model/request-keys.js';
import { Answer } from './answer.js';

export interface KeyedWrite {
  readonly key: string;
  readonly schema: Schema;
  readonly caller: Caller;
  /** Plan of the response, or of each document in it. */
  readonly plan: ReadPlan;
  /** Plans of documents that the response may contain in other states, or after other actions. */
  readonly otherPlans?: readonly ReadPlan[];
  /** Content of the request: another one with the same key is refused. */
  readonly content: readonly unknown[];
}

export interface KeyedRequest extends KeyedWrite {
  readonly disconnect: Disconnect | null;
}

const digest = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/**
 * Callers of two tenants may have one id, also where they write types that tenants share. Permissions do not
 * count: they may change before a repetition.
 */
function idOf({ caller: { kind, id, attributes = {} }, key, schema }: KeyedWrite): string {
  const named = schema.tenants.filter((name) => Object.hasOwn(attributes, name));
  return digest(kind, id, key, ...named.map((name) => [name, attributes[name]]));
}

const pending = (): ContentError =>
  new ContentError('ConflictError', `A request with this ${REQUEST_KEY_HEADER} is still running`);

const keyReused = (): ContentError =>
  new ContentError(
    'UnprocessableEntityError',
    `This ${REQUEST_KEY_HEADER} belongs to another request: use a new key`,
  );

type Viewed = Pick<KeyedWrite, 'plan' | 'otherPlans' | 'caller'>;

/**
 * Returns a digest of what a caller sees in a response now: the statements that read it, and the values of
 * the conditions of grants. It is equal in all processes.
 */
function viewOf({ plan, otherPlans = [], caller }: Viewed): string {
  const plans = [plan, ...otherPlans].flatMap((one) =>
    one.otherwise === null ? [one] : [one, { ...one.otherwise, operands: one.operands }],
  );
  // With one statement, a caller who may not read the document sees only what it sent.
  const statements = plans.map((one) => {
    const { text, values } = compileRead(one);
    return [text, values, ...(one.echoes ? ['echo'] : [])];
  });
  const limits = (openConditions(caller)?.values ?? []).map((value) => JSON.stringify(value)).sort();
  return digest(statements, limits);
}

/** Returns documents without all that grants can hide. */
function withoutContent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutContent);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => ['id', 'documentId'].includes(name)));
}

type KeyedResponse = Omit<StoredAnswer, 'answer'> & Viewed;

export class RequestKeys {
  private readonly running = new Set<string>();

  constructor(private readonly database: Database) {}

  /**
   * Runs a write once per key and caller. The response is stored in the transaction of the write, so it
   * exists if and only if the write is committed. Throws ConflictError while the first request runs, and
   * UnprocessableEntityError for another request with the same key.
   */
  async once(request: KeyedRequest, write: (em: SqlEntityManager) => Promise<Answer>): Promise<Answer> {
    const { plan, disconnect } = request;
    const id = idOf(request);
    if (this.running.has(id)) throw pending();
    this.running.add(id);
    try {
      return await this.database.transaction((runner) => writeOnce(runner, request, write), {
        values: new Map(),
        retryOn: plan.type.storage.contended,
        shared: true,
        mutex: mutexOf(plan.type, plan.documentId),
        disconnect,
      });
    } finally {
      this.running.delete(id);
    }
  }
}

/** Runs a write once per key and caller, in a transaction of its own. Throws as {@link RequestKeys.once}. */
export async function writeOnce(
  runner: Runner,
  request: KeyedWrite,
  write: (em: SqlEntityManager) => Promise<Answer>,
): Promise<Answer> {
  const { plan, content } = request;
  const id = idOf(request);
  const fingerprint = digest(plan.format, ...content);
  const keyed = { ...request, id, fingerprint };
  const table = requestKeyTableOf(plan.type);
  const [lock] = await runner.run(compileHoldKey(id));
  if (lock?.['held'] !== true) throw pending();
  const [stored] = await runner.run(compileStoredAnswer(table, id));
  if (stored !== undefined) return replayedAnswer(stored, keyed);
  const answer = await write(present(runner.em, 'The entity manager'));
  const { data, meta, head } = answer;
  const text = JSON.stringify({ data, meta, head, view: viewOf(keyed) });
  await runner.run(compileStoreAnswer(table, { id, fingerprint, answer: text }));
  return answer;
}

interface StoredResponse extends Pick<Answer, 'data' | 'meta' | 'head'> {
  /** Missing in responses of earlier versions of the library. */
  readonly view?: string;
}

function replayedAnswer({ fingerprint, answer }: Row, keyed: KeyedResponse): Answer {
  if (fingerprint !== keyed.fingerprint) throw keyReused();
  const { data, meta, head, view } = JSON.parse(String(answer)) as StoredResponse;
  const shown =
    view === viewOf(keyed)
      ? new Answer(data, meta, head)
      : new Answer(JSON.stringify(withoutContent(JSON.parse(data))), {}, head).withMeta({});
  return shown.withHeaders({ [REPLAYED_HEADER]: 'true' });
}
