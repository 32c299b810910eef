/** Runs one sequence of commands against HTTP and the model, and reports the first difference. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { DEFAULT_LOCALE, LOCALES } from './content.ts';
import { ABSENT_SLOT, type Command, TO_READY } from './commands.ts';
import type { Client, Reply, Request } from './client.ts';
import { type Body, Refusal } from './body.ts';
import { BulkWrite } from './bulk.ts';
import type { RunSql } from '../faults/picture.ts';
import { History, type Restoring, type Taken } from './history.ts';
import { Observer } from './observe.ts';
import {
  bodyOf,
  dataOf,
  idempotencyKeyOf,
  mentioned,
  type Names,
  plainRequest,
  writeRequest,
} from './requests.ts';
import type { State } from './links.ts';
import { join, versionQuery } from './queries.ts';
import { type Type, typeNamed } from './shape.ts';
import { Tags } from './tags.ts';
import { localeOf, SCHEDULE, type Snapshot, versionKey, World, type Write, writtenState } from './world.ts';

/** A sequence with a difference: its requests, and the difference. */
export class Difference extends Error {
  constructor(requests: readonly string[], problems: readonly string[]) {
    super([...requests, ...problems.map((problem) => `  ${problem}`)].join('\n'));
  }
}

export interface Tally {
  sequences: number;
  commands: number;
  refused: number;
  /** Sequences abandoned at a known difference. */
  known: number;
  documents: number;
  statuses: Record<number, number>;
}

/** Counters of a sequence, and its known differences. */
export interface Notes {
  readonly tally: Tally;
  readonly ignored: RegExp | null;
  /** Number of commands between two checks of everything. */
  readonly every: number;
  /** Returns the violated invariants of the tables. */
  readonly violations: () => Promise<readonly string[]>;
  readonly sql: RunSql;
}

/** First states of the documents of slots: published, a draft, published in two locales. */
const BEGINNINGS: readonly { readonly draft: boolean; readonly locales: readonly (string | null)[] }[] = [
  { draft: false, locales: [null] },
  { draft: true, locales: [null] },
  { draft: false, locales: [null, LOCALES[1]] },
];

/** Times that have passed, in order. */
const PAST = ['2020-01-01T00:00:00Z', '2020-01-02T00:00:00Z'];
const NEVER = { publishAt: null, unpublishAt: null };

/** Version that a write changes, and its tag if the client has read one. */
interface Condition {
  readonly version: string;
  readonly tag: string | undefined;
}

/** A single type has one slot. */
const slotName = (type: string, slot: number): string => `${type} ${typeNamed(type).single ? 0 : slot}`;

/** Runs work on the model. Returns the reason if the model refuses it, else null. */
function refusalOf(work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

const refuses = (work: () => void): boolean => refusalOf(work) !== null;

export class Sequence {
  private readonly world: World;
  private readonly observer: Observer;
  private readonly history: History;
  private readonly slots = new Map<string, string>();
  private readonly labels = new Map<string, string>();
  private readonly requests: string[] = [];
  private readonly names: Names;
  private readonly client: Client;
  private readonly tally: Tally;
  private readonly tags = new Tags();

  private readonly notes: Notes;

  constructor(client: Client, files: readonly string[], notes: Notes) {
    this.client = client;
    this.notes = notes;
    this.tally = notes.tally;
    this.world = new World(files);
    this.observer = new Observer(client, this.world);
    const { problems, keyOf } = this.observer;
    this.history = new History({ client, sql: notes.sql, problems, keyOf }, this.world);
    files.forEach((id, i) => this.labels.set(id, `<file ${i}>`));
    const find = (type: string, slot: number): string | undefined =>
      type === 'file' ? files[slot] : this.find(type, slot);
    const typeOf = (id: string): string | undefined => this.world.documents.get(id)?.type.name;
    this.names = { world: this.world, find, typeOf, instanceId: this.observer.instanceId };
  }

  /** Throws a Difference. */
  async run(commands: readonly Command[]): Promise<void> {
    this.tally.sequences += 1;
    for (const [i, command] of commands.entries()) {
      await this.step(command);
      const isLast = i + 1 === commands.length;
      if (isLast || (i + 1) % this.notes.every === 0) await this.observer.compare(isLast);
      this.stopAtProblems();
    }
    await this.history.compareAll();
    this.stopAtProblems();
    await this.restoreAll();
    await this.observer.compareMore();
    this.observer.problems.push(...(await this.notes.violations()));
    this.stopAtProblems();
    this.tally.documents += this.observer.documentsCompared;
  }

  /** Restores old versions, and then deleted documents. */
  private async restoreAll(): Promise<void> {
    const kinds = [this.history.restoreVersions(), this.history.restoreAllDeleted()];
    for (const [n, restoring] of kinds.entries())
      for (const one of restoring) {
        await this.restore(one, n === 1);
        await this.observer.compare(true);
        this.stopAtProblems();
      }
  }

  /** A deleted document is written in several steps. */
  private async restore({ request, statuses, apply }: Restoring, inSteps: boolean): Promise<void> {
    const before = this.history.take();
    this.note(before, this.apply(await this.send(request), statuses, apply) ?? []);
    await this.history.compare(before, inSteps);
  }

  /** Restores a version of the document of a slot, or the document if it was deleted. */
  private async restoreOne(command: Command & { readonly verb: 'restore' }): Promise<void> {
    const { type, slot, version } = command;
    const id = this.slots.get(slotName(type, slot));
    const document = this.world.documents.get(id ?? '');
    // A single type has no trash.
    if (document === undefined && typeNamed(type).single) return;
    const restoring =
      document === undefined
        ? this.history.restoreDeleted(id ?? '')
        : this.history.restoreVersion(document, version);
    if (restoring === null) return;
    const request = { ...restoring.request, idempotencyKey: idempotencyKeyOf(command) };
    await this.restore({ ...restoring, request }, document === undefined);
  }

  private stopAtProblems(): void {
    const problems = this.observer.problems
      .splice(0)
      .filter((text) => this.notes.ignored?.test(text) !== true);
    if (problems.length > 0)
      throw new Difference(
        this.requests.map((text) => this.named(text)),
        [...new Set(problems)].map((text) => this.named(text)),
      );
  }

  private named(text: string): string {
    return text.replace(/[a-z][a-z0-9]{23}/g, (id) => this.labels.get(id) ?? id);
  }

  private find(type: string, slot: number): string | undefined {
    const id = this.slots.get(slotName(type, slot));
    return id !== undefined && this.world.documents.has(id) ? id : undefined;
  }

  private async send(request: Request): Promise<Reply> {
    const path = request.path.replace(/([?&])(fields|populate)\[.*$/, '').replace(/[?&]$/, '');
    const payload = request.body ?? request.data;
    const data = payload === undefined ? '' : ` ${JSON.stringify(payload)}`;
    const caller = request.caller === null || request.caller === undefined ? '' : ` as ${request.caller}`;
    const reply = await this.client.send(request);
    if (request.idempotencyKey !== undefined && reply.status < 300) await this.repeat(request, reply);
    const condition = request.ifMatch === undefined ? '' : ` if ${request.ifMatch}`;
    this.requests.push(`${request.method} ${path}${data}${caller}${condition} → ${reply.status}`);
    this.tally.statuses[reply.status] = (this.tally.statuses[reply.status] ?? 0) + 1;
    return reply;
  }

  /** Sends a request again. It has the same response, and changes nothing. */
  private async repeat(request: Request, first: Reply): Promise<void> {
    const again = await this.client.send(request);
    const isSame = again.status === first.status && isDeepStrictEqual(again.body, first.body);
    if (!isSame || !again.isReplayed)
      this.observer.problems.push(
        `repeated with its key: ${again.status} ${JSON.stringify(again.body)}, expected ${first.status} ${JSON.stringify(first.body)}`,
      );
  }

  /** Creates the document of a slot if there is none. */
  private async begin(name: string, slot: number): Promise<void> {
    if (name === 'file' || slot === ABSENT_SLOT || this.find(name, slot) !== undefined) return;
    const type = typeNamed(name);
    const { draft, locales } = BEGINNINGS[slot] ?? { draft: false, locales: [null] };
    const given = locales.slice(0, type.localized && !type.single ? locales.length : 1);
    for (const [i, locale] of given.entries()) {
      const verb = i === 0 && !type.single ? 'create' : 'update';
      const command = {
        verb,
        type: name,
        slot,
        locale,
        draft,
        body: type.staged && !draft ? [TO_READY] : [],
        caller: null,
        populated: false,
        conditional: false,
        repeated: false,
      } as const;
      const before = this.history.take();
      await this.write(command, type, bodyOf(command, this.names));
      await this.history.compare(before);
      this.stopAtProblems();
    }
    const document = this.world.documents.get(this.find(name, slot) ?? '');
    if (document !== undefined) await this.observer.meetDocument(document);
  }

  private async step(command: Command): Promise<void> {
    for (const { type, slot } of mentioned(command)) await this.begin(type, slot);
    this.tally.commands += 1;
    if (command.verb === 'release') return this.release(command);
    if (command.verb === 'schedule') return this.schedule(command);
    if (command.verb === 'bulk') return this.bulk(command);
    if (command.verb === 'restore') return this.restoreOne(command);
    const before = this.history.take();
    this.note(before, await this.perform(command));
    await this.history.compare(before);
    const condition = this.condition(command);
    if (condition !== null) await this.readTag(condition);
  }

  /** Publishes a release, and takes it back. */
  private async release({ entries, undo, dry }: Command & { readonly verb: 'release' }): Promise<void> {
    const changes = entries.map(({ type, slot, locale, unpublish }) => ({
      id: this.find(type, slot) ?? '',
      locale: locale === '*' ? null : (locale ?? DEFAULT_LOCALE),
      unpublish,
    }));
    const { body } = await this.send({ method: 'POST', path: '/api/releases', data: { name: 'model' } });
    const path = `/api/releases/${String(body?.data?.id)}`;
    const data = entries.map(({ type, locale, unpublish }, i) => ({
      type,
      ...(typeNamed(type).single ? {} : { documentId: changes[i]?.id }),
      ...(typeNamed(type).localized ? { locale: locale ?? DEFAULT_LOCALE } : {}),
      action: unpublish ? 'unpublish' : 'publish',
    }));
    const before = this.history.take();
    const added = await this.send({ method: 'POST', path: `${path}/entries`, data });
    if (dry && added.status === 200) {
      const outcomes = await this.outcomesOf(`${path}/actions/publish`);
      for (const change of changes)
        if ((outcomes.get(change.id) === 'refused') !== refuses(() => this.world.checkChange(change)))
          this.observer.problems.push(`the dry run says ${change.id} is ${outcomes.get(change.id)}`);
      return this.history.compare(before);
    }
    const reply =
      added.status === 200 ? await this.send({ method: 'POST', path: `${path}/actions/publish` }) : added;
    const written = this.apply(reply, [200], () => this.world.release(changes));
    this.note(before, written ?? []);
    await this.history.compare(before, true, true);
    if (written === null || !undo) return;
    const then = this.history.take();
    const outcomes = [...(await this.outcomesOf(`${path}/actions/undo`)).values()];
    const undone = await this.send({ method: 'POST', path: `${path}/actions/undo` });
    const restored = this.apply(undone, [200], () => this.world.undo(changes, before));
    if (outcomes.includes('refused') !== (restored === null))
      this.observer.problems.push(`the dry run of the undo says ${outcomes.join()}`);
    this.note(then, restored ?? []);
    await this.history.compare(then, true, true);
  }

  /** Asks what a release or its undo would do. Returns the outcomes by document. */
  private async outcomesOf(path: string): Promise<ReadonlyMap<string, string>> {
    const { status, body } = await this.send({ method: 'POST', path, data: { dryRun: true } });
    const entries: readonly { documentId: string; outcome: string }[] = body?.data?.entries ?? [];
    if (status !== 200 || entries.length === 0)
      this.observer.problems.push(`the dry run is ${status} ${JSON.stringify(body)}`);
    return new Map(entries.map(({ documentId, outcome }) => [documentId, outcome]));
  }

  /** Sets times that have passed, and waits until the service has published and unpublished the document. */
  private async schedule(command: Command & { readonly verb: 'schedule' }): Promise<void> {
    const { type: name, slot, actions } = command;
    const { path: plural, single, localized } = typeNamed(name);
    const id = this.find(name, slot) ?? '';
    const locale = command.locale ?? DEFAULT_LOCALE;
    const query = localized ? `?locale=${locale}` : '';
    const path = `/api/${plural}${single ? '' : `/${id}`}/actions/schedule${query}`;
    const times = actions.map((action, i) => [`${action}At`, PAST[i]]);
    const before = this.history.take();
    const reply = await this.send({ method: 'PUT', path, data: { ...NEVER, ...Object.fromEntries(times) } });
    const changes = actions.map((action) => ({ id, locale, unpublish: action === 'unpublish' }));
    const isThere = this.apply(reply, [200], () => {
      this.world.checkChange({ id, locale, unpublish: true });
      return [];
    });
    if (isThere === null) return;
    const refused = changes.filter((change) => {
      const now = this.history.take();
      return refuses(() => this.note(now, this.world.release([change], SCHEDULE)));
    });
    const failures = await this.failuresOf(path);
    const expected = refused.map(({ unpublish }) => (unpublish ? 'unpublish' : 'publish'));
    if (!isDeepStrictEqual(failures, expected))
      this.observer.problems.push(`failed at its time: ${failures.join()}, expected ${expected.join()}`);
    await this.history.compare(before, true, true);
  }

  /** Returns the failed actions of a schedule when none of its actions is due. */
  private async failuresOf(path: string): Promise<readonly string[]> {
    for (let tries = 0; tries < 200; tries += 1) {
      const { body } = await this.client.send({ method: 'GET', path });
      const failures: readonly string[] = body.data.failures.map(({ action }: any) => action);
      const isDue = (action: string): boolean =>
        body.data[`${action}At`] !== null && !failures.includes(action);
      if (!isDue('publish') && !isDue('unpublish')) return failures;
      await sleep(25);
    }
    return ['none in time'];
  }

  /** Sends writes as one request. */
  private async bulk(command: Command & { readonly verb: 'bulk' }): Promise<void> {
    const { items } = command;
    const [type, caller] = [typeNamed(command.type), this.callerOf(command.caller)];
    const bulk = new BulkWrite(items, { type, caller, atomic: command.atomic }, this.names);
    // Versions before the last item that was written.
    let before = this.history.take();
    const { body, ...reply } = await this.send({
      ...{ method: 'POST', path: `/api/${type.path}/bulk`, caller },
      body: bulk.body,
      idempotencyKey: idempotencyKeyOf(command),
    });
    const newId = (i: number): string => String(body?.data?.[i]?.documentId ?? 'none');
    const written = this.apply({ ...reply, body }, [200], () => {
      let now = before;
      // Versions that the items of one request delete are restored together.
      const deleted: [string, Snapshot][] = [];
      bulk.apply(newId, (some, verb) => {
        before = { ...now, snapshots: new Map([...deleted, ...now.snapshots]) };
        this.note(before, some);
        this.history.leave(before);
        now = this.history.take();
        const isGone = ([version]: [string, Snapshot]): boolean => !now.snapshots.has(version);
        if (verb === 'delete') deleted.push(...[...before.snapshots].filter(isGone));
      });
      return [];
    });
    if (written !== null) {
      const refused: readonly number[] = (body?.meta?.errors ?? []).map(
        ({ index }: { index: number }) => index,
      );
      if (refused.join() !== bulk.refused.join())
        this.observer.problems.push(
          `the items ${refused.join()} are refused, expected ${bulk.refused.join()}`,
        );
      for (const [i, { verb, slot }] of items.entries())
        if (verb === 'create' && !refused.includes(i)) this.enter(type, slot, newId(i));
    }
    await this.history.compare(before, true, true);
  }

  private enter(type: Type, slot: number, id: string): void {
    this.labels.set(id, `<${type.name} ${slot}${this.isLabelled(type, slot)}>`);
    this.slots.set(slotName(type.name, slot), id);
  }

  private note({ contents: before }: Taken, written: readonly string[]): void {
    const changed = this.world.changedSince(before);
    this.observer.note({ written, changed });
    this.tags.move([...written, ...changed]);
    this.history.note([...written, ...changed]);
    const there = this.world.contents();
    this.tags.leave([...before.keys()].filter((version) => !there.has(version)));
  }

  /** Returns the version that a write changes, if it has a tag for it. People send none. */
  private condition(command: Command): Condition | null {
    const id = command.verb === 'create' ? undefined : this.find(command.type, command.slot);
    const isSent = 'conditional' in command && command.conditional && command.caller === null;
    if (!isSent || id === undefined || command.locale === '*') return null;
    const type = typeNamed(command.type);
    const version = versionKey(id, writtenState(type), localeOf(type, command.locale ?? DEFAULT_LOCALE));
    return { version, tag: this.tags.of(version) };
  }

  private refuseStale({ version }: Condition): void {
    if (this.tags.isStale(version)) throw new Refusal('the tag is stale');
  }

  /** Reads the tag of a version if it exists. */
  private async readTag({ version }: Condition): Promise<void> {
    const [id = '', status, locale = ''] = version.split(' ') as [string, State, string];
    const document = this.world.documents.get(id);
    if (document === undefined || !this.world.has(id, status, locale)) return;
    const { path, single, localized } = document.type;
    const query = join(versionQuery(status, localized ? locale : null), 'fields[0]=documentId');
    const { etag } = await this.client.send({
      method: 'GET',
      path: `/api/${path}${single ? '' : `/${id}`}${query}`,
    });
    if (etag === undefined) this.observer.problems.push(`${version} has no tag`);
    else this.tags.remember(version, etag);
  }

  private perform(command: Command): Promise<readonly string[]> {
    if ('body' in command) return this.write(command, typeNamed(command.type), bodyOf(command, this.names));
    const id = this.find(command.type, command.slot) ?? '';
    const caller = 'caller' in command ? this.callerOf(command.caller) : null;
    return this.change(command, id, caller);
  }

  private callerOf(slot: number | null): string | null {
    return slot === null ? null : (this.find('person', slot) ?? null);
  }

  private async write(
    command: Command & { verb: 'create' | 'update' },
    type: Type,
    body: Body,
  ): Promise<readonly string[]> {
    const caller = this.callerOf(command.caller);
    const id = command.verb === 'create' ? undefined : this.find(type.name, command.slot);
    const condition = this.condition(command);
    const request = writeRequest(command, dataOf(body, type, this.names), { id, caller });
    const idempotencyKey = idempotencyKeyOf(command);
    const reply = await this.send({ ...request, ifMatch: condition?.tag, idempotencyKey });
    const locale = command.locale ?? DEFAULT_LOCALE;
    const write: Write = { locale, publish: !command.draft, body, caller };
    const newId = String(reply.body?.data?.documentId ?? 'none');
    const written = this.apply(reply, id === undefined ? [201, type.single ? 200 : 201] : [200], () => {
      if (condition !== null) this.refuseStale(condition);
      return id === undefined ? this.world.create(type, newId, write) : this.world.update(id, write);
    });
    if (written === null) return [];
    if (id === undefined) this.enter(type, command.slot, newId);
    const document = this.world.documents.get(id ?? newId);
    if (document !== undefined && command.populated)
      this.observer.answer(
        document,
        { status: command.draft ? 'draft' : 'published', locale },
        reply.body.data,
      );
    return written;
  }

  /** Label of the second and later documents of a slot. */
  private isLabelled({ name }: Type, slot: number): string {
    const labels = new Set(this.labels.values());
    let mark = '';
    while (labels.has(`<${name} ${slot}${mark}>`)) mark += "'";
    return mark;
  }

  private async change(command: Command, id: string, caller: string | null): Promise<readonly string[]> {
    const condition = this.condition(command);
    const reply = await this.send({
      ...plainRequest(command, { id, caller }),
      ifMatch: condition?.tag,
      idempotencyKey: idempotencyKeyOf(command),
    });
    const all = command.locale === '*';
    const locale = command.locale ?? DEFAULT_LOCALE;
    const changes = {
      delete: () => {
        if (condition !== null) this.refuseStale(condition);
        return this.world.delete(id, all ? null : locale, caller);
      },
      unpublish: () => this.world.unpublish(id, all ? null : locale),
      discardDraft: () => this.world.discardDraft(id, all ? null : locale),
    };
    if (command.verb !== 'delete' && command.verb !== 'unpublish' && command.verb !== 'discardDraft')
      return [];
    return this.apply(reply, command.verb === 'delete' ? [204] : [200], changes[command.verb]) ?? [];
  }

  /**
   * Applies to the model what was requested from the service; both may refuse it. Returns null for a refusal.
   */
  private apply(reply: Reply, accepted: readonly number[], work: () => string[]): string[] | null {
    let written: string[] | null = null;
    const refusal = refusalOf(() => {
      written = work();
    });
    if (refusal !== null) this.tally.refused += 1;
    const isRefused = reply.status >= 400 && reply.status < 500;
    if (refusal === null ? !accepted.includes(reply.status) : !isRefused)
      this.observer.problems.push(
        `the response is ${reply.status} ${JSON.stringify(reply.body?.error ?? '')}, expected ${refusal ?? accepted.join(' or ')}`,
      );
    return written;
  }
}
