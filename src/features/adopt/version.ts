/** Versions of a document, and what its builders share. */
import type { Remarks } from './remark.js';
import type { SourceDocument, SourceLink, SourceRow } from './sorted-parts.js';
import type { SourceTypes } from './source-types.js';
import type { StrapiObject } from './strapi-archive.js';

export interface Building {
  readonly types: SourceTypes;
  readonly remarks: Remarks;
  readonly locales: readonly string[];
  readonly defaultLocale: string;
  /** Names of the files in the media library. */
  readonly fileNames: ReadonlySet<string>;
  /** Time for rows that have none. */
  readonly now: string;
  /** Returns a row id that no row of the source has. */
  readonly newId: (uid: string) => number;
  /** Adds values that the source does not have, such as those of files. */
  readonly complete: (uid: string, data: StrapiObject, documentId: string) => StrapiObject;
}

/** Version of a document here, made from a row of the source. */
export interface Version {
  readonly row: SourceRow;
  readonly id: number;
  readonly published: boolean;
  readonly locale: string;
  readonly data: StrapiObject;
  /** Links of the row by attribute here, and of its instances by component, id and attribute. */
  readonly links: ReadonlyMap<string, readonly SourceLink[]>;
}

export const placeOf = (uid: string, ref: number | string, name: string): string =>
  `${uid}\u0001${ref}\u0001${name}`;

/** Adds remarks about the rows of a document. */
export class DocumentNotes {
  private readonly said = new Map<SourceRow, Set<string>>();

  constructor(
    private readonly document: SourceDocument,
    private readonly remarks: Remarks,
  ) {}

  say(list: 'changed' | 'none', [key, text]: readonly [string, string], row: SourceRow): void {
    const subject = this.document.moved.uid;
    // A row may become two versions, which say the same.
    const said = this.said.get(row) ?? new Set();
    this.said.set(row, said);
    const remark = [list, key, text].join('\n');
    if (said.has(remark)) return;
    said.add(remark);
    this.remarks.add({ list, subject, ...(key === '' ? {} : { key }), text }, this.nameOf(row));
  }

  private nameOf({ id, given }: SourceRow): string {
    const { documentId } = this.document;
    return `${documentId} (row ${id}${given === '' ? '' : `, ${given}`})`;
  }
}
