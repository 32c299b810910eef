export interface WriteConditions {
  /** Tag of the version that the editor has seen; another version is a 412. */
  readonly ifMatch?: string | null;
  /** Key of a write that may be repeated after a lost response. */
  readonly key?: string;
}

/** Returns the headers of a write: its condition, and the key by which it is repeated. */
export const writeHeaders = ({ ifMatch = null, key }: WriteConditions): Readonly<Record<string, string>> => ({
  ...(ifMatch === null ? {} : { 'If-Match': ifMatch }),
  ...(key === undefined ? {} : { 'Idempotency-Key': key }),
});
