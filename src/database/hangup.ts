/** Tells when nobody waits for an answer any more. */
export interface Hangup {
  /** Whether it has happened already. */
  readonly happened: boolean;
  add(listener: HangupListener): void;
  /** Does nothing for a listener that was not added. */
  delete(listener: HangupListener): void;
}

export interface HangupListener {
  hungUp(): void;
}
