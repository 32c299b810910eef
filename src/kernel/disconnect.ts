/** Signal that the client of a request has disconnected. */
export interface Disconnect {
  readonly happened: boolean;
  add(listener: DisconnectListener): void;
  /** Does nothing for a listener that was not added. */
  delete(listener: DisconnectListener): void;
}

export interface DisconnectListener {
  disconnected(): void;
}
