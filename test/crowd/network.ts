/** Network path to PostgreSQL that can become silent or be cut. */
import { connect, createServer, type Socket } from 'node:net';

export interface Network {
  /** URL of the database through this path. */
  readonly url: string;
  /** Drops all further data without a notification. Open connections remain lost. */
  silence(): void;
  /** Refuses connections and ends open ones. */
  cut(): void;
  restore(): void;
  close(): Promise<void>;
}

export async function createNetwork(databaseUrl: string): Promise<Network> {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  let mode: 'open' | 'silent' | 'cut' = 'open';
  const server = createServer((near) => {
    open.add(near);
    near.on('error', () => near.destroy());
    // As on real paths; otherwise each response waits for an acknowledgement.
    near.setNoDelay();
    if (mode === 'cut') near.destroy();
    if (mode !== 'open') return;
    const far = connect(Number(target.port), target.hostname);
    far.setNoDelay();
    open.add(far);
    far.on('error', () => near.destroy());
    // Data in transit when the path becomes silent never arrives, not even after it recovers.
    let isLost = false;
    const pass = (from: Socket, to: Socket): void => {
      from.on('data', (data) => {
        isLost ||= mode === 'silent';
        if (!isLost) to.write(data);
      });
      from.on('close', () => (isLost ? undefined : to.destroy()));
    };
    pass(near, far);
    pass(far, near);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as { port: number }).port);
  const end = (): void => {
    for (const socket of open) socket.destroy();
    open.clear();
  };
  return {
    url: url.href,
    silence: () => (mode = 'silent'),
    cut: () => {
      mode = 'cut';
      end();
    },
    restore: () => (mode = 'open'),
    close: () => {
      end();
      return new Promise((done) => server.close(() => done()));
    },
  };
}
