import { Inject, Injectable } from '@nestjs/common';
import { ContentError, unavailable } from '../../kernel/errors.js';
import { isText } from '../../kernel/json.js';
import { Database } from '../store/database.js';
import { LastConnections } from './last-connections.js';

/** Results of the checks of {@link Readiness}. They name no host, table or error. */
export interface ReadinessChecks {
  /** `'down'` if the database responded to no statement within two seconds. */
  readonly database: 'up' | 'down';
  /** `'missing'` if the tables lack a part of the model; `'unknown'` while the database is down. */
  readonly model: 'up' | 'missing' | 'unknown';
  /** `'stopping'` from the beginning of a shutdown. */
  readonly server: 'up' | 'stopping';
}

/** Milliseconds for the database to respond. */
const PATIENCE = 2000;
/** Milliseconds for which a result is reused, so that probes cost no more than a statement per second. */
const MAX_AGE = 1000;

const PROBLEMS: Readonly<Record<string, string>> = {
  stopping: 'The application is stopping',
  down: 'The database does not respond',
  missing: 'The tables do not match the content model',
};

/** Whether a statement was refused because of other requests, which may get responses. */
const isOverload = (error: unknown): boolean =>
  error instanceof ContentError &&
  isText(error.details['limit']) &&
  error.details['limit'].startsWith('load.');

/** Returns undefined if `work` takes longer than `milliseconds`. */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((done) => (timer = setTimeout(done, milliseconds, undefined)));
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

type DatabaseChecks = Omit<ReadinessChecks, 'server'>;

/**
 * Readiness for requests: the database responds, its tables are those of the model, and the process is not
 * stopping. Concurrent probes share a check.
 */
@Injectable()
export class Readiness {
  private isMigrated = false;
  private last: { readonly at: number; readonly found: Promise<DatabaseChecks> } | null = null;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(LastConnections) private readonly connections: LastConnections,
  ) {}

  async checks(): Promise<ReadinessChecks> {
    if (this.last === null || performance.now() - this.last.at > MAX_AGE)
      this.last = { at: performance.now(), found: this.find() };
    const found = await this.last.found;
    return { ...found, server: this.connections.isStopping ? 'stopping' : 'up' };
  }

  /** Returns null if the process is ready, otherwise the error that a probe receives. */
  async problem(): Promise<ContentError | null> {
    const checks = await this.checks();
    const { server, database, model } = checks;
    const [first] = [server, database, model].flatMap((state) => PROBLEMS[state] ?? []);
    return first === undefined ? null : unavailable(first, { checks });
  }

  private async find(): Promise<DatabaseChecks> {
    if (!(await this.responds())) return { database: 'down', model: 'unknown' };
    this.isMigrated ||= await this.hasTables();
    return { database: 'up', model: this.isMigrated ? 'up' : 'missing' };
  }

  /** A full queue is not a failure while the database responds to the requests in it. */
  private async responds(): Promise<boolean> {
    const answered = this.database.ping().then(
      () => true,
      (error: unknown) => (isOverload(error) ? undefined : false),
    );
    const responds = await within(PATIENCE, answered);
    return responds ?? performance.now() - this.database.respondedAt < PATIENCE;
  }

  private async hasTables(): Promise<boolean> {
    const { away, tables } = await this.database.problems();
    return away === null && tables.length === 0;
  }
}
