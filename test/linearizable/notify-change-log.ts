/**
 * Negative control: a change log that listens instead of polling. PostgreSQL notifies after a commit is
 * visible, and with a delay, so that responses are stale. The checker must find them.
 */
import pg from 'pg';
import type * as Ledgers from '../../src/cache/change-log.ts';

const underJest = process.env.JEST_WORKER_ID !== undefined;
const { ChangeLog } = (await import(
  underJest ? '../../src/cache/change-log.ts' : '../../dist/cache/change-log.js'
)) as typeof Ledgers;

/** Milliseconds from a notification of the server to its effect, as on a busy network. */
const DELAY = 20;

export class NotifyChangeLog extends ChangeLog {
  private readonly url: string;
  private listener: pg.Client | null = null;
  private changes: Ledgers.DocumentChange[] = [];

  constructor(base: Ledgers.ChangeLogBase, url: string) {
    super(base);
    this.url = url;
  }

  protected override async poll(): Promise<boolean> {
    if (this.listener === null) await this.listen();
    if (this.server === null) return super.poll();
    this.apply(this.changes.splice(0));
    return true;
  }

  private async listen(): Promise<void> {
    const client = new pg.Client({ connectionString: this.url });
    this.listener = client;
    await client.connect();
    client.on('error', () => undefined);
    client.on('notification', ({ payload }) => {
      const change = JSON.parse(payload ?? '') as Omit<Ledgers.DocumentChange, 'id'>;
      setTimeout(() => this.changes.push({ ...change, id: null }), DELAY);
    });
    await client.query('listen content_change');
  }

  override close(): void {
    void this.listener?.end();
    super.close();
  }
}
