/**
 * Rows of archived documents, for statements that insert them: a list of values for each column, or a text
 * for COPY.
 */
import { setImmediate } from 'node:timers/promises';
import type { ArchivedType } from '../../content/model/archive.js';
import { linkTableColumns } from '../../content/model/join-model.js';
import { SCHEDULE_COLUMNS, scheduleTableOf } from '../../content/model/schedule.js';
import { SYSTEM_COLUMNS } from '../../content/model/system-columns.js';
import type { StoredValues } from '../../content/plan/stored-instances.js';
import { isObject } from '../../kernel/json.js';
import { textOf } from '../../kernel/parameter-text.js';
import type { Identifier } from '../../kernel/sql.js';
import { ArchiveError, documentIdOf } from './format.js';
import { DocumentParser, isRows } from './parse-document.js';

export interface RowColumn {
  readonly name: Identifier;
  readonly type: string;
  readonly default?: number;
}

/** Returns a number in the usual spelling. Large integers keep that of the archive, which is exact. */
function plain(value: unknown): unknown {
  if (!JSON.isRawJSON(value)) return value;
  const number = Number(value.rawJSON);
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? value : number;
}

/** Returns the value of a column; JSON as text. */
function valueOf(column: RowColumn, row: StoredValues, same: StoredValues): unknown {
  const value = same[column.name] ?? row[column.name] ?? column.default ?? null;
  return column.type === 'jsonb' && value !== null ? JSON.stringify(value) : plain(value);
}

/** Collects the rows of one table. */
export interface Rows {
  readonly table: Identifier;
  readonly columns: readonly RowColumn[];
  readonly count: number;
  /** Adds rows of an archive, with values that are the same for all of them. */
  add(rows: unknown, same: StoredValues): void;
}

/** Rows of one table, with a list of values for each column. */
export class TableRows implements Rows {
  readonly values: readonly unknown[][];
  count = 0;

  constructor(
    readonly table: Identifier,
    readonly columns: readonly RowColumn[],
  ) {
    this.values = columns.map(() => []);
  }

  add(rows: unknown, same: StoredValues): void {
    if (!isRows(rows)) return;
    this.count += rows.length;
    this.columns.forEach((column, i) => {
      for (const row of rows) this.values[i]?.push(valueOf(column, row, same));
    });
  }
}

/** Characters that the text format of COPY escapes (PostgreSQL documentation, "COPY", "Text Format"). */
const SPECIAL = /[\\\t\n\r]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function copied(value: unknown): string {
  const text = JSON.isRawJSON(value) ? value.rawJSON : textOf(value);
  if (text === null) return '\\N';
  return SPECIAL.test(text) ? text.replace(/[\\\t\n\r]/g, (one) => ESCAPES[one] ?? one) : text;
}

/** Rows of one table as a text for COPY. */
export class TableText implements Rows {
  text = '';
  count = 0;

  constructor(
    readonly table: Identifier,
    readonly columns: readonly RowColumn[],
  ) {}

  add(rows: unknown, same: StoredValues): void {
    if (!isRows(rows)) return;
    this.count += rows.length;
    for (const row of rows)
      this.text += `${this.columns.map((column) => copied(valueOf(column, row, same))).join('\t')}\n`;
  }
}

export interface DocumentRows<T extends Rows = TableRows> {
  readonly versions: T;
  /** Links and schedules. */
  readonly others: readonly T[];
}

/**
 * Documents that are parsed without a pause. Without pauses, the statements of the previous batch wait, and
 * an import takes 1.15 times as long.
 */
const PARSED_AT_ONCE = 25;

/** Calls functions with each line, with pauses. */
export async function eachWithPauses(
  lines: readonly string[],
  ...calls: readonly ((line: string) => void)[]
): Promise<void> {
  for (const [i, line] of lines.entries()) {
    if (i % PARSED_AT_ONCE === 0) await setImmediate();
    for (const call of calls) call(line);
  }
}

/** Collects rows of documents in `Kind`. Throws an ArchiveError for a line that cannot be parsed. */
export function collectRows<T extends Rows>(
  { type, columns, links }: ArchivedType,
  Kind: new (table: Identifier, columns: readonly RowColumn[]) => T,
) {
  const parser = new DocumentParser({ type, columns, links });
  const versions = new Kind(type.table, [...SYSTEM_COLUMNS, ...columns]);
  const times = new Kind(scheduleTableOf(type), SCHEDULE_COLUMNS);
  const lists = links.map(({ attribute, table }) => {
    const rows = new Kind(table.table, linkTableColumns(table));
    return { name: attribute.name, owner: table.owner.name, rows };
  });
  const add = (line: string): void => {
    const document = parser.parseExactly(line);
    if (document === null) throw new ArchiveError('The archive is damaged: it changed during the import');
    const id = documentIdOf(line);
    versions.add(document['versions'], { document_id: id });
    times.add(document['schedule'], { type: type.singularApiId, document_id: id });
    const { links: linked } = document;
    for (const { name, owner, rows } of lists)
      rows.add(isObject(linked) ? linked[name] : null, { [owner]: id });
  };
  return { rows: { versions, others: [...lists.map(({ rows }) => rows), times] }, add };
}

/** Returns the rows of documents. Throws an ArchiveError for a line that cannot be parsed. */
export async function documentRows(archived: ArchivedType, lines: readonly string[]): Promise<DocumentRows> {
  const { rows, add } = collectRows(archived, TableRows);
  await eachWithPauses(lines, add);
  return rows;
}
