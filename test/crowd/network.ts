/** A network path to PostgreSQL that can go silent, or be cut. */
import { connect, createServer, type Socket } from 'node:net';

export interface Network {
  /** The database's URL by this way. */
  readonly url: string;
  /** Nothing gets through any more, and nobody is told. Connections of that time stay lost. */
  silence(): void;
  /** Connections are refused, and those that are open end. */
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
    // As on both sides of the path: otherwise each answer waits for what acknowledges the one before it.
    near.setNoDelay();
    if (mode === 'cut') near.destroy();
    if (mode !== 'open') return;
    const far = connect(Number(target.port), target.hostname);
    far.setNoDelay();
    open.add(far);
    far.on('error', () => near.destroy());
    // What was on its way when the path went silent never arrives, not even after it has come back.
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
