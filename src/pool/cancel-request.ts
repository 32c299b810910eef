/**
 * Cancel requests of the wire protocol (PostgreSQL documentation, "Canceling Requests in Progress"). They
 * need no session, so they work when the server accepts no more connections.
 */
import { connect } from 'node:net';

/** Connection whose statement is cancelled: its address, and the key that the server assigned. */
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
 * Cancels the statement that a connection runs. Resolves with true once the server has received the request:
 * it cannot end a later statement then. False if the server was not reached in time.
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
