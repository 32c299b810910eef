/**
 * The protocol's own request to end a statement (PostgreSQL's documentation, "Canceling Requests in
 * Progress"): it needs no session, so it gets through where the server has no connection left.
 */
import { connect } from 'node:net';

/** Whose statement: a connection's address, and the key that the server gave it. */
export interface Cancellable {
  readonly host: string;
  readonly port: number;
  readonly processID: number | null;
  readonly secretKey: number | null;
}

const CANCEL_CODE = 80_877_102;
const LENGTH = 16;

function message(processID: number, secretKey: number): Buffer {
  const buffer = Buffer.alloc(LENGTH);
  buffer.writeInt32BE(LENGTH, 0);
  buffer.writeInt32BE(CANCEL_CODE, 4);
  buffer.writeInt32BE(processID, 8);
  buffer.writeInt32BE(secretKey, 12);
  return buffer;
}

/**
 * Asks the server to end the statement that a connection runs. Resolves once the server has heard it, after
 * which no later statement of the connection can be hit; false where it could not be reached in time.
 */
export function requestCancel(target: Cancellable, timeout: number): Promise<boolean> {
  const { host, port, processID, secretKey } = target;
  if (processID === null || typeof secretKey !== 'number') return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    let failed = false;
    const fail = (): void => {
      failed = true;
      socket.destroy();
    };
    socket.setTimeout(timeout, fail);
    socket.on('error', fail);
    socket.on('connect', () => socket.write(message(processID, secretKey)));
    socket.on('close', () => resolve(!failed));
    socket.resume();
  });
}
