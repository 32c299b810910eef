import { Injectable } from '@nestjs/common';
import { type Caller, scopeOf } from '../access/caller.js';
import { type Action, Permissions } from '../access/permissions.js';
import { compileQueue } from '../compile/compile-load.js';
import { compileFindRecords } from '../compile/compile-record.js';
import { compileAnswer, compileRead } from '../compile/compile-read.js';
import { compileDelete, compileUnpublish } from '../compile/compile-write.js';
import { contendedIndexes } from '../database/entities.js';
import type { Hangup } from '../database/hangup.js';
import type { Row, Runner } from '../database/runner.js';
import { forbidden, notFound, overLimit, validationError } from '../errors.js';
import { type Body, type BodyRules, planBody } from '../plan/body.js';
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
import type { WriteOptions } from './write-options.js';
import { HookRun } from './hook-run.js';
import type { HookAction } from './hooks.js';
import { heavyOf, PlanCache, statementOf } from './plan-cache.js';
import { locksOfChange, locksOfDelete, turnOf } from './locks.js';
import { hashPasswords } from './passwords.js';
import { referrersOf } from './referrers.js';
import { discardDraft, write } from './write.js';
import { writeLocaleOf } from './write-locale.js';

/** Whether a caller who may act on their own documents only means to act on another's. */
async function isForeign(
  runner: Runner,
  { type, documentId }: ReadPlan,
  caller: Caller,
  action: Action,
): Promise<boolean> {
  if (type.owner === null || documentId === null || scopeOf(caller, type, action) !== 'own') return false;
  return (
    (await runner.run(compileFindRecords(type, [{ documentId, [type.owner]: caller.id }], ['id']))).length ===
    0
  );
}

/** What a transaction is for. */
interface TransactionRequest extends Pick<WriteOptions, 'em' | 'hangup'> {
  readonly plan: ReadPlan;
  /** The values being written, for messages about them. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly hooks: HookRun;
}

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

  /** Creates a document and reads it back as planned. */
  create(plan: ReadPlan, body: unknown, options: WriteOptions): Promise<Answer> {
    return this.write({ ...plan, documentId: null }, body, options, 'create');
  }

  /** Updates a document, or creates a single type's; reads it back as planned. */
  update(plan: ReadPlan, body: unknown, options: WriteOptions): Promise<Answer> {
    if (plan.documentId === null && plan.type.kind === 'collectionType') throw notFound();
    return this.write(plan, body, options, 'update');
  }

  private async write(
    plan: ReadPlan,
    raw: unknown,
    { caller, em, hangup }: WriteOptions,
    action: 'create' | 'update',
  ): Promise<Answer> {
    const { type, documentId, version } = plan;
    const publish = version.published || !type.draftAndPublish;
    const locale = writeLocaleOf(plan, this.base.settings);
    const hooks = this.hookRun(
      plan,
      caller,
      type.draftAndPublish && publish ? [action, 'publish'] : [action],
    );
    // Hooks may change the data, so it is checked after them; without hooks, before a connection is taken.
    const rules = {
      rights: writeRightsOf(caller, type, action),
      creator: action === 'create' && caller.kind === 'user' ? caller.id : null,
      changed: new Set<string>(),
      maxNodes: this.base.settings.limits.bodyNodes,
    };
    const body = hooks.changesData ? null : await this.prepare(raw, type, rules);
    const admit = async (runner: Runner): Promise<void> => {
      if (await isForeign(runner, plan, caller, action))
        throw caller.permissions.allows(type.singularApiId, 'findOne') ? forbidden() : notFound();
    };
    const values = new Map<string, unknown>();
    const answer = await this.transaction(
      async (runner) => {
        const { data, changed } = await hooks.before(runner, raw);
        const prepared = body ?? (await this.prepare(data, type, { ...rules, changed }));
        const written = await write(runner, {
          type,
          documentId,
          locale,
          publish,
          values,
          admit,
          ...prepared,
        });
        await hooks.after(runner, written);
        return this.answer(plan, await runner.run(this.compile({ ...plan, documentId: written })));
      },
      { plan, values, em, hangup, hooks },
    );
    await hooks.committed(em);
    return answer;
  }

  private async prepare(
    raw: unknown,
    type: ContentType,
    rules: BodyRules,
  ): Promise<{ body: Body; hashes: ReadonlyMap<string, string> }> {
    const body = planBody(raw, type, rules);
    return { body, hashes: await hashPasswords(body.passwords) };
  }

  /**
   * Deletes the planned locale's versions, draft and published; nothing to delete is no error (protocol 1.5,
   * 8.7, 9.8).
   */
  async delete(plan: ReadPlan, { caller, em, hangup }: WriteOptions): Promise<void> {
    const { type, version, documentId } = plan;
    if (documentId === null && type.kind === 'collectionType') throw notFound();
    if (type.draftAndPublish && !version.published) {
      throw validationError('Invalid status parameter. A draft cannot be deleted alone', {
        key: 'status',
        path: null,
        source: 'query',
        param: 'status',
      });
    }
    const locale =
      !type.localized || version.locale.kind === 'any' ? null : writeLocaleOf(plan, this.base.settings, true);
    const hooks = this.hookRun(plan, caller, ['delete']);
    const gone = await this.transaction(
      async (runner) => {
        await runner.run(compileQueue(locksOfDelete(this.base.schema, type, documentId)));
        if (await isForeign(runner, plan, caller, 'delete')) {
          // Who may not see it is answered as if it were not there.
          if (caller.permissions.allows(type.singularApiId, 'findOne')) throw forbidden();
          return false;
        }
        await hooks.before(runner, null);
        await runner.run(compileDelete(type, documentId, locale, referrersOf(this.base.schema, type)));
        await hooks.after(runner, documentId);
        return true;
      },
      { plan, values: new Map(), em, hangup, hooks },
    );
    if (gone) await hooks.committed(em);
  }

  /** Takes the published version away and answers the draft. Throws NotFoundError for an unknown document. */
  unpublish(plan: ReadPlan, options: WriteOptions): Promise<Answer> {
    return this.changeState(plan, options, 'unpublish', async (runner) => {
      await runner.run(compileQueue(locksOfChange(plan.type, plan.documentId)));
      await runner.run(compileUnpublish(plan.type, plan.documentId, writeLocaleOf(plan, this.base.settings)));
    });
  }

  /**
   * Puts the draft back to what is published and answers it. Throws NotFoundError where nothing is published.
   */
  discardDraft(plan: ReadPlan, options: WriteOptions): Promise<Answer> {
    return this.changeState(plan, options, 'discardDraft', (runner) =>
      discardDraft(runner, plan.type, plan.documentId, writeLocaleOf(plan, this.base.settings)),
    );
  }

  private async changeState(
    plan: ReadPlan,
    { caller, em, hangup }: WriteOptions,
    action: HookAction,
    work: (runner: Runner) => Promise<unknown>,
  ): Promise<Answer> {
    const { type } = plan;
    if (plan.documentId === null && type.kind === 'collectionType') throw notFound();
    if (!type.draftAndPublish) throw validationError(`${type.singularApiId} has no drafts`);
    const hooks = this.hookRun(plan, caller, [action]);
    const answer = await this.transaction(
      async (runner) => {
        await hooks.before(runner, null);
        await work(runner);
        await hooks.after(runner, plan.documentId);
        return this.answer(
          plan,
          await runner.run(this.compile({ ...plan, version: { ...plan.version, published: false } })),
        );
      },
      { plan, values: new Map(), em, hangup, hooks },
    );
    await hooks.committed(em);
    return answer;
  }

  private transaction<T>(
    work: (runner: Runner) => Promise<T>,
    { plan: { type, documentId }, values, em, hangup = null, hooks }: TransactionRequest,
  ): Promise<T> {
    return this.base.database.transaction(work, {
      values,
      retryOn: contendedIndexes(type),
      shared: hooks.insideTransaction,
      turn: turnOf(type, documentId),
      hangup,
      ...(em === undefined ? {} : { joined: em }),
    });
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
