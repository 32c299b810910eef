/** Entries of the audit log: the filters of the list in its address, the request, and runs of saves. */
import type { Parameters } from '../api/query.ts';
import { isValidTime, startOfDay } from './local-time.ts';

export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  /** Status of the response to an action; null for writes of documents. */
  readonly status: number | null;
  readonly type: string | null;
  readonly documentId: string | null;
  readonly locale: string | null;
  readonly attributes: readonly string[];
  readonly by: { readonly kind: string; readonly id: string | null };
  readonly requestId: string | null;
  readonly address: string | null;
}

export const CONTENT_ACTIONS = [
  'create',
  'update',
  'publish',
  'unpublish',
  'discardDraft',
  'delete',
  'undo',
  'enable',
  'replay',
] as const;

export const ACCOUNT_ACTIONS = [
  'sign-in',
  'sign-out',
  'register',
  'invite',
  'reset-password',
  'change-password',
  'end-session',
  'end-sessions',
  'rotate-token',
  'revoke-token',
] as const;

export type AuditAction = (typeof CONTENT_ACTIONS | typeof ACCOUNT_ACTIONS)[number];

/** Choice of the filter by action: everything that was refused. */
export const REFUSED = 'refused';

/** Filters of the list; empty texts for none. */
export interface AuditFilters {
  /** Kind of caller, with the id of a user: `user abc`. */
  readonly by: string;
  readonly action: string;
  readonly type: string;
  /** Document id, which an address of one document has. */
  readonly document: string;
  /** First and last day, in the time zone of the editor. */
  readonly from: string;
  readonly to: string;
}

const NAMES = ['by', 'action', 'type', 'document', 'from', 'to'] as const;

export const NO_FILTERS: AuditFilters = { by: '', action: '', type: '', document: '', from: '', to: '' };

export const readFilters = (address: URLSearchParams): AuditFilters =>
  NAMES.reduce((filters, name) => ({ ...filters, [name]: address.get(name) ?? '' }), NO_FILTERS);

export function writeFilters(filters: AuditFilters): URLSearchParams {
  const address = new URLSearchParams();
  for (const name of NAMES) if (filters[name] !== '') address.set(name, filters[name]);
  return address;
}

const isDay = (text: string): boolean => isValidTime(`${text}T00:00`);

const timeOf = ({ from, to }: AuditFilters): readonly Parameters[] => [
  ...(isDay(from) ? [{ at: { $gte: startOfDay(from) } }] : []),
  ...(isDay(to) ? [{ at: { $lt: startOfDay(to, 1) } }] : []),
];

function actionOf({ action }: AuditFilters): readonly Parameters[] {
  if (action === '') return [];
  return [action === REFUSED ? { status: { $gte: 400 } } : { action }];
}

/** Most entries of one request. The server may return fewer: an application sets its own limit. */
const PAGE_SIZE = 50;

/** Parameters of the request for the entries before one of them; null for the newest ones. */
export function auditQuery(filters: AuditFilters, before: string | null): Parameters {
  const { by, type, document } = filters;
  const [kind = '', id = ''] = by.split(' ');
  const conditions: readonly Parameters[] = [
    ...(kind === '' ? [] : [{ by: { kind, ...(id === '' ? {} : { id }) } }]),
    ...(type === '' ? [] : [{ type }]),
    ...(document === '' ? [] : [{ documentId: document }]),
    ...actionOf(filters),
    ...timeOf(filters),
    ...(before === null ? [] : [{ id: { $lt: before } }]),
  ];
  return {
    ...(conditions.length === 0 ? {} : { filters: { $and: conditions } }),
    pagination: { pageSize: PAGE_SIZE, withCount: false },
  };
}

/** Entry that the list shows, with the earlier saves of the same sitting. */
export interface AuditRun extends AuditEntry {
  /** Entries of the run, newest first. */
  readonly entries: readonly AuditEntry[];
}

/** Milliseconds between two saves of one sitting. */
const PAUSE = 600_000;

const isSameDay = (a: Date, b: Date): boolean => a.toDateString() === b.toDateString();

function continues(later: AuditEntry, earlier: AuditEntry): boolean {
  const same = (['action', 'type', 'documentId', 'locale', 'address'] as const).every(
    (name) => later[name] === earlier[name],
  );
  const [end, start] = [new Date(later.at), new Date(earlier.at)];
  return (
    same &&
    later.action === 'update' &&
    later.by.kind === earlier.by.kind &&
    later.by.id === earlier.by.id &&
    isSameDay(start, end) &&
    end.getTime() - start.getTime() <= PAUSE
  );
}

/** Whether an entry is the empty save that a publication begins with. */
const isPartOf = (later: AuditEntry | undefined, { action, attributes, ...entry }: AuditEntry): boolean =>
  later?.action === 'publish' &&
  action === 'update' &&
  attributes.length === 0 &&
  later.at === entry.at &&
  later.documentId === entry.documentId &&
  later.locale === entry.locale;

/** Joins consecutive saves of a document by one caller: a form saves every few seconds. */
export function runsOf(entries: readonly AuditEntry[]): readonly AuditRun[] {
  const runs: AuditRun[] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    const oldest = run?.entries.at(-1);
    if (isPartOf(oldest, entry)) continue;
    if (run === undefined || oldest === undefined || !continues(oldest, entry))
      runs.push({ ...entry, entries: [entry] });
    else {
      const attributes = [...new Set([...entry.attributes, ...run.attributes])].sort();
      runs[runs.length - 1] = { ...run, attributes, entries: [...run.entries, entry] };
    }
  }
  return runs;
}

/** Runs by day, newest first. */
export function daysOf(runs: readonly AuditRun[]): readonly (readonly AuditRun[])[] {
  const days: AuditRun[][] = [];
  for (const run of runs) {
    const last = days.at(-1);
    const first = last?.[0];
    if (last !== undefined && first !== undefined && isSameDay(new Date(first.at), new Date(run.at)))
      last.push(run);
    else days.push([run]);
  }
  return days;
}

/** Prints values as a line of CSV. A spreadsheet runs none of them as a formula. */
export function csvLine(values: readonly (string | number | null)[]): string {
  const cells = values.map((value) => {
    const text = String(value ?? '');
    return `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  });
  return `${cells.join(',')}\r\n`;
}
