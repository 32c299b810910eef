import { Injectable } from '@nestjs/common';
import { type Caller, userOf } from '../access/caller.js';
import { Permissions } from '../access/permissions.js';
import { compileAnswer, compileRead } from '../compile/compile-read.js';
import { compileDelete } from '../compile/compile-write.js';
import type { UniqueValues } from '../database/database-errors.js';
import type { Hangup } from '../database/hangup.js';
import type { Row, Runner } from '../database/runner.js';
import { notFound, overLimit, validationError } from '../errors.js';
import { type Body, type BodyRules, type GivenValues, planBody } from '../plan/body.js';
import { onlySent } from '../plan/only-sent.js';
import type { ReadPlan } from '../plan/plan.js';
import { byDocumentId, planRead, type ReadRequest } from '../plan/plan-read.js';
import { writeRightsOf } from '../plan/rights.js';
import { parseQuery } from '../query/parse-query.js';
import { isObject, type QueryDefaults, type RawQuery, readRaw } from '../query/read-raw.js';
import { unstorable } from '../schema/accept.js';
import type { ContentType } from '../schema/model.js';
import type { Statement } from '../sql.js';
import { Answer } from './answer.js';
import type { DocumentsBase } from './documents-base.js';
import { HookRun } from './hook-run.js';
import type { HookAction } from './hooks.js';
import { heavyOf, PlanCache, statementOf } from './plan-cache.js';
import { locksBefore, locksOfChange, locksOfDelete } from './locks.js';
import { hashPasswords } from './passwords.js';
import { referrersOf } from './referrers.js';
import { runVerb } from './verb.js';
import type { WriteOptions } from './write-options.js';
import { discardDraft, unpublish, write } from './write.js';
import { writeLocaleOf } from './write-locale.js';

/** The spine: a request is parsed once, planned once, printed once, run once. */
@Injectable()
export class Documents {
  private readonly cache: PlanCache;

  constructor(private readonly base: DocumentsBase) {
    this.cache = new PlanCache(base.settings.maxCachedPlans);
  }

  /**
   * Plans a request from its query string; `defaults` fills in what it does not say. Throws like `plan`, and
   * a 400 when the text goes over a budget.
   */
  planText(text: string, request: ReadRequest, defaults?: QueryDefaults): ReadPlan {
    // No document has such an id, and PostgreSQL would refuse to look for it.
    if (request.by !== null && unstorable(request.by)) throw notFound();
    const { settings } = this.base;
    const raw = (): RawQuery => readRaw(text, settings.limits);
    if (defaults !== undefined) return this.plan(request.type, defaults(raw(), settings), request);
    return this.cache.plan(text, request, (asked) => this.plan(asked.type, raw(), asked));
  }

  /** Parses and plans a read, or the read that answers a write. Throws the protocol's 400, 403 and 404. */
  plan(type: ContentType, raw: RawQuery, request: Omit<ReadRequest, 'type'>): ReadPlan {
    return planRead(parseQuery(raw, this.base.settings), { ...request, type }, this.base);
  }

  /**
   * Reads what was planned, in one statement. Throws NotFoundError where one document was asked and is not
   * there.
   */
  async read(plan: ReadPlan, hangup: Hangup | null = null): Promise<Answer> {
    const statement = statementOf(plan, (asked) => this.compile(asked));
    return this.answer(plan, await this.base.database.run(statement, { hangup, heavy: heavyOf(plan) }));
  }

  /** Creates a document and answers it as planned. */
  create(plan: ReadPlan, body: unknown, options: WriteOptions): Promise<Answer> {
    return this.write({ ...plan, documentId: null }, body, options, 'create');
  }

  /**
   * Updates a document, or creates a single type's; answers it as planned, as far as the caller may read it.
   */
  update(plan: ReadPlan, body: unknown, options: WriteOptions): Promise<Answer> {
    if (plan.documentId === null && plan.type.kind === 'collectionType') throw notFound();
    return this.write(plan, body, options, 'update');
  }

  private async write(
    plan: ReadPlan,
    raw: unknown,
    options: WriteOptions,
    action: 'create' | 'update',
  ): Promise<Answer> {
    const { type, documentId, version } = plan;
    const { caller } = options;
    const publish = version.published || !type.draftAndPublish;
    const locale = writeLocaleOf(plan, this.base.settings);
    const actions: HookAction[] = type.draftAndPublish && publish ? [action, 'publish'] : [action];
    const hooks = this.hookRun(plan, caller, actions);
    const rules: BodyRules = {
      rights: writeRightsOf(caller, { type, action, published: publish }),
      creator: action === 'create' ? userOf(caller) : null,
      changed: new Set<string>(),
      maxNodes: this.base.settings.limits.bodyNodes,
    };
    // What the caller sent is refused before a connection is taken and before any hook sees it. Hooks may
    // change it, so what they leave behind is checked again.
    const sent = planBody(raw, type, rules);
    const { settings } = this.base;
    const hash = (body: Body) => hashPasswords(body, !publish, settings.limits);
    const hashes = hooks.changesData ? null : await hash(sent);
    const values: UniqueValues = new Map();
    const request = { type, documentId, locale, publish, settings, values };
    const locks = locksBefore({ ...request, body: sent });
    const done = await runVerb(this.base.database, {
      target: { type, documentId, locale: null, action },
      locks,
      body: raw,
      hooks,
      values,
      options,
      work: async (runner, { body: left, changed }) => {
        const body = hooks.changesData ? planBody(left, type, { ...rules, changed }) : sent;
        const hashed = hashes ?? (await hash(body));
        return write(runner, { ...request, body, hashes: hashed }, locks);
      },
      answer: (runner, written) => this.readBack({ ...plan, documentId: written }, sent.values, runner),
    });
    if (done === null) throw notFound();
    return done.answer;
  }

  /** The answer to a write: of a document that the caller may not read, only what they sent (D27). */
  private async readBack(plan: ReadPlan, sent: GivenValues, runner: Runner): Promise<Answer> {
    const shown = plan.echoes ? onlySent(plan, sent) : plan;
    const rows = await runner.run(this.compile(shown));
    const { data, over } = rows[0] as { readonly data: string | null; readonly over: boolean };
    if (plan.otherwise === null || data !== null || over) return this.answer(shown, rows);
    return this.readBack({ ...plan.otherwise, documentId: plan.documentId }, sent, runner);
  }

  /**
   * Deletes the planned locale's versions, draft and published; nothing to delete is no error (protocol 1.5,
   * 8.7, 9.8).
   */
  async delete(plan: ReadPlan, options: WriteOptions): Promise<void> {
    const { type, version, documentId } = plan;
    if (documentId === null && type.kind === 'collectionType') throw notFound();
    if (type.draftAndPublish && !version.published) throw lonelyDraft();
    const locale =
      !type.localized || version.locale.kind === 'any' ? null : writeLocaleOf(plan, this.base.settings, true);
    await runVerb(this.base.database, {
      target: { type, documentId, locale, action: 'delete' },
      locks: locksOfDelete(this.base.schema, type, documentId),
      body: null,
      hooks: this.hookRun(plan, options.caller, ['delete']),
      values: new Map(),
      options,
      work: async (runner) => {
        await runner.run(compileDelete(type, documentId, locale, referrersOf(this.base.schema, type)));
        return documentId;
      },
      answer: () => Promise.resolve(null),
    });
  }

  /** Takes the published version away and answers the draft. Throws NotFoundError for an unknown document. */
  unpublish(plan: ReadPlan, options: WriteOptions): Promise<Answer> {
    const locale = writeLocaleOf(plan, this.base.settings);
    return this.changeState(plan, options, 'unpublish', (runner) =>
      unpublish(runner, plan.type, plan.documentId, locale),
    );
  }

  /**
   * Puts the draft back to what is published and answers it. Throws NotFoundError where nothing is published.
   */
  discardDraft(plan: ReadPlan, options: WriteOptions): Promise<Answer> {
    const locale = writeLocaleOf(plan, this.base.settings);
    return this.changeState(plan, options, 'discardDraft', (runner) =>
      discardDraft(runner, plan.type, plan.documentId, locale),
    );
  }

  private async changeState(
    plan: ReadPlan,
    options: WriteOptions,
    action: HookAction,
    work: (runner: Runner) => Promise<unknown>,
  ): Promise<Answer> {
    const { type, documentId } = plan;
    if (documentId === null && type.kind === 'collectionType') throw notFound();
    if (!type.draftAndPublish) throw validationError(`${type.singularApiId} has no drafts`);
    const done = await runVerb(this.base.database, {
      target: {
        type,
        documentId,
        locale: type.localized ? writeLocaleOf(plan, this.base.settings) : null,
        action: 'publish',
      },
      locks: locksOfChange(type, documentId),
      body: null,
      hooks: this.hookRun(plan, options.caller, [action]),
      values: new Map(),
      options,
      work: async (runner) => {
        await work(runner);
        return documentId;
      },
      answer: (runner) => this.readBack(plan, new Map(), runner),
    });
    if (done === null) throw notFound();
    return done.answer;
  }

  /** What hooks are shown: the document with one level populated, whatever the request asked for. */
  private hookRun(plan: ReadPlan, caller: Caller, actions: readonly HookAction[]): HookRun {
    const { type, version } = plan;
    const locale = version.locale.kind === 'one' ? version.locale.code : this.base.settings.defaultLocale;
    return new HookRun(
      this.base,
      { type: type.singularApiId, documentId: plan.documentId, locale, caller, actions },
      async (runner, documentId) => {
        const query = { populate: '*', status: version.published ? 'published' : 'draft', locale };
        const shown = this.plan(type, query, {
          kind: 'one',
          by: byDocumentId(documentId),
          permissions: Permissions.ALL,
          user: null,
          format: 'flat',
          action: 'update',
        });
        const [row] = await runner.run(compileRead(shown));
        const data: unknown = typeof row?.['data'] === 'string' ? JSON.parse(row['data']) : null;
        return isObject(data) ? data : null;
      },
    );
  }

  private compile(plan: ReadPlan): Statement {
    return compileAnswer(plan, this.base.settings.limits.responseBytes);
  }

  private answer(plan: ReadPlan, rows: readonly Row[]): Answer {
    const { data, total, over } = rows[0] as {
      readonly data: string | null;
      readonly total?: number | null;
      readonly over: boolean;
    };
    if (over)
      throw overLimit('responseBytes', this.base.settings.limits.responseBytes, 'The answer is too large');
    if (data === null) throw notFound();
    return Answer.of(plan, data, total ?? null);
  }
}

const lonelyDraft = (): Error =>
  validationError('Invalid status parameter. A draft cannot be deleted alone', {
    key: 'status',
    path: null,
    source: 'query',
    param: 'status',
  });
