/** Disconnection of clients, per connection. */
import type { Disconnect, DisconnectListener } from '../../kernel/disconnect.js';
import { rawOf } from './request-state.js';

interface Wire {
  readonly destroyed?: boolean;
  once(event: 'close', listener: () => void): unknown;
  [CONNECTION]?: Connection;
}

interface NodeRequest {
  readonly socket?: Partial<Wire>;
  readonly stream?: Partial<Wire>;
}

const CONNECTION = Symbol('ContentConnection');

const isWire = (wire: Partial<Wire> | undefined): wire is Wire => typeof wire?.once === 'function';

/** Shared by all requests of a connection, so that most requests add no listener. */
class Connection implements Disconnect {
  private readonly listeners: DisconnectListener[] = [];
  happened: boolean;

  constructor(wire: Wire) {
    this.happened = wire.destroyed === true;
    wire.once('close', () => this.close());
  }

  add(listener: DisconnectListener): void {
    this.listeners.push(listener);
  }

  delete(listener: DisconnectListener): void {
    const at = this.listeners.lastIndexOf(listener);
    if (at < 0) return;
    const last = this.listeners.pop();
    if (last !== undefined && at < this.listeners.length) this.listeners[at] = last;
  }

  private close(): void {
    this.happened = true;
    for (const listener of this.listeners.splice(0)) listener.disconnected();
  }
}

export function disconnectOf(request: object & { readonly raw?: object }): Disconnect | null {
  const { stream, socket }: NodeRequest = rawOf(request);
  const wire = stream ?? socket;
  if (!isWire(wire)) return null;
  return (wire[CONNECTION] ??= new Connection(wire));
}
