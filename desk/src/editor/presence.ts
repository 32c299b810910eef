/** Other editors who have the same document open, and the time of their last save. */
import { request } from '../api/http.ts';
import { settings } from '../settings.ts';
import { Observed } from './observed.ts';

interface Present {
  readonly id: string;
  readonly name: string;
  readonly saved: string | null;
}

interface State {
  readonly others: readonly Present[];
}

export interface OpenPlace {
  readonly type: string;
  readonly documentId: string;
  readonly locale: string;
}

/** Milliseconds between two signs of an open form. A hidden page sends none. */
const PULSE = 5000;
/** Signs between two looks at the document: releases, schedules and programs have no form. */
const LOOK = 6;

/** Signs of one open form. Failures are ignored: presence is a help, and no save depends on it. */
export class Presence extends Observed<State> {
  private readonly form = crypto.randomUUID();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private saved: string | null = null;
  private isClosed = false;
  private signs = 0;

  constructor(
    private readonly place: OpenPlace,
    /** Called with the time of the last save of another editor; with null now and then. */
    private readonly arrived: (time: string | null) => void,
  ) {
    super({ others: [] });
    document.addEventListener('visibilitychange', this.wake);
    addEventListener('pagehide', this.leave);
    void this.pulse();
  }

  private readonly wake = (): void => {
    if (document.visibilityState !== 'visible') return;
    this.arrived(null);
    void this.pulse();
  };

  /** Reports a save of this form at once, so that other forms can follow. */
  note(updatedAt: string): void {
    if (this.saved === updatedAt) return;
    this.saved = updatedAt;
    void this.pulse();
  }

  private async pulse(): Promise<void> {
    clearTimeout(this.timer);
    if (this.isClosed) return;
    if (document.visibilityState === 'visible') await this.sign().catch(() => undefined);
    clearTimeout(this.timer);
    if (!this.isStopped()) this.timer = setTimeout(() => void this.pulse(), PULSE);
  }

  private isStopped(): boolean {
    return this.isClosed;
  }

  private async sign(): Promise<void> {
    this.signs += 1;
    if (this.signs % LOOK === 0) this.arrived(null);
    const body = { ...this.place, form: this.form, saved: this.saved };
    const { body: answer } = await request<{ data: readonly Present[] }>(`${settings.base}/presence`, {
      method: 'POST',
      body,
    });
    if (JSON.stringify(answer.data) !== JSON.stringify(this.snapshot.others))
      this.show({ others: answer.data });
    const last = answer.data.reduce(
      (latest, { saved }) => (saved !== null && saved > latest ? saved : latest),
      '',
    );
    if (last !== '') this.arrived(last);
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    document.removeEventListener('visibilitychange', this.wake);
    removeEventListener('pagehide', this.leave);
    this.leave();
  }

  /** Tells the others that the form closes, also when its tab does. */
  private readonly leave = (): void => {
    const body = { ...this.place, form: this.form, closes: true };
    const ask = { method: 'POST', body, keepalive: true } as const;
    request(`${settings.base}/presence`, ask).catch(() => undefined);
  };
}
