/** Id of a request, by which clients, proxies and log lines name it (protocol 1.31). */
import { randomUUID } from 'node:crypto';

export const REQUEST_ID_HEADER = 'X-Request-Id';

/** Ids that are safe in headers and log lines. */
const WELL_FORMED = /^[\w.:+/=@-]{1,128}$/;
/** `traceparent` of W3C Trace Context: version, trace id, parent id, flags. */
const TRACE = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/;

type Header = string | readonly string[] | undefined;

const matchHeader = (header: Header, pattern: RegExp): RegExpExecArray | null =>
  typeof header === 'string' ? pattern.exec(header) : null;

/** Returns the id that a request carries, or the id of its trace, or a new one. */
export function requestIdIn(headers: Readonly<Record<string, Header>>): string {
  const [given] = matchHeader(headers['x-request-id'], WELL_FORMED) ?? [];
  const [, trace] = matchHeader(headers['traceparent'], TRACE) ?? [];
  return given ?? trace ?? randomUUID();
}
