/** Rows of archived documents: a list of values for each column, which a statement unnests. */
import { setImmediate } from 'node:timers/promises';
import type { ArchivedType } from '../../content/model/archive.js';
import { linkTableColumns } from '../../content/model/join-model.js';
import { SCHEDULE_COLUMNS, scheduleTableOf } from '../../content/model/schedule.js';
import { SYSTEM_COLUMNS } from '../../content/model/system-columns.js';
import type { StoredValues } from '../../content/plan/stored-instances.js';
import { isObject } from '../../kernel/json.js';
import type { Identifier } from '../../kernel/sql.js';
import { ArchiveError, documentIdOf } from './format.js';
import { DocumentParser, isRows } from './parse-document.js';

interface RowColumn {
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

/** Rows of one table, with a list of values for each column. */
export class TableRows {
  readonly values: readonly unknown[][];
  count = 0;

  constructor(
    readonly table: Identifier,
    readonly columns: readonly RowColumn[],
  ) {
    this.values = columns.map(() => []);
  }

  /** Adds rows of an archive, with values that are the same for all of them. */
  add(rows: unknown, same: StoredValues): void {
    if (!isRows(rows)) return;
    this.count += rows.length;
    this.columns.forEach(({ name, type, default: usual = null }, i) => {
      for (const row of rows) {
        const value = same[name] ?? row[name] ?? usual;
        this.values[i]?.push(type === 'jsonb' && value !== null ? JSON.stringify(value) : plain(value));
      }
    });
  }
}

export interface DocumentRows {
  readonly versions: TableRows;
  /** Links and schedules. */
  readonly others: readonly TableRows[];
}

/**
 * Documents that are parsed without a pause. Without pauses, the statements of the previous batch wait, and
 * an import takes 1.15 times as long.
 */
const PARSED_AT_ONCE = 25;

/** Returns the rows of documents. Throws an ArchiveError for a line that cannot be parsed. */
export async function documentRows(archived: ArchivedType, lines: readonly string[]): Promise<DocumentRows> {
  const { type, columns, links } = archived;
  const parser = new DocumentParser(archived);
  const versions = new TableRows(type.table, [...SYSTEM_COLUMNS, ...columns]);
  const times = new TableRows(scheduleTableOf(type), SCHEDULE_COLUMNS);
  const lists = links.map(({ attribute, table }) => {
    const rows = new TableRows(table.table, linkTableColumns(table));
    return { name: attribute.name, owner: table.owner.name, rows };
  });
  for (const [i, line] of lines.entries()) {
    if (i % PARSED_AT_ONCE === 0) await setImmediate();
    const document = parser.parseExactly(line);
    if (document === null) throw new ArchiveError('The archive is damaged: it changed during the import');
    const id = documentIdOf(line);
    versions.add(document['versions'], { document_id: id });
    times.add(document['schedule'], { type: type.singularApiId, document_id: id });
    const { links: linked } = document;
    for (const { name, owner, rows } of lists)
      rows.add(isObject(linked) ? linked[name] : null, { [owner]: id });
  }
  return { versions, others: [...lists.map(({ rows }) => rows), times] };
}
