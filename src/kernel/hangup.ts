/** Signal that the client of a request has disconnected. */
export interface Hangup {
  readonly happened: boolean;
  add(listener: HangupListener): void;
  /** Does nothing for a listener that was not added. */
  delete(listener: HangupListener): void;
}

export interface HangupListener {
  hungUp(): void;
}
