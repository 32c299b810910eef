/**
 * One open document: reads it, saves it, and merges what others have changed. At most one write is under way.
 * Every write names the version that the form is based on, so no change of another editor is overwritten.
 */
import { ApiError, errorOf, isTemporary, messageOf } from '../api/errors.ts';
import type { Answer } from '../api/http.ts';
import type { Conflict } from '../form/merge.ts';
import type { FormStore } from '../form/store.ts';
import { sameValues, type Values } from '../form/values.ts';
import { hasDrafts, type Model } from '../model/model.ts';
import { BaseVersion } from './base-version.ts';
import { Keeper } from './keeper.ts';
import { leaving } from './leaving.ts';
import { isAutosaved, isSendable, nextWrite, sendsParts, takenBack } from './next-write.ts';
import { Observed } from './observed.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { OwnWrites } from './own-writes.ts';
import { isDivided, refusalOf, WriteSize } from './refusal.ts';
import { type Action, DocumentRequests, type Envelope, type Pending, type Place } from './requests.ts';
import { factsOf, firstSnapshot, newsSince, NO_NEWS, type Snapshot, stateOf } from './snapshot.ts';
import { Slugs } from './slugs.ts';
import { AUTOSAVE, RETRY, Timers } from './timers.ts';
import { UnsavedWork } from './unsaved.ts';

/** Attempts of one save that others' writes may overtake. */
const MAX_MERGES = 10;

export class DocumentEditor extends Observed<Snapshot> {
  private readonly version: BaseVersion;
  private pending: Pending | null = null;
  readonly writes = new OneAtATime();
  readonly size = new WriteSize();
  private isDisposed = false;
  private readonly requests: DocumentRequests;
  private readonly timers = new Timers();
  private readonly unsaved: UnsavedWork;
  private readonly slugs = new Slugs(this);
  private readonly own: OwnWrites;
  private readonly keeper: Keeper;
  private readonly stop: () => void;

  constructor(
    readonly model: Model,
    place: Place,
    user: string,
  ) {
    super(firstSnapshot(place.documentId));
    this.version = new BaseVersion(model, place);
    this.requests = new DocumentRequests(model);
    this.unsaved = new UnsavedWork(user, model);
    this.own = new OwnWrites(
      ({ type, documentId }) => type === place.type.name && documentId === this.snapshot.documentId,
      // Another form of this browser has saved: the next save must not meet its change.
      () => void (this.own.hasChanged(this.version.etag) && this.catchUp()),
    );
    this.keeper = new Keeper(this.unsaved, () => [
      this.place,
      { ...this.version.work, conflicts: this.snapshot.conflicts, pending: this.pending },
    ]);
    this.stop = this.store.subscribe('', () => this.changed());
  }

  get store(): FormStore {
    return this.version.store;
  }

  get place(): Place {
    return this.version.place;
  }

  get isNew(): boolean {
    return this.version.isNew;
  }

  get type(): Place['type'] {
    return this.place.type;
  }

  /** Opens the document and shows it. Tries again after an error that may pass. */
  async load(): Promise<void> {
    try {
      const exists = await this.unsaved.alone(this.place, () => this.open());
      if (this.isDisposed) return;
      this.show({ phase: exists ? 'ready' : 'missing', failure: null, isChanged: this.store.isChanged });
      // Another form of this browser has saved while this one was loading.
      if (this.own.hasChanged(this.version.etag)) void this.catchUp();
    } catch (error) {
      this.show({ phase: 'failed', failure: errorOf(error) });
      if (isTemporary(error) && !this.isDisposed) this.timers.start('retry', RETRY, () => void this.load());
    }
  }

  /** Reads the document, and recovers unsaved work of earlier pages. Returns whether the document exists. */
  private async open(): Promise<boolean> {
    this.version.place = await this.unsaved.settle(this.place, this.requests);
    const isStored = (await this.reload()) || this.isNew;
    const shared = isStored ? null : await this.readShared();
    if (!this.isDisposed) await this.recover(isStored, shared ?? {});
    return isStored || shared !== null || this.type.kind === 'singleType';
  }

  /** Returns the values that this language shares with a stored one; null if there is no other language. */
  private async readShared(): Promise<Values | null> {
    const body = await this.requests.elsewhere(this.place);
    this.show({ state: stateOf(body, this.model) });
    return body === null ? null : this.version.startLanguage(body);
  }

  /** Reads what is stored into an unchanged form. Returns false if nothing is. */
  private async reload(): Promise<boolean> {
    const answer = this.isNew ? null : await this.requests.read(this.place);
    if (answer === null) return false;
    this.version.start(answer);
    this.note(answer.body);
    return true;
  }

  private note({ data }: Envelope): void {
    this.show({ documentId: this.place.documentId, ...factsOf(data, this.model) });
    this.slugs.watch();
  }

  private async recover(isStored: boolean, shared: Values): Promise<void> {
    const known = { theirs: isStored ? this.store.base : shared, isWhole: isStored };
    const { base, values, conflicts, at, drop } = await this.unsaved.recover(this.place, known);
    // A copy of another document comes first.
    if (at === null || (this.isNew && this.store.isChanged)) return;
    this.version.recover(values, isStored ? null : base);
    this.show({ conflicts, recoveredAt: this.store.isChanged ? at : null });
    await this.keeper.now();
    await drop();
  }

  /** Shows what is stored, and forgets the changes of the form. */
  async revert(): Promise<void> {
    this.pending = null;
    this.store.start(this.store.base);
    this.show({ conflicts: [], recoveredAt: null, saving: 'idle', error: null });
    await this.unsaved.drop(this.place);
  }

  /** Accepts recovered work as unsaved changes of this page. */
  keepRecovered(): void {
    this.show({ recoveredAt: null });
    this.changed();
  }

  /** Closes the notice about changes of others. */
  seen(): void {
    this.show({ arrived: NO_NEWS });
  }

  /**
   * Stores the form of a deleted document as a new one, or adds the deleted language again. If another editor
   * has restored it since, the form is merged with it.
   */
  async createAgain(): Promise<void> {
    try {
      const restored = await this.requests.read(this.place);
      if (restored === null) await this.startAgain();
      else this.show({ phase: 'ready', saving: 'idle', error: null });
      if (restored === null || this.take(restored)) await this.save();
    } catch (error) {
      this.show({ error: messageOf(error) });
    }
  }

  private async startAgain(): Promise<void> {
    const former = this.place;
    const language = this.snapshot.isElsewhere ? await this.requests.elsewhere(former) : null;
    this.version.startAgain(language);
    this.show({ phase: 'ready', documentId: this.place.documentId, state: stateOf(language, this.model) });
    await this.keeper.now();
    if (language === null) await this.unsaved.drop(former);
  }

  private changed(): void {
    const [{ isChanged }, { phase }] = [this.store, this.snapshot];
    this.show({ isChanged, ...takenBack(this) });
    if (phase === 'ready' || phase === 'missing') void this.keeper.soon();
    if (phase === 'ready' && isChanged && isAutosaved(this))
      this.timers.start('save', AUTOSAVE, () => void this.save());
  }

  /** Saves until the form has no changes. Returns false if the editor must act first. */
  save(): Promise<boolean> {
    this.timers.stop('save');
    return this.writes.running ?? this.writes.start(() => this.run());
  }

  private async run(): Promise<boolean> {
    if (this.snapshot.conflicts.length > 0 || this.snapshot.phase === 'missing') return false;
    for (let merges = 0; merges < MAX_MERGES;) {
      if (this.pending === null && this.version.etag !== null) await this.slugs.fill(this.snapshot.state);
      const pending = (this.pending ??= nextWrite(this, this.version.etag));
      if (pending === null) return this.finish();
      this.show({ saving: 'saving', error: null, refusedAction: null });
      // If the response is lost with the page, the next page asks for it.
      await this.keeper.now();
      const outcome = await this.send(pending);
      if (outcome === 'overtaken') merges += 1;
      if (outcome === 'refused') return false;
    }
    this.show({ saving: 'refused', error: null });
    return false;
  }

  /** Nothing is left to send, except values that the server has refused. */
  private async finish(): Promise<boolean> {
    const saving = isSendable(this.store) ? 'idle' : 'refused';
    this.show({ saving, isChanged: this.store.isChanged });
    await this.keeper.now();
    return saving === 'idle';
  }

  private async send(pending: Pending): Promise<'stored' | 'overtaken' | 'refused'> {
    try {
      const answer = await this.requests.write(this.place, pending);
      this.pending = null;
      await this.stored(answer, pending.sent);
      return 'stored';
    } catch (error) {
      return this.failed(this.size.problemOf(error, pending, this.type), pending.sent);
    }
  }

  private async stored(answer: Answer<Envelope>, sent: Values): Promise<void> {
    const [wasNew, former, isFirst] = [this.isNew, this.place, this.version.etag === null];
    this.version.written(answer, sent);
    if (wasNew) {
      await this.keeper.now();
      await this.unsaved.drop(former);
    }
    if (isFirst) this.version.place = await this.requests.permitted(this.place);
    this.store.dropSolved();
    this.note(answer.body);
    this.show({ savedAt: Date.now(), recoveredAt: null });
  }

  private async failed(error: unknown, sent: Values): Promise<'overtaken' | 'refused'> {
    if (isTemporary(error)) {
      // The same request with the same key: a write that was stored is not repeated.
      this.show({ saving: 'offline', error: null });
      if (!this.isDisposed) this.timers.start('retry', RETRY, () => void this.save());
      return 'refused';
    }
    this.pending = null;
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 412) return this.overtaken(sent);
    if (error.status === 404) return this.gone();
    return isDivided(error) || (this.refused(error, sent) && sendsParts(this)) ? 'overtaken' : 'refused';
  }

  /** Shows the problems at their fields. Returns whether new ones were found. */
  private refused(error: ApiError, sent: Values): boolean {
    const { marked, error: reason } = refusalOf(error, sent);
    this.show({ saving: 'refused', error: reason });
    return this.store.addProblems(marked);
  }

  /** Another write came first: merges it with the form. */
  private async overtaken(sent: Values): Promise<'overtaken' | 'refused'> {
    try {
      const answer = await this.requests.read(this.place);
      if (answer === null) return await this.gone();
      return this.take(answer) ? 'overtaken' : 'refused';
    } catch (error) {
      return this.failed(error, sent);
    }
  }

  /** Merges what is stored now with the form. Returns false if the editor must decide first. */
  private take(answer: Answer<Envelope>): boolean {
    const [before, isOwn] = [this.snapshot, this.own.lead(this.version.etag, answer.etag)];
    const { conflicts, news } = this.version.take(answer);
    this.note(answer.body);
    const arrived = isOwn ? before.arrived : newsSince(before, this.snapshot, news);
    this.show({ arrived, conflicts, ...(conflicts.length > 0 ? { saving: 'refused' as const } : {}) });
    return conflicts.length === 0;
  }

  /** Merges what is stored now with the form, unless a save is under way, which does the same. */
  async catchUp(): Promise<void> {
    const { etag } = this.version;
    const isIdle = (): boolean =>
      this.snapshot.phase === 'ready' && this.writes.running === null && this.snapshot.conflicts.length === 0;
    if (!isIdle() || this.isNew) return;
    const answer = await this.requests.read(this.place).catch(() => undefined);
    const isOld = this.isDisposed || !isIdle() || this.version.etag !== etag || answer?.etag === etag;
    if (answer === undefined || isOld) return;
    if (answer !== null) this.take(answer);
    else if (etag !== null) await this.gone();
  }

  /** The document was deleted, or this language of it. */
  private async gone(): Promise<'refused'> {
    const isElsewhere = (await this.requests.elsewhere(this.place).catch(() => null)) !== null;
    this.show({ saving: 'refused', phase: 'missing', isElsewhere, error: null, state: null });
    return 'refused';
  }

  /** Decides one conflict. The value of the form may have changed since. After the last one, it is saved. */
  resolve(conflict: Conflict, value: unknown): void {
    if (value !== conflict.mine) this.store.set(conflict.path, value);
    const conflicts = this.snapshot.conflicts.filter((one) => one !== conflict);
    this.show({ conflicts, ...(conflicts.length === 0 ? { saving: 'idle' as const } : {}) });
    if (conflicts.length === 0 && hasDrafts(this.type)) void this.save();
  }

  /** Saves, then publishes, unpublishes or discards the draft. Returns false if that was refused. */
  async act(action: Action): Promise<boolean> {
    const isEarly = action === 'publish' && leaving.isUploading(this.store);
    if (isEarly) this.show({ saving: 'refused', error: 'A file is being uploaded', refusedAction: action });
    if (isEarly || (action !== 'discard' && !(await this.save()))) return false;
    if (action === 'discard') await this.revert();
    await this.writes.settled();
    return this.writes.start(() => this.perform(action));
  }

  private async perform(action: Action, isRepeated = false): Promise<boolean> {
    this.show({ saving: 'saving', error: null, refusedAction: null });
    // Values that are typed until the response arrives are changes.
    const { base: sent } = this.store;
    try {
      const write = { ifMatch: this.version.etag, key: crypto.randomUUID() };
      await this.stored(await this.requests.act(this.place, action, write), sent);
      this.show({ saving: 'idle' });
      return true;
    } catch (error) {
      // The requests were repeated for some seconds: the editor decides again.
      if (isTemporary(error)) this.show({ saving: 'refused', error: error.message });
      else {
        const isStale = error instanceof ApiError && error.status === 412 && !isRepeated;
        const isOvertaken = (await this.failed(error, sent)) === 'overtaken' && isStale;
        // Another write without a visible change, such as the same action, is nothing to decide about.
        if (isOvertaken && sameValues(sent, this.store.base)) return this.perform(action, true);
      }
      // The save before was stored.
      const saving = this.snapshot.saving === 'saving' ? 'idle' : this.snapshot.saving;
      this.show({ saving, refusedAction: action });
      // Values that were typed in the meantime are saved.
      if (this.store.isChanged) this.changed();
      return false;
    }
  }

  /** Deletes the document, or its version in the locale. Throws an ApiError. */
  async remove(everywhere: boolean): Promise<void> {
    await this.writes.settled();
    await this.requests.remove(this.place, everywhere, this.version.etag);
    await this.revert();
  }

  /**
   * Closes the form. What is not saved then is recovered when the document is opened again. Returns whether
   * a write has ended since.
   */
  dispose(): Promise<boolean> {
    this.isDisposed = true;
    this.timers.stopAll();
    this.stop();
    this.keeper.close();
    return this.leave().finally(() => {
      this.unsaved.close();
      this.own.close();
    });
  }

  private async leave(): Promise<boolean> {
    const [{ phase, recoveredAt }, { running }] = [this.snapshot, this.writes];
    if (phase !== 'ready' && phase !== 'missing') return false;
    await this.keeper.now();
    const isSaved = phase === 'ready' && recoveredAt === null && isAutosaved(this) && this.store.isChanged;
    return (await (isSaved ? this.save() : running)) !== null;
  }
}
