/** Runs a random pair of models: from content under the first one to the second, back and there again. */
import { ContentMetrics, ContentModelError, contentMigration, migrateContent } from 'nestjs-content-api';
import type { Host } from '../../http/helpers.ts';
import { emptyDatabase, type TestDatabase } from '../../support/database.ts';
import { ADMIN, applyStatements, type Model, ormOf, start, statementsLeft } from '../run.ts';
import { compare } from './compare.ts';
import { fill } from './content.ts';
import { Dice } from './dice.ts';
import { PairFailure } from './failure.ts';
import { sketchOf } from './generate.ts';
import { type Dump, ContentReader } from './content-reader.ts';
import { changed } from './operations.ts';
import { allMembers, type Member, print, type Sketch } from './sketch.ts';

export interface PairOutcome {
  readonly result: 'migrated' | 'refused' | 'model error';
  readonly hasBack: boolean;
  readonly requests: number;
  /** Refusals whose advice was followed. */
  readonly advised: number;
}

export interface ModelPair {
  readonly before: Sketch;
  after: Sketch;
  readonly changes: readonly string[];
  readonly dice: Dice;
}

export function pairOf(seed: number, number: number): ModelPair {
  const dice = new Dice(seed * 1_000_003 + number);
  const before = sketchOf(dice);
  return { before, ...changed(before, dice), dice };
}

/** Form of every refusal: the change, the number of rows, examples, and the advice. */
const REFUSAL = /^[\w.-]+ [^:]+: \d+ \(.*\)(; .+)?$/s;

/** Follows the advice of a refusal to change definitions. Returns whether it had any. */
function follow(sketch: Sketch, text: string): boolean {
  const choice = text.slice(text.lastIndexOf(');') + 2);
  const [, removed, owner] = /set removed: \['([^']+)'\] (?:on (\S+)|beside)/.exec(choice) ?? [];
  if (removed !== undefined) {
    const holder =
      owner === undefined ? sketch : [...sketch.types, ...sketch.parts].find(({ name }) => name === owner);
    if (holder === undefined || holder.removed.includes(removed)) return false;
    holder.removed.push(removed);
    return true;
  }
  const [, word, path] = /set convert: '(fit|empty)' on (\S+?)(?:,| |$)/.exec(choice) ?? [];
  const found = allMembers(sketch).find(({ owner: { name }, member }) => `${name}.${member.name}` === path);
  if (found === undefined || found.member.options['convert'] === word) return false;
  found.member.options['convert'] = word;
  return true;
}

/** Runs one step of a migration. Every error except model errors is a failure. */
async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ContentModelError || error instanceof PairFailure) throw error;
    throw new PairFailure('raw', `${what}: ${(error as Error).message}`);
  }
}

class PairRun {
  private readonly hosts: Host[] = [];
  private advised = 0;
  private readonly readers: ContentReader[] = [];
  private readonly pair: ModelPair;
  private readonly database: TestDatabase;

  constructor(pair: ModelPair, database: TestDatabase) {
    this.pair = pair;
    this.database = database;
  }

  private async open(model: Model): Promise<Host> {
    const host = await start(this.database, model);
    this.hosts.push(host);
    return host;
  }

  async close(): Promise<void> {
    for (const host of this.hosts) await host.close();
  }

  private reader(host: Host, sketch: Sketch): ContentReader {
    const reader = new ContentReader(host, sketch, this.pair.before.locales);
    this.readers.push(reader);
    return reader;
  }

  private outcome(result: PairOutcome['result'], hasBack: boolean): PairOutcome {
    const requests = this.readers.reduce((sum, reader) => sum + reader.requests, 0);
    return { result, hasBack, requests, advised: this.advised };
  }

  private get later(): Model {
    return print(this.pair.after, this.pair.before);
  }

  /** Members that get a value if they have none: a default, or that of another locale. */
  private get filled(): ReadonlySet<string> {
    const { before, after } = this.pair;
    const former = new Map(allMembers(before).map(({ member }) => [member.key, member.options]));
    const isFilled = ({ key, options }: Member): boolean => {
      const was = former.get(key);
      const isRequired = options['required'] === true && was?.['required'] !== true;
      return isRequired || (was?.['localized'] === true && options['localized'] !== true);
    };
    return new Set(allMembers(after).flatMap(({ member }) => (isFilled(member) ? [member.key] : [])));
  }

  async run(): Promise<PairOutcome> {
    const { before, dice } = this.pair;
    const model = print(before);
    const old = await this.open(model);
    await step('the first migration', () => migrateContent({ orm: ormOf(old), model }));
    await fill(before, dice, {
      get: () => Promise.resolve(null),
      send: (method, path, data) => this.send(old, { method, path, data }),
    });
    const was = await this.reader(old, before).dump();
    if (!(await this.isAllowed(old, was))) return this.outcome('refused', false);

    const { later } = this;
    const { down } = await step('the migration', () => migrateContent({ orm: ormOf(old), model: later }));
    const next = await this.open(later);
    const is = await this.arrived(next, was);
    if (down !== null) await this.backAndForth(down, { old, next, was, is });
    await this.write(next, is);
    return this.outcome('migrated', down !== null);
  }

  private async send(
    host: Host,
    { method, path, data }: { readonly method: string; readonly path: string; readonly data: object },
  ): Promise<any> {
    const response = await fetch(host.url + path, {
      method,
      body: JSON.stringify({ data }),
      headers: { ...ADMIN, 'content-type': 'application/json' },
    });
    const text = await response.text();
    const message = `${method} ${path} ${JSON.stringify(data)} → ${response.status} ${text}`;
    if (response.status >= 500) throw new PairFailure('5xx', message);
    if (response.status >= 400) throw new PairFailure('other', message);
    return (JSON.parse(text) as { data: unknown }).data;
  }

  /** Whether the change is accepted after the advice of all refusals was followed. */
  private async isAllowed(old: Host, was: Dump): Promise<boolean> {
    const { before, after, dice } = this.pair;
    for (let round = 0; round < 8; round += 1) {
      const { later } = this;
      const { refusals, up } = await step('the plan', () =>
        contentMigration({ orm: ormOf(old), model: later }),
      );
      if (refusals.length === 0) return true;
      for (const { text } of refusals)
        if (!REFUSAL.test(text)) throw new PairFailure('raw', `a refusal in another form: ${text}`);
      if (round === 0) {
        const message = await applyStatements(old, up).then(
          () => 'nothing',
          (error: Error) => error.message,
        );
        if (!refusals.some(({ at }) => message.startsWith(at)))
          throw new PairFailure('raw', `the statements fail: ${message}`);
        compare({ before, after: before, was, is: await this.reader(old, before).dump(), filled: new Set() });
        if (dice.chance(15)) return false;
      }
      const followed = refusals.map(({ text }) => follow(after, text));
      if (!followed.includes(true)) return false;
      this.advised += 1;
    }
    throw new PairFailure('other', 'the advice of the refusals does not help');
  }

  /** Checks that all content is unchanged, and that no migration is left. */
  private async arrived(next: Host, was: Dump): Promise<Dump> {
    const { before, after } = this.pair;
    await this.nothingLeft(next, this.later);
    const is = await this.reader(next, after).dump();
    compare({ before, after, was, is, filled: this.filled });
    const wrong = await next.app.get(ContentMetrics, { strict: false }).recount();
    if (wrong.length > 0) throw new PairFailure('totals', JSON.stringify(wrong));
    return is;
  }

  private async nothingLeft(host: Host, model: Model): Promise<void> {
    const left = await statementsLeft(host);
    if (left !== '') throw new PairFailure('other', `MikroORM would change tables: ${left}`);
    const { up } = await step('a second plan', () => contentMigration({ orm: ormOf(host), model }));
    if (up.length > 0) throw new PairFailure('other', `a second migration has statements: ${up.join('; ')}`);
  }

  private async backAndForth(
    down: readonly string[],
    {
      old,
      next,
      was,
      is,
    }: { readonly old: Host; readonly next: Host; readonly was: Dump; readonly is: Dump },
  ): Promise<void> {
    const { before, after } = this.pair;
    const { filled, later } = this;
    await step('the way back', () => applyStatements(old, down));
    await this.nothingLeft(old, print(before));
    compare({ before, after: before, was, is: await this.reader(old, before).dump(), filled });
    await step('the way there again', () => migrateContent({ orm: ormOf(next), model: later }));
    compare({ before: after, after, was: is, is: await this.reader(next, after).dump(), filled });
  }

  /** Writes documents as they are. */
  private async write(next: Host, is: Dump): Promise<void> {
    const { types, locales } = this.pair.after;
    for (const { type: key, status, locale, documents } of is) {
      const type = types.find((one) => one.key === key);
      if (type === undefined || (type.localized && !locales.includes(locale))) continue;
      if (type.drafts && status === 'published') continue;
      for (const id of [...documents.keys()].slice(0, 2)) {
        const path = type.isSingle ? `/api/${type.name}` : `/api/${type.plural}/${id}`;
        const query = [
          ...(type.localized ? [`locale=${locale}`] : []),
          ...(type.drafts ? ['status=draft'] : []),
        ];
        await this.send(next, { method: 'PUT', path: `${path}?${query.join('&')}`, data: {} });
      }
    }
  }
}

/**
 * Applies the change of a pair to a database that it empties. Throws a {@link PairFailure} with the reason.
 */
export async function runPair(pair: ModelPair, database: TestDatabase): Promise<PairOutcome> {
  await emptyDatabase(database);
  const run = new PairRun(pair, database);
  try {
    return await run.run();
  } catch (error) {
    if (!(error instanceof ContentModelError)) throw error;
    return { result: 'model error', hasBack: false, requests: 0, advised: 0 };
  } finally {
    await run.close();
  }
}
