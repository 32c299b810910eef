/**
 * Runs writes with injected faults, and reports the damage: half a document, a broken pool, a wrong response.
 */
import { ConflictException, type Type } from '@nestjs/common';
import {
  AfterContent,
  BeforeContent,
  ContentError,
  type ContentEvent,
  OnContentCommitted,
} from 'nestjs-content-api';
import { type BusyApp, type Reply, startBusy } from '../concurrency/app.ts';
import { busy } from '../concurrency/model.ts';
import { createDatabase } from '../support/database.ts';
import { lookUntil } from '../support/look-until.ts';
import { poolOf } from '../support/pool-of.ts';
import { Injector, isRetried, type Mode, MODES, SECRET } from './inject.ts';
import { checksum, picture, restore, save, type Tables, tablesOf } from './picture.ts';
import { type Ids, type Scenario, SCENARIOS, seed } from './scenarios.ts';

type HookAction = ContentEvent['action'];

/** Fewer connections than faults, so that a lost one is noticed. */
const POOL = 3;

export type Fault =
  | { readonly kind: 'statement'; readonly mode: Mode; readonly at: number }
  | {
      readonly kind: 'constraint';
      readonly table: string;
      readonly operation: string;
      readonly deferred: boolean;
      readonly code: string;
    }
  | {
      readonly kind: 'hook';
      readonly moment: 'before' | 'after' | 'committed';
      readonly action: HookAction;
      readonly error: keyof typeof ERRORS;
    };

export const describeFault = (fault: Fault): string =>
  fault.kind === 'statement'
    ? `${fault.mode} at statement ${fault.at}`
    : fault.kind === 'constraint'
      ? `${fault.code} ${fault.deferred ? 'at commit' : 'at once'} on ${fault.operation} of ${fault.table}`
      : `${fault.error} thrown in a hook ${fault.moment} ${fault.action}`;

const ERRORS = {
  Error: () => new Error(SECRET),
  ContentError: () => new ContentError('ApplicationError', 'refused by a hook'),
  HttpException: () => new ConflictException('refused by a hook'),
} as const;

const ACTIONS: readonly HookAction[] = ['create', 'update', 'delete', 'publish', 'unpublish', 'discardDraft'];

/** Hooks that throw on demand. */
class Thrower {
  static at: Extract<Fault, { kind: 'hook' }> | null = null;

  private static meet(moment: string, action: HookAction): void {
    const { at } = Thrower;
    if (at !== null && at.moment === moment && at.action === action) throw ERRORS[at.error]();
  }

  before({ action }: { action: HookAction }): void {
    Thrower.meet('before', action);
  }

  after({ action }: { action: HookAction }): void {
    Thrower.meet('after', action);
  }

  committed({ action }: { action: HookAction }): void {
    Thrower.meet('committed', action);
  }
}
const decorate = (name: 'before' | 'after' | 'committed', decorator: MethodDecorator): void =>
  void decorator(
    Thrower.prototype,
    name,
    Object.getOwnPropertyDescriptor(Thrower.prototype, name) as PropertyDescriptor,
  );
decorate('before', BeforeContent('*', ...ACTIONS));
decorate('after', AfterContent('*', ...ACTIONS));
decorate('committed', OnContentCommitted('*', ...ACTIONS));

/** Course of a write without a fault. */
interface Plan {
  readonly scenario: Scenario;
  readonly statements: readonly string[];
  readonly written: Record<string, string[]>;
  /** Tables and operations that it changes rows with. */
  readonly touches: readonly { readonly table: string; readonly operation: string }[];
}

export interface Job {
  readonly scenario: Scenario;
  readonly fault: Fault;
}

export class Engine {
  private app: BusyApp;
  private readonly injector: Injector;
  private readonly hooks: boolean;
  private ids: Ids = {};
  private tables: Tables = new Map();
  private before = '';
  private readonly plans = new Map<Scenario, Plan>();

  private constructor(app: BusyApp, injector: Injector, hooks: boolean) {
    this.app = app;
    this.injector = injector;
    this.hooks = hooks;
  }

  /** With `hooks` every write runs in a transaction of the entity manager; otherwise on the driver itself. */
  static async start(hooks: boolean, scenarios: readonly Scenario[] = SCENARIOS): Promise<Engine> {
    const database = await createDatabase();
    const app = await startBusy({ ...busy, providers: providersOf(hooks), pool: POOL, database });
    const injector = await Injector.install(database.url);
    const engine = new Engine(app, injector, hooks);
    await engine.prepare(scenarios);
    return engine;
  }

  private sql = (text: string, values?: unknown[]): Promise<Record<string, any>[]> =>
    this.injector.sql(text, values);

  private async prepare(scenarios: readonly Scenario[]): Promise<void> {
    this.ids = await seed(this.app);
    this.tables = await tablesOf(this.sql);
    await save(this.sql, this.tables);
    this.before = await checksum(this.sql, this.tables);
    for (const scenario of scenarios) {
      await scenario.run(this.app, this.ids);
      await restore(this.sql, this.tables);
      this.plans.set(scenario, await this.rehearse(scenario));
      await restore(this.sql, this.tables);
    }
  }

  private async rehearse(scenario: Scenario): Promise<Plan> {
    await this.sql(
      'create schema if not exists watch; create table if not exists watch.fired (n serial, t text, o text)',
    );
    await this.sql(`create or replace function watch.fire() returns trigger language plpgsql as
      $$ begin insert into watch.fired (t, o) values (tg_table_name, lower(tg_op)); return null; end $$; truncate watch.fired`);
    for (const table of this.tables.keys())
      await this.sql(
        `create trigger watch_fire after insert or update or delete on public."${table}" for each row execute function watch.fire()`,
      );
    const { result, statements } = await this.injector.during(null, 0, () =>
      scenario.run(this.app, this.ids),
    );
    if (scenario.refused === true ? result.status !== 400 : result.status >= 400)
      throw new Error(`${scenario.name} returns ${result.status} without a fault: ${result.text}`);
    const fired = await this.sql('select distinct t as table, o as operation from watch.fired order by 1, 2');
    for (const table of this.tables.keys()) await this.sql(`drop trigger watch_fire on public."${table}"`);
    const written = await this.picture();
    return { scenario, statements, written, touches: fired as Plan['touches'][number][] };
  }

  private picture(): Promise<Record<string, string[]>> {
    return picture(this.sql, this.tables, new Set(Object.values(this.ids)));
  }

  /** Returns every fault at every place of every write. */
  jobs(modes: readonly Mode[] = MODES): Job[] {
    return [...this.plans.values()].flatMap(({ scenario, statements, touches }) => {
      const faults: Fault[] = statements.flatMap((text, at) =>
        modes
          .filter((mode) => possible(mode, text, this.hooks))
          .map((mode): Fault => ({ kind: 'statement', mode, at })),
      );
      if (scenario.refused !== true) {
        for (const { table, operation } of touches) {
          for (const deferred of [false, true])
            faults.push({ kind: 'constraint', table, operation, deferred, code: '23505' });
          faults.push({ kind: 'constraint', table, operation, deferred: true, code: '40001' });
          faults.push({ kind: 'constraint', table, operation, deferred: false, code: '40P01' });
        }
        if (this.hooks)
          for (const moment of ['before', 'after', 'committed'] as const)
            for (const action of actionsOf(scenario))
              for (const error of ['Error', 'ContentError', 'HttpException'] as const)
                faults.push({ kind: 'hook', moment, action, error });
      }
      return faults.map((fault) => ({ scenario, fault }));
    });
  }

  /** Runs a write with a fault. Returns the problems afterwards. */
  async run({ scenario, fault }: Job): Promise<string[]> {
    const plan = this.plans.get(scenario) as Plan;
    const reply = await this.withFault(fault, () => scenario.run(this.app, this.ids));
    const problems = [...answerProblems(reply), ...(await this.stateProblems(plan, fault, reply))];
    const dead = await this.poolProblems();
    if (dead.length > 0) await this.restart();
    await restore(this.sql, this.tables);
    return [...problems, ...dead];
  }

  /** Replaces an application that has lost connections; the old one may never be able to close. */
  private async restart(): Promise<void> {
    const { database } = this.app;
    void this.app.close().catch(() => undefined);
    await this.sql(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    this.app = await startBusy({
      ...busy,
      providers: providersOf(this.hooks),
      pool: POOL,
      database,
      makeTables: false,
    });
    // The first write of an application has more statements.
    await this.app.client.put(`/api/topics/${this.ids['t3']}`, { name: 'awake' });
  }

  private async hitBy(
    fault: Extract<Fault, { kind: 'statement' }>,
    send: () => Promise<Reply>,
  ): Promise<Hit> {
    const { result, decided } = await this.injector.during(fault.mode, fault.at, send);
    return { ...result, decided };
  }

  private async withFault(fault: Fault, send: () => Promise<Reply>): Promise<Hit> {
    const reply = async (): Promise<Reply> => {
      let late: NodeJS.Timeout | undefined;
      const slow = new Promise<Reply>(
        (resolve) =>
          (late = setTimeout(
            () => resolve({ status: 0, text: 'no response within 20 s', body: null }),
            20_000,
          )),
      );
      const answer = await Promise.race([
        send().catch((error: unknown): Reply => ({ status: 0, text: String(error), body: null })),
        slow,
      ]);
      clearTimeout(late);
      return answer;
    };
    switch (fault.kind) {
      case 'statement':
        return this.hitBy(fault, reply);
      case 'hook':
        Thrower.at = fault;
        return reply().finally(() => (Thrower.at = null));
      default: {
        const { table, operation, deferred, code } = fault;
        // A sequence does not roll back, so a retryable error occurs only once.
        await this
          .sql(`drop sequence if exists watch.once; create sequence watch.once; create or replace function watch.fail() returns trigger language plpgsql as
          $$ begin if ${code === '23505'} or nextval('watch.once') = 1 then raise exception '${SECRET}' using errcode = '${code}', constraint = 'some_constraint'; end if; return ${deferred ? 'null' : operation === 'delete' ? 'old' : 'new'}; end $$`);
        await this.sql(
          deferred
            ? `create constraint trigger watch_fail after ${operation} on public."${table}" deferrable initially deferred for each row execute function watch.fail()`
            : `create trigger watch_fail before ${operation} on public."${table}" for each row execute function watch.fail()`,
        );
        try {
          return await reply();
        } finally {
          await this.sql(`drop trigger watch_fail on public."${table}"`);
        }
      }
    }
  }

  private async stateProblems({ scenario, written }: Plan, fault: Fault, reply: Hit): Promise<string[]> {
    const old = (await checksum(this.sql, this.tables)) === this.before;
    const now = old ? null : await this.picture();
    const fresh =
      now !== null &&
      Object.entries(written).every(([table, rows]) => JSON.stringify(rows) === JSON.stringify(now[table]));
    if (!old && !fresh)
      return [`neither the old nor the new document is stored: ${difference(written, now ?? {})}`];
    const succeeded = reply.status > 0 && reply.status < 400;
    if (succeeded && scenario.refused === true) return [`answered ${reply.status}`];
    if (succeeded && !fresh) return [`returned ${reply.status}, but nothing is stored`];
    // A COMMIT with a lost result may be reported as unknown. No server fails after it has committed.
    const isUnknown = reply.decided === true && reply.body?.error?.name === 'OutcomeUnknownError';
    const isMadeUp = fault.kind === 'statement' && fault.mode === 'after' && reply.decided === true;
    const problems: string[] = [];
    if (!succeeded && fresh && !isUnknown && !isMadeUp)
      problems.push(`returned ${reply.status}, but the write is stored`);
    if (mustSucceed(fault) && scenario.refused !== true && !succeeded)
      problems.push(`returned ${reply.status}, although a retry would succeed: ${reply.text}`);
    if (fault.kind === 'hook' && fault.moment !== 'committed') {
      const expected = { Error: 500, ContentError: 400, HttpException: 409 }[fault.error];
      if (reply.status !== expected && !(reply.text === '' && reply.status >= 400))
        problems.push(`returned ${reply.status}, although a hook threw a ${fault.error}`);
    }
    return problems;
  }

  private async poolProblems(): Promise<string[]> {
    const pool = await poolOf(this.app.app);
    const taken = await lasting(() => Promise.resolve(pool.totalCount - pool.idleCount));
    if (taken > 0) return [`${taken} connections were not returned to the pool`];
    const read = await this.app.client.get(`/api/topics/${this.ids['t3']}`);
    const write = await this.app.client.put(`/api/topics/${this.ids['t3']}`, { name: 'alive' });
    const stuck = await lasting(async () => (await this.sql(OPEN)).length);
    return [
      ...(read.status === 200 ? [] : [`the next read returned ${read.status}`]),
      ...(write.status === 200 ? [] : [`the next write returned ${write.status}`]),
      ...(stuck === 0 ? [] : [`${stuck} connections are left in a transaction`]),
    ];
  }

  async stop(): Promise<void> {
    await this.injector.remove();
    await this.app.close();
    await this.app.database.drop();
  }
}

const OPEN = `select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;

/** Returns the lasting number; the change log briefly uses connections too. */
const lasting = (count: () => Promise<number>): Promise<number> => lookUntil(count, (found) => found === 0);

const providersOf = (hooks: boolean): Type[] => (hooks ? [Thrower] : []);

const mustSucceed = (fault: Fault): boolean =>
  fault.kind === 'statement'
    ? isRetried(fault.mode)
    : fault.kind === 'constraint'
      ? fault.code !== '23505'
      : fault.moment === 'committed';

/**
 * Retryable errors come from statements within transactions. If the entity manager begins the transaction, a
 * BEGIN or ROLLBACK on a working connection does not fail. A failure would cost a slot of the pool
 * (kysely-org/kysely#1990). Lost connections must not cost one.
 */
const possible = (mode: Mode, text: string, hooks: boolean): boolean =>
  /^(begin|start transaction|rollback)/i.test(text)
    ? !isRetried(mode) && !(hooks && ['before', 'after', 'timeout'].includes(mode))
    : true;

/** Returns the actions of a write's hooks. */
function actionsOf({ name }: Scenario): HookAction[] {
  if (name.startsWith('DELETE')) return ['delete'];
  if (name === 'unpublish' || name === 'discardDraft') return [name];
  const first: HookAction = name.startsWith('POST') ? 'create' : 'update';
  return /draft$|unique value|own type|setting|of a single/.test(name) ? [first] : [first, 'publish'];
}

/** A response, and whether its COMMIT was running at the fault. */
type Hit = Reply & { readonly decided?: boolean };

function answerProblems({ status, text, body }: Reply): string[] {
  if (status === 0) return [text];
  if (text.includes(SECRET)) return [`the response shows an internal message: ${text}`];
  // A call of the service has no body.
  if (status < 400 || text === '') return [];
  const { data, error } = (body ?? {}) as { data?: unknown; error?: Record<string, unknown> };
  const shape =
    data === null &&
    error !== undefined &&
    error['status'] === status &&
    typeof error['name'] === 'string' &&
    typeof error['message'] === 'string' &&
    typeof error['details'] === 'object';
  return shape ? [] : [`the response is not in the error shape: ${text}`];
}

function difference(expected: Record<string, string[]>, found: Record<string, string[]>): string {
  return Object.keys(expected)
    .flatMap((table) => {
      const missing = (expected[table] ?? []).filter((row) => !found[table]?.includes(row));
      const extra = (found[table] ?? []).filter((row) => !expected[table]?.includes(row));
      return missing.length + extra.length === 0
        ? []
        : [
            `\n  ${table}:\n    expected ${missing.join('\n             ')}\n    found    ${extra.join('\n             ')}`,
          ];
    })
    .join('');
}
