import { Inject, Injectable } from '@nestjs/common';
import { type Caller, SYSTEM, userOf } from '../access/caller.js';
import { decide } from '../access/decide.js';
import { presetsOf } from '../access/presets.js';
import { compileLastAnswer, compileRead, compileWrittenAnswer } from '../compile/compile-read.js';
import type { Row, Runner } from '../../pool/runner.js';
import { bodyError, forbidden, notFound } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { present } from '../../kernel/present.js';
import { type Body, type BodyRules, planBody } from '../plan/body.js';
import { type GivenValues, NOTHING_GIVEN } from '../plan/given.js';
import { onlySent } from '../plan/only-sent.js';
import type { ReadPlan } from '../plan/plan.js';
import { byDocumentId, planRead, type ReadRequest } from '../plan/plan-read.js';
import { VERBS } from '../plan/plan-write.js';
import { writeRightsOf } from '../plan/write-rights.js';
import type { VersionRow } from '../plan/versions.js';
import type { CheckedBody, WritePlan } from '../plan/write-plan.js';
import { writeTargetOf } from '../plan/write-target.js';
import { type QueryDefaults, type RawQuery, readRaw } from '../query/read-raw.js';
import { unstorable } from '../model/cast-value.js';
import type { ContentType } from '../model/model.js';
import { publishedSideOf } from '../model/published-side.js';
import { Answer } from './answer.js';
import { BulkWrites } from './bulk-writes.js';
import { DocumentsBase } from './documents-base.js';
import { writtenTag } from './etag.js';
import { HookRun } from './hook-run.js';
import { hookedRead } from './hooked-read.js';
import type { HookAction } from './hooks.js';
import { ChangeLogWorker } from '../../cache/change-log-worker.js';
import { lastStatementOf, PlanCache } from './plan-cache.js';
import { hashPasswords, passwordLimit, type PasswordLimit } from './passwords.js';
import { failAbsent, DELETE_ANSWER, SCHEDULED_ANSWER, STORED_DRAFT } from './plain-answers.js';
import { answerIn, answerRowOf, type ReadFor, Reads, tooLarge } from './reads.js';
import type { WriteAnswer, WriteRun } from './run-write.js';
import { runWrites } from './run-writes.js';
import { versionTags } from './version-tags.js';
import { Schedules } from './schedules.js';
import { type AskedWrite, planInTurn, NO_VALUES, type StateChange, writeOf } from './write-list.js';
import type { WriteOptions } from './write-options.js';

/** Entry point of all reads and writes: parses, plans and runs each request. */
@Injectable()
export class Documents {
  private readonly cache: PlanCache;
  readonly reads: Reads;
  readonly schedules: Schedules;
  readonly bulk: BulkWrites;

  constructor(
    @Inject(DocumentsBase) private readonly base: DocumentsBase,
    @Inject(ChangeLogWorker) changeLog: ChangeLogWorker,
  ) {
    this.cache = new PlanCache(base.settings);
    this.reads = new Reads(base, changeLog);
    changeLog.onAvailability(() => {
      this.cache.clear();
      this.reads.cache.clear();
    });
    this.schedules = new Schedules(base);
    this.bulk = new BulkWrites(this, base.settings);
  }

  /**
   * Plans a request from its query string; `defaults` adds omitted parameters. Throws like `plan`, and a 400
   * if the text exceeds a limit.
   */
  planText(text: string, request: ReadRequest, defaults?: QueryDefaults): ReadPlan {
    // No document can have such an id, and PostgreSQL would refuse the parameter.
    if (request.by !== null && unstorable(request.by)) throw notFound();
    const { settings } = this.base;
    if (defaults !== undefined)
      return this.plan(request.type, defaults(readRaw(text, settings.limits), settings), request);
    return this.cache.plan(text, request, (query, shared) => planRead(query, shared, this.base));
  }

  /** Parses and plans a read, or the response of a write. Throws the protocol's 400, 403 and 404. */
  plan(type: ContentType, raw: RawQuery, request: Omit<ReadRequest, 'type'>): ReadPlan {
    return this.cache.plan(raw, { ...request, type }, (query, shared) => planRead(query, shared, this.base));
  }

  /**
   * Runs a planned read, shares it with equal concurrent reads, or responds from the cache. Throws
   * NotFoundError if the requested document does not exist.
   */
  read(plan: ReadPlan, waiting: ReadFor = {}): Promise<Answer> {
    const { hooks } = this.base;
    const { by } = waiting;
    if (by === undefined || !hooks.hasReadHooks(plan.type.singularApiId, by.action))
      return this.reads.answer(plan, waiting);
    return hookedRead({ plan, by, hooks, answer: () => this.reads.answer(plan, waiting) });
  }

  create(toAnswer: ReadPlan, body: unknown, options: WriteOptions): Promise<Answer> {
    return this.write({ verb: 'create', answerPlan: { ...toAnswer, documentId: null }, body }, options);
  }

  update(answer: ReadPlan, body: unknown, options: WriteOptions): Promise<Answer> {
    return this.write({ verb: 'update', answerPlan: answer, body }, options);
  }

  publish(answer: ReadPlan, options: WriteOptions): Promise<Answer> {
    return this.write({ verb: 'publish', answerPlan: answer, body: NO_VALUES }, options);
  }

  unpublish(answer: ReadPlan, options: WriteOptions): Promise<Answer> {
    return this.write({ verb: 'unpublish', answerPlan: answer, body: null }, options);
  }

  discardDraft(answer: ReadPlan, options: WriteOptions): Promise<Answer> {
    return this.write({ verb: 'discardDraft', answerPlan: answer, body: null }, options);
  }

  /**
   * Deletes the planned locale's versions, draft and published. An absent document is not an error, unless a
   * precondition requires one (protocol 1.5, 8.7, 9.8).
   */
  async delete(plan: ReadPlan, options: WriteOptions): Promise<void> {
    await this.write({ verb: 'delete', answerPlan: plan, body: null }, options);
  }

  private async write(asked: AskedWrite, options: WriteOptions): Promise<Answer> {
    return present((await this.writeAll([asked], options))[0], 'The response of a write');
  }

  /**
   * Runs writes in one transaction, in order: all of them or none. Returns one response each; that of a
   * delete is {@link Answer.NOTHING}. Errors are those of the single writes, with `index` in their details if
   * there are several.
   */
  async writeAll(asked: readonly AskedWrite[], options: WriteOptions): Promise<readonly Answer[]> {
    const limit = options.passwords ?? passwordLimit(this.base.settings.limits.passwords);
    const [first, ...others] = await planInTurn(asked, (one) =>
      this.runOf({ ...one, limit }, options, (sent) =>
        one.verb === 'delete' ? DELETE_ANSWER : this.answerOf(one.answerPlan, sent),
      ),
    );
    if (first === undefined) return [];
    const answers = await runWrites(this.base, [first, ...others]);
    if (this.base.links.placeholder === null) return answers;
    return Promise.all(answers.map(async (answer) => (await this.base.links.in(answer)).answer));
  }

  /**
   * Publishes and unpublishes documents in one transaction, in order, without reading them. Throws the errors
   * of `publish`, `unpublish` and `update`, with `index` in their details if there are several.
   */
  async changeStates(changes: readonly StateChange[], options: WriteOptions): Promise<void> {
    const [first, ...others] = await planInTurn(changes, (change) => {
      const { verb, body } = writeOf(change);
      if (decide(options.caller, change.type, VERBS[verb].right) === 'none') throw forbidden();
      const asked = { verb, answerPlan: this.planState(change, options.caller), body };
      return this.runOf({ ...asked, limit: passwordLimit(0) }, options, () => SCHEDULED_ANSWER);
    });
    if (first !== undefined) await runWrites(this.base, [first, ...others]);
  }

  /** Plans the response to a change of state. Throws the 400 of an unknown locale. */
  planState({ type: whole, documentId, locale, verb, data }: StateChange, caller: Caller): ReadPlan {
    const type = data === undefined ? whole : publishedSideOf(whole);
    const status = verb === 'publish' ? 'published' : 'draft';
    const request = { kind: 'one', by: byDocumentId(documentId), caller, format: 'flat' } as const;
    return this.plan(type, { fields: ['documentId'], locale, status }, { ...request, action: 'publish' });
  }

  /** Plans a write, and hashes the passwords in its body. */
  private async runOf(
    asked: AskedWrite & { readonly limit: PasswordLimit },
    options: WriteOptions,
    answerOf: (sent: GivenValues) => WriteAnswer<Answer>,
  ): Promise<WriteRun<Answer>> {
    const { verb, answerPlan: answer, body: raw, precondition, limit } = asked;
    const { caller, requestId = null, restores = null, owner = userOf(caller) } = options;
    const target = writeTargetOf(verb, answer, this.base.settings);
    const { right, events, locks, body: action } = VERBS[verb];
    const hooks = this.hookRun(answer, { caller, requestId }, events(target));
    const rest = {
      verb,
      target,
      caller,
      requestId,
      restores,
      right,
      precondition: precondition ?? options.precondition ?? null,
      state: answer.state,
      events: events(target),
    };
    const planOf = (body: CheckedBody | null): WritePlan => ({
      ...rest,
      body,
      locks: locks({ target, body }),
    });
    if (action === null) {
      const plan = planOf(null);
      const replan = (): Promise<WritePlan> => Promise.resolve(plan);
      return { plan, raw: null, hooks, replan, options, answer: answerOf(NOTHING_GIVEN) };
    }
    const rules: BodyRules = {
      rights: writeRightsOf(caller, { type: target.type, action, published: target.publish }),
      creator: action === 'create' ? owner : null,
      preset: action === 'create' ? presetsOf(caller, target.type, action) : NO_PRESET,
      changed: new Set<string>(),
      former: null,
      maxNodes: this.base.settings.limits.bodyNodes,
      strict: this.base.settings.strictParams,
    };
    // Hooks see no body with refused keys. Hooks may change the body, so it is checked again after them.
    const sent = planBody(raw, target.type, rules);
    if (hooks.changesData && sent.refusals.length > 0) throw bodyError(sent.refusals, []);
    const checked = (body: Body): CheckedBody | Promise<CheckedBody> =>
      body.passwords.length === 0
        ? { ...body, hashes: NO_HASHES }
        : hashPasswords(body, !target.publish, limit).then((hashes) => ({ ...body, hashes }));
    return {
      plan: planOf(hooks.changesData ? { ...sent, hashes: NO_HASHES } : await checked(sent)),
      raw,
      hooks,
      replan: async ({ body, changed }) =>
        planOf(await checked(planBody(body, target.type, { ...rules, changed, former: sent }))),
      options,
      answer: answerOf(sent.values),
    };
  }

  /**
   * Builds the response to a write; for a document that the caller may not read, only the attributes that the
   * body sent (D27).
   */
  private answerOf(planned: ReadPlan, sent: GivenValues): WriteAnswer<Answer> {
    const plan = planned.echoes ? onlySent(planned, sent) : planned;
    const bytes = this.base.settings.limits.responseBytes;
    return {
      written: compileWrittenAnswer(plan, bytes),
      statements: (documentId) =>
        plan.otherwise === null
          ? [lastStatementOf({ ...plan, documentId }, (asked) => compileLastAnswer(asked, bytes))]
          : null,
      from: (rows, before) => this.answer(plan, rows, before),
      failed: (flaw) => (flaw === 'over' ? tooLarge(bytes) : notFound()),
      readBack: (runner, documentId, before) =>
        this.readBack({ ...planned, documentId }, sent, { runner, before }),
      absent: failAbsent,
    };
  }

  private async readBack(
    plan: ReadPlan,
    sent: GivenValues,
    { runner, before }: { readonly runner: Runner; readonly before: readonly VersionRow[] },
  ): Promise<Answer> {
    const shown = plan.echoes ? onlySent(plan, sent) : plan;
    const rows = await runner.run(this.reads.print(shown));
    const { data, over } = answerRowOf(rows);
    if (plan.otherwise === null || data !== null || over) return this.answer(shown, rows, before);
    const { documentId, operands, otherwise } = plan;
    return this.readBack({ ...otherwise, documentId, operands }, sent, { runner, before });
  }

  /** Hooks get the document with one level populated, regardless of the request's `populate`. */
  private hookRun(
    plan: ReadPlan,
    by: Pick<WritePlan, 'caller' | 'requestId'>,
    actions: readonly HookAction[],
  ): HookRun {
    const { type, version } = plan;
    const locale = version.locale.kind === 'one' ? version.locale.code : this.base.settings.defaultLocale;
    return new HookRun(
      this.base,
      { type: type.singularApiId, documentId: plan.documentId, locale, actions, ...by },
      async (runner, documentId) => {
        const query = { populate: '*', status: version.published ? 'published' : 'draft', locale };
        const shown = this.plan(type, query, {
          kind: 'one',
          by: byDocumentId(documentId),
          caller: SYSTEM,
          format: 'flat',
          action: 'update',
        });
        const [row] = await runner.run(compileRead({ ...shown, filePlaceholder: null }));
        const data: unknown = typeof row?.['data'] === 'string' ? JSON.parse(row['data']) : null;
        return isObject(data) ? data : null;
      },
    );
  }

  private answer(plan: ReadPlan, rows: readonly Row[], before: readonly VersionRow[]): Answer {
    const { answer: made, row } = answerIn(plan, rows, this.base.settings.limits.responseBytes);
    const { stamp, data, versions = null } = row;
    const stored = plan.version.storesDraft ? made.withMeta(STORED_DRAFT) : made;
    const tags = versionTags(versions, before, plan);
    const answer = tags === null ? stored : stored.withMeta({ versions: tags });
    if (stamp === undefined || data === null) return answer;
    return answer.withHeaders({ ETag: writtenTag(stamp) });
  }
}

const NO_PRESET: BodyRules['preset'] = new Map();
const NO_HASHES: CheckedBody['hashes'] = new Map();
