/** Notes of an import, in sentences: on comparisons that are not possible, and on versions left out. */
import { HISTORY_MEMBER } from '../../content/model/history-table.js';
import { isObject } from '../../kernel/json.js';
import type { Comparison } from './compare-models.js';
import type { DocumentsPart } from './format.js';
import type { Piece } from './walk-archive.js';

/** Note on an archive of an earlier release. */
const NOT_COMPARED =
  'The archive is of an earlier release and does not describe its model: options of types, attributes and ' +
  'components were not compared, only columns and values';

/** Number of documents whose lines contain stored versions. */
const withVersions = (lines: readonly string[]): number =>
  lines
    .filter((line) => line.includes(`"${HISTORY_MEMBER}"`))
    .map((line): unknown => JSON.parse(line))
    .filter((document) => isObject(document) && Array.isArray(document[HISTORY_MEMBER])).length;

export class ImportNotes {
  readonly all: string[] = [];
  private leftOut = 0;

  begin({ archived }: Comparison): void {
    if (archived === null) this.all.push(NOT_COMPARED);
  }

  /** Counts stored versions of a type without history. */
  add({ compared: { archived }, lines }: Piece): void {
    if (archived?.type.history === false) this.leftOut += withVersions(lines);
  }

  end({ type }: DocumentsPart): void {
    if (this.leftOut > 0)
      this.all.push(
        `Stored versions of ${this.leftOut} documents of ${type} are left out: the type has no history`,
      );
    this.leftOut = 0;
  }
}
