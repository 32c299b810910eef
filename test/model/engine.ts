/** Runs sequences on one application until one finds a difference. Empties its tables after each. */
import fc from 'fast-check';
import { CONTENT_SCHEMA, type ContentSchema } from 'nestjs-content-api';
import { startModel } from './app.ts';
import { Client } from './client.ts';
import { type Command, sequences } from './commands.ts';
import { asOne, invariantsOf } from './invariants.ts';
import { Difference, Sequence, type Tally } from './sequence.ts';

const BATCH = 20;

/** Longest time of a batch in milliseconds, including the search for the smallest sequence. */
const SHRINKING = 240_000;

export interface ModelRun {
  readonly runs: number;
  /** Commands in a sequence, at most. */
  readonly max: number;
  readonly seed: number;
  readonly seconds?: number;
  /** Called regularly. */
  readonly progress?: (tally: Tally) => void;
}

export interface Looks {
  /** Differences with this text are ignored. */
  readonly ignored?: RegExp | null;
  /** Sequences with a difference of this text are abandoned. */
  readonly known?: RegExp | null;
  /** Number of commands between two checks of everything. */
  readonly every?: number;
}

export interface Found {
  readonly commands: readonly Command[];
  readonly difference: Difference;
}

export class Engine {
  readonly tally: Tally = { sequences: 0, commands: 0, refused: 0, known: 0, documents: 0, statuses: {} };
  readonly client: Client;
  private tables: readonly string[] = [];
  private readonly invariants: string;
  private readonly model: Awaited<ReturnType<typeof startModel>>;

  readonly ignored: RegExp | null;
  readonly every: number;
  private readonly known: RegExp | null;

  private constructor(
    model: Awaited<ReturnType<typeof startModel>>,
    url: string,
    { ignored = null, known = null, every = 1 }: Looks,
  ) {
    this.model = model;
    this.ignored = ignored;
    this.known = known;
    this.every = every;
    this.invariants = asOne(
      invariantsOf(model.app.app.get<ContentSchema>(CONTENT_SCHEMA, { strict: false })),
    );
    this.client = new Client(url);
  }

  static async start(looks: Looks = {}): Promise<Engine> {
    const model = await startModel();
    const engine = new Engine(model, await model.app.app.getUrl(), looks);
    const tables = await model.app.sql(
      `select quote_ident(table_name) as name from information_schema.tables
       where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'content_files'`,
    );
    engine.tables = tables.map(({ name }) => String(name));
    return engine;
  }

  get files(): readonly string[] {
    return this.model.files;
  }

  violations = async (): Promise<readonly string[]> => {
    const found = await this.model.app.sql(`execute invariants`).catch(async () => {
      await this.model.app.sql(`prepare invariants as ${this.invariants}`);
      return this.model.app.sql(`execute invariants`);
    });
    return found.map(({ what }) => `in the tables: ${what}`);
  };

  /** Queries or changes the tables. */
  sql = (text: string): Promise<Record<string, any>[]> => this.model.app.sql(text);

  /** Runs one sequence on empty tables. Throws a Difference. */
  async run(commands: readonly Command[]): Promise<void> {
    // Deleting is faster, but leaves dead rows that make every read slower.
    const { tables, tally } = this;
    const deletes = tables.map((table) => `delete from ${table}`).join('; ');
    await this.model.app.sql(tally.sequences % 20 === 19 ? `truncate ${tables.join(', ')}` : deletes);
    try {
      await new Sequence(this.client, this.files, this).run(commands);
    } catch (error) {
      if (!(error instanceof Difference) || this.known?.test(error.message) !== true) throw error;
      this.tally.known += 1;
    }
  }

  /** Runs one sequence; null if it finds no difference. */
  async find(commands: readonly Command[]): Promise<Found | null> {
    try {
      await this.run(commands);
      return null;
    } catch (error) {
      if (!(error instanceof Difference)) throw error;
      return { commands, difference: error };
    }
  }

  /** Runs random sequences. Returns the smallest that finds a difference, or null. */
  async search({ runs, max, seed, seconds = Infinity, progress }: ModelRun): Promise<Found | null> {
    const end = performance.now() + seconds * 1000;
    let last = performance.now();
    let running: Promise<unknown> = Promise.resolve();
    const property = fc.asyncProperty(sequences(max), async (commands) => {
      const run = this.run(commands);
      running = run.catch(() => undefined);
      await run;
      if (performance.now() - last < 5000) return;
      last = performance.now();
      progress?.(this.tally);
    });
    // In batches, so that the time limit does not cut the shrinking short.
    for (let done = 0; done < runs && performance.now() < end; done += BATCH) {
      const numRuns = Math.min(BATCH, runs - done);
      const options = {
        numRuns,
        seed: seed + done,
        interruptAfterTimeLimit: SHRINKING,
        includeErrorInReport: false,
      };
      const details = await fc.check(property, options);
      // After the time limit, one sequence still runs, on the tables of the next one.
      await running;
      if (!details.failed || details.counterexample === null) continue;
      const error: unknown = details.errorInstance;
      if (!(error instanceof Difference)) throw error;
      return this.smaller({ commands: details.counterexample[0], difference: error });
    }
    return null;
  }

  /** Removes the commands that a difference does not need; the last command may be unnecessary too. */
  private async smaller(found: Found): Promise<Found> {
    for (const i of found.commands.keys()) {
      const left = found.commands.toSpliced(i, 1);
      const still = left.length === 0 ? null : await this.find(left);
      if (still !== null) return this.smaller(still);
    }
    return found;
  }

  async close(): Promise<void> {
    this.client.close();
    await this.model.app.close();
  }
}
