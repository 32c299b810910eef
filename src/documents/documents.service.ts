import { Injectable } from '@nestjs/common';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Caller } from '../access/caller.js';
import { compileRead } from '../compile/compile-read.js';
import { compileDelete, type Referrer } from '../compile/compile-write.js';
import { Database, type Row } from '../database/database.js';
import { singleIndexName, versionIndexName } from '../database/entities.js';
import { notFound, overLimit, validationError } from '../errors.js';
import { planBody } from '../plan/body.js';
import type { ReadPlan } from '../plan/plan.js';
import { type PlanBase, planRead, type ReadRequest } from '../plan/plan-read.js';
import { parseQuery } from '../query/parse-query.js';
import { type RawQuery, readRaw } from '../query/read-raw.js';
import type { ContentType } from '../schema/model.js';
import { rightsOf } from '../plan/rights.js';
import { Answer } from './answer.js';
import { hashPasswords } from './passwords.js';
import { write } from './write.js';

/** Who writes, and the host's transaction to join, if any. */
export interface WriteOptions {
  readonly caller: Caller;
  readonly em?: SqlEntityManager;
}

/** The spine: a request is parsed once, planned once, printed once, run once. */
@Injectable()
export class Documents {
  constructor(
    private readonly base: PlanBase,
    private readonly database: Database,
  ) {}

  /** A query string as nested values. Throws a 400 when it goes over a budget. */
  readRaw(text: string): RawQuery {
    return readRaw(text, this.base.settings.limits);
  }

  /** Parses and plans a read, or the read that answers a write. Throws the protocol's 400, 403 and 404. */
  plan(type: ContentType, raw: RawQuery, request: Omit<ReadRequest, 'type'>): ReadPlan {
    return planRead(parseQuery(raw, this.base.settings), { ...request, type }, this.base);
  }

  /** Reads what was planned, in one statement. Throws NotFoundError where one document was asked and is not there. */
  async read(plan: ReadPlan): Promise<Answer> {
    const rows = await this.database.read(compileRead(plan));
    return this.answer(plan, rows);
  }

  /** Creates a document and reads it back as planned. */
  create(plan: ReadPlan, body: unknown, options: WriteOptions): Promise<Answer> {
    return this.write(plan, body, options, null);
  }

  /** Updates a document, or creates a single type's; reads it back as planned. */
  update(plan: ReadPlan, body: unknown, options: WriteOptions): Promise<Answer> {
    return this.write(plan, body, options, plan.documentId);
  }

  private async write(plan: ReadPlan, raw: unknown, { caller, em }: WriteOptions, documentId: string | null): Promise<Answer> {
    const { type } = plan;
    const { published } = plan.version;
    const locale = this.writeLocale(plan);
    const body = planBody(raw, type, rightsOf(caller.permissions, true), this.base.settings.limits.bodyNodes);
    const hashes = await hashPasswords(body.passwords);
    const values = new Map([...body.values].flatMap(([name, given]) => (given.kind === 'scalar' ? [[name, given.raw] as const] : [])));
    const retryOn = [versionIndexName(type), singleIndexName(type)];
    const work = { values, retryOn, ...(em === undefined ? {} : { joined: em }) };
    return this.database.transaction(async (runner) => {
      const written = await write(runner, { type, documentId, locale, publish: published, body, hashes });
      return this.answer(plan, await runner.run(compileRead({ ...plan, documentId: written })));
    }, work);
  }

  /** Deletes the planned locale's versions, draft and published; nothing to delete is no error (protocol 1.5, 8.7, 9.8). */
  async delete(plan: ReadPlan, { em }: WriteOptions): Promise<void> {
    const { type, version } = plan;
    if (type.draftAndPublish && !version.published) {
      throw validationError('Invalid status parameter. A draft cannot be deleted alone', { key: 'status', path: null, source: 'query', param: 'status' });
    }
    const locale = !type.localized || version.locale.kind === 'any' ? null : this.writeLocale(plan, true);
    const statement = compileDelete(type, plan.documentId, locale, this.referrersOf(type));
    await this.database.transaction((runner) => runner.run(statement), { values: new Map(), retryOn: [], ...(em === undefined ? {} : { joined: em }) });
  }

  /** The one locale that a write is about. An unknown code is a 400, except where there is only something to delete (D19). */
  private writeLocale({ type, version }: ReadPlan, anyCode = false): string {
    const { defaultLocale, locales } = this.base.settings;
    if (!type.localized) return defaultLocale;
    const details = { key: 'locale', path: null, source: 'query', param: 'locale' };
    if (version.locale.kind !== 'one') throw validationError('Invalid locale param * provided. Document locales must be strings.', details);
    const { code } = version.locale;
    if (!anyCode && !locales.includes(code)) throw validationError(`Invalid locale "${code}". Expected one of: ${locales.join(', ')}`, details);
    return code;
  }

  private referrersOf(type: ContentType): Referrer[] {
    return [...this.base.schema.types.values()].flatMap((owner) =>
      [...owner.attributes.values()].flatMap((attribute): Referrer[] =>
        attribute.kind === 'relation' && attribute.target === type && (attribute.join.kind === 'link' || attribute.join.kind === 'column') ? [{ type: owner, attribute }] : [],
      ),
    );
  }

  private answer(plan: ReadPlan, rows: readonly Row[]): Answer {
    const { data, total } = rows[0] as { readonly data: string | null; readonly total?: number | null };
    if (data === null) throw notFound();
    const { responseBytes } = this.base.settings.limits;
    if (data.length > responseBytes) throw overLimit('responseBytes', responseBytes, 'The answer is too large');
    return Answer.of(plan, data, total ?? null);
  }
}
