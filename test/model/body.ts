/** Bodies, and lists after a body (11.2–11.13). */

export interface Position {
  readonly before?: string;
  readonly after?: string;
  readonly start?: true;
  readonly end?: true;
}

/** A relation in a body: a new list, or a change of the stored one (11.2, 11.3). */
export type Payload =
  | { readonly set: readonly string[] }
  | {
      readonly connect: readonly { readonly documentId: string; readonly position?: Position }[];
      readonly disconnect: readonly string[];
    };

export const named = (payload: Payload): readonly string[] =>
  'set' in payload
    ? payload.set
    : [...payload.connect.map(({ documentId }) => documentId), ...payload.disconnect];

/** Whether a payload changes nothing (11.9). */
export const isEmpty = (payload: Payload): boolean =>
  !('set' in payload) && payload.connect.length + payload.disconnect.length === 0;

/** A reason to refuse a body: 400. */
export class Refusal extends Error {}

/**
 * Returns a list after a payload (11.2–11.13). Throws a Refusal for a missing anchor, or a cycle of anchors.
 */
export function changed(list: readonly string[], payload: Payload, one: boolean): string[] {
  if ('set' in payload) return one ? payload.set.slice(-1) : [...payload.set];
  const { connect, disconnect } = payload;
  const kept = (id: string): boolean =>
    !disconnect.includes(id) || connect.some(({ documentId }) => documentId === id);
  const result = [...list];
  const last = connect.at(-1);
  if (one) return last === undefined ? result.filter(kept) : [last.documentId];
  const pending = new Map(connect.map((item) => [item.documentId, item]));
  const waiting = new Set<string>();
  const insert = (id: string): void => {
    const { position = {} } = pending.get(id) ?? {};
    const anchor = position.before ?? position.after;
    if (anchor !== undefined && !result.includes(anchor) && pending.has(anchor)) {
      if (waiting.has(id)) throw new Refusal('a cycle of anchors');
      waiting.add(id);
      insert(anchor);
    }
    if (!pending.delete(id)) return;
    if (anchor !== undefined && (anchor === id || !result.includes(anchor)))
      throw new Refusal('no such anchor');
    if (result.includes(id)) result.splice(result.indexOf(id), 1);
    const before = position.before === undefined ? result.length : result.indexOf(position.before);
    const at = position.after === undefined ? before : result.indexOf(position.after) + 1;
    result.splice(position.start === true ? 0 : at, 0, id);
  };
  for (const { documentId } of connect) insert(documentId);
  return result.filter(kept);
}

/** An instance in a body: a new one if its key is null, otherwise changes of a stored one (12.7). */
export interface GivenInstance {
  readonly key: number | null;
  readonly component: string;
  readonly text?: string | null;
  readonly links: Readonly<Record<string, Payload>>;
}

export interface Body {
  readonly scalars: Readonly<Record<string, string | number | null>>;
  readonly embedded: Readonly<Record<string, readonly GivenInstance[]>>;
  readonly relations: Readonly<Record<string, Payload>>;
}
