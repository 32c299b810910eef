/**
 * Compares our response with the recorded one under the normalisations of the cases' rules, and no others.
 */
import type { Case } from './cases.ts';
import { compareHeaders } from './headers.ts';
import type { Kind, Kinds } from './kinds.ts';
import type { Answer } from './request.ts';
import { isSeeded, TIMES } from './times.ts';
import type { Moment, Times } from './times.ts';

/** A path where the responses differ. */
export interface Difference {
  readonly path: string;
  readonly recorded: unknown;
  readonly ours: unknown;
}

type Id = string | number;
type Fields = Readonly<Record<string, unknown>>;

/**
 * Recorded id → ours, per kind. A recorded id always has the same one of ours. Several recorded ids may have
 * the same one, because the reference changes the id of a version with each publication (D18).
 */
export class IdMap {
  private readonly known = new Map<string, Id>();
  private readonly documents = new Map<string, string>();
  private pending: [string, Id, Id][] = [];

  /** Discards the ids of the last comparison, unless they were kept. */
  begin(): void {
    this.pending = [];
  }

  keep(): void {
    for (const [kind, recorded, ours] of this.pending) {
      this.known.set(`${kind}:${recorded}`, ours);
      if (kind === DOCUMENT_IDS) this.documents.set(String(recorded), String(ours));
    }
  }

  /** Whether the two may be equal; within one response, no two recorded ids have the same one of ours. */
  agree(kind: string, recorded: Id, ours: Id): boolean {
    const known = this.known.get(`${kind}:${recorded}`);
    if (known !== undefined && known !== ours) return false;
    if (this.pending.some(([name, theirs, own]) => name === kind && (theirs === recorded) !== (own === ours)))
      return false;
    this.pending.push([kind, recorded, ours]);
    return true;
  }

  /** Returns a recorded text with our document ids. */
  translate(text: string): string {
    return text.replace(DOCUMENT_ID_IN_TEXT, (id) => this.documents.get(id) ?? id);
  }
}

const DOCUMENT_IDS = 'documentId';
const DOCUMENT_ID = /^[a-z][a-z0-9]{23}$/;
const DOCUMENT_ID_IN_TEXT = /[a-z][a-z0-9]{23}/g;
/** Placeholder of a value that differs between runs, such as `<jwt>`. */
const PLACEHOLDER = /^<\w+>$/;
const DETAILS = 'error.details';
const HASH = /_[0-9a-f]{10}(?=\.\w+$|$)/;

const isTime = (key: string): boolean => (TIMES as readonly string[]).includes(key);
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isId = (value: unknown): value is Id => typeof value === 'number' || typeof value === 'string';
const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '';

/** Whether a response has the shape of failures, with a 4xx. */
export function isRefusal({ status, body }: Answer): boolean {
  if (status < 400 || status > 499 || !isFields(body) || body.data !== null || !isFields(body.error))
    return false;
  const { error } = body;
  return (
    error.status === status &&
    typeof error.name === 'string' &&
    typeof error.message === 'string' &&
    isFields(error.details)
  );
}

/** Context of a comparison: the model, and earlier responses. */
export interface Context {
  readonly kinds: Kinds;
  readonly ids: IdMap;
  readonly times: Times;
  /**
   * Seeded documents that cases outside these files have changed. Their presence and keys are compared, but
   * not their values.
   */
  readonly foreign?: ReadonlySet<string>;
}

/** One comparison: walks both responses in parallel along the model. */
class Comparison {
  readonly differences: Difference[] = [];
  private readonly context: Context;
  private readonly kinds: Kinds;
  private readonly ids: IdMap;
  private readonly moment: Moment;

  constructor(context: Context, moment: Moment) {
    this.context = context;
    this.kinds = context.kinds;
    this.ids = context.ids;
    this.moment = moment;
  }

  differ(path: string, recorded: unknown, ours: unknown): void {
    this.differences.push({ path, recorded, ours });
  }

  value(path: string, recorded: unknown, ours: unknown, kind: Kind): void {
    if (Array.isArray(recorded) && Array.isArray(ours)) this.list(path, recorded, ours, kind);
    else if (isFields(recorded) && isFields(ours))
      this.fields(path, recorded, ours, this.kinds.instance(kind, recorded));
    else if (!this.sameScalar(recorded, ours, kind)) this.differ(path, recorded, ours);
  }

  private sameScalar(recorded: unknown, ours: unknown, kind: Kind): boolean {
    if (recorded === ours) return true;
    if (typeof recorded !== 'string' || typeof ours !== 'string') return false;
    if (PLACEHOLDER.test(recorded)) return ours !== '';
    return (
      this.ids.translate(recorded) === ours ||
      (kind.hashes === true && HASH.test(ours) && recorded.replace(HASH, '') === ours.replace(HASH, ''))
    );
  }

  private list(path: string, recorded: readonly unknown[], ours: readonly unknown[], kind: Kind): void {
    if (recorded.length !== ours.length) this.differ(`${path}.length`, recorded.length, ours.length);
    for (let index = 0; index < Math.min(recorded.length, ours.length); index++)
      this.value(`${path}[${index}]`, recorded[index], ours[index], kind);
  }

  private fields(path: string, recorded: Fields, ours: Fields, kind: Kind): void {
    const foreign = this.context.foreign?.has(String(recorded.documentId)) === true;
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(ours)])) {
      const place = path === '' ? key : `${path}.${key}`;
      if (!(key in ours)) this.missing(place, recorded[key]);
      else if (!(key in recorded)) this.added(place, key, ours[key], kind);
      else if (!foreign || key === 'documentId') this.field(place, key, [recorded[key], ours[key]], kind);
    }
    this.order(path, recorded, ours, kind);
    if (kind.is === 'document' && !foreign) this.times(path, [recorded, ours], kind);
  }

  private times(path: string, pair: readonly [Fields, Fields], kind: Kind): void {
    const found = this.context.times.compare(kind.name, pair, path === 'data' ? this.moment : null);
    for (const { key, recorded, ours } of found) this.differ(`${path}.${key}`, recorded, ours);
  }

  /** `id` and `documentId` come first if both responses have them. */
  private order(path: string, recorded: Fields, ours: Fields, kind: Kind): void {
    if (kind.is === 'plain') return;
    const first = ['id', 'documentId'].filter((key) => key in recorded && key in ours);
    const keys = Object.keys(ours).slice(0, first.length);
    if (first.some((key, index) => keys[index] !== key)) this.differ(`${path}.<key order>`, first, keys);
  }

  private missing(path: string, recorded: unknown): void {
    if (path === DETAILS && isFields(recorded) && Object.keys(recorded).length === 0) return;
    this.differ(path, recorded, undefined);
  }

  /**
   * Members that only our response has: `locale` on documents (D1), `documentId` in components (D2), empty
   * `details`.
   */
  private added(path: string, key: string, ours: unknown, kind: Kind): void {
    if (path === DETAILS && isFields(ours) && Object.keys(ours).length === 0) return;
    if (key === 'locale' && kind.is === 'document' && !kind.localized && ours === this.kinds.defaultLocale)
      return;
    if (key === 'documentId' && kind.is === 'component' && typeof ours === 'string' && DOCUMENT_ID.test(ours))
      return;
    this.differ(path, undefined, ours);
  }

  private field(path: string, key: string, [recorded, ours]: readonly [unknown, unknown], kind: Kind): void {
    const listed = key in kind.attributes || kind.is === 'plain';
    if (listed) return this.value(path, recorded, ours, this.kinds.child(kind, key));
    if (key === 'id' && isId(recorded) && isId(ours)) {
      if (typeof recorded !== typeof ours || !this.ids.agree(kind.name, recorded, ours))
        this.differ(path, recorded, ours);
    } else if (key === 'documentId' && typeof recorded === 'string' && typeof ours === 'string') {
      if (!DOCUMENT_ID.test(ours) || !this.ids.agree(DOCUMENT_IDS, recorded, ours))
        this.differ(path, recorded, ours);
    } else if (isTime(key) && typeof recorded === 'string' && typeof ours === 'string') {
      // Two times of a document are also compared with each other, after all its keys.
    } else if (!(
      key === 'locale' &&
      recorded === null &&
      !kind.localized &&
      ours === this.kinds.defaultLocale
    )) {
      this.value(path, recorded, ours, this.kinds.child(kind, key));
    }
  }
}

/**
 * Returns the times of the written document that the request itself must have set (1.4): none without a
 * change.
 */
function madeBy({ method, status, body }: Case): readonly string[] {
  if (method === 'POST' && status === 201) return TIMES;
  const { data } = (isFields(body) ? body : {}) as { readonly data?: unknown };
  return method === 'PUT' && status === 200 && isFields(data) && Object.keys(data).length > 0
    ? ['updatedAt']
    : [];
}

/**
 * Returns the differences between our response and the recorded one. Learned ids and times wait in the
 * context to be kept.
 */
export function compare(recorded: Case, ours: Answer, context: Context): Difference[] {
  context.ids.begin();
  context.times.begin();
  if (recorded.status === 500)
    return isRefusal(ours) ? [] : [{ path: 'status', recorded: '4xx in the error shape', ours: ours.status }];
  const comparison = new Comparison(context, { ...ours, made: madeBy(recorded) });
  if (recorded.status !== ours.status) comparison.differ('status', recorded.status, ours.status);
  // A response to HEAD has the status and the headers of the GET, and no body.
  if (recorded.method === 'HEAD') {
    if (!isEmpty(ours.body)) comparison.differ('body', '', ours.body);
  } else if (!(isEmpty(recorded.response) && isEmpty(ours.body))) {
    comparison.value('', recorded.response, ours.body, context.kinds.ofPath(recorded.path));
  }
  return [...comparison.differences, ...compareHeaders(recorded.responseHeaders ?? {}, ours.headers)];
}

/** Returns the seeded documents in a recorded response of a write. */
export function changedDocuments(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { documentId, createdAt, updatedAt } = value as Fields;
  const changed =
    typeof documentId === 'string' &&
    typeof createdAt === 'string' &&
    typeof updatedAt === 'string' &&
    isSeeded(createdAt) &&
    !isSeeded(updatedAt);
  return [...(changed ? [documentId] : []), ...Object.values(value).flatMap(changedDocuments)];
}
