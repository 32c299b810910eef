/** Parts of documents on their way through the sorts: rows, links, and the rows that own them. */
import type { LinkedAttribute } from '../../content/model/model.js';
import { isObject } from '../../kernel/json.js';
import { ExternalSort } from './external-sort.js';
import type { RowLink } from './source-links.js';
import type { MovedType, SourceTypes } from './source-types.js';
import type { StrapiArchive, StrapiObject } from './strapi-archive.js';
import type { Remarks } from './remark.js';
import type { Survey } from './survey.js';

/** Row of a document: one state in one locale. */
export interface SourceRow {
  readonly what: 'row';
  readonly id: number | string;
  readonly locale: string;
  /** Document id, before all rows of a single type become one document. */
  readonly ownDocument: string;
  /** Locale in the source; empty for none. */
  readonly given: string;
  readonly published: boolean;
  /** Whether an earlier row of the type has the same id. */
  readonly repeated: boolean;
  readonly data: StrapiObject;
}

/** Link of a row or of an instance in it, with the document of its target. */
export interface SourceLink {
  readonly what: 'link';
  readonly row: number | string;
  /** Uid of the type or component that has the attribute, and id of the row or instance. */
  readonly ownerType: string;
  readonly ownerRef: number | string;
  readonly field: string;
  readonly targetType: string;
  readonly target: string;
  readonly position: number | null;
  readonly inverse: number | null;
  readonly n: number;
}

/** Value of a row that another document of the type has, too. */
export interface Taken {
  readonly what: 'taken';
  readonly row: number | string;
  readonly attribute: string;
}

/** Link of a published row to a target that belongs to the draft of another document. */
export interface Barred {
  readonly what: 'barred';
  readonly row: number | string;
  readonly field: string;
  readonly target: string;
}

export type DocumentPart = SourceRow | SourceLink | Taken | Barred;

/** Document with all its rows and links. */
export interface SourceDocument {
  readonly moved: MovedType;
  readonly documentId: string;
  readonly rows: readonly SourceRow[];
  readonly links: readonly SourceLink[];
  readonly taken: readonly Taken[];
  readonly barred: readonly Barred[];
}

/** Row, or row that contains an instance. */
export interface Owner {
  readonly documentId: string;
  readonly type: string;
  readonly row: number | string;
  readonly locale: string;
  readonly published: boolean;
}

export interface OwnedLink extends RowLink {
  readonly owner: Owner;
}

export const BETWEEN = '\u0001';
export const [FIRST, SECOND] = ['0', '1'];

export const keyOf = (...parts: readonly (string | number)[]): string =>
  parts.map((part) => String(part).replace(/[\t\n]/g, ' ')).join(BETWEEN);

export const beforeLast = (key: string): string => key.slice(0, key.lastIndexOf(BETWEEN));

export const isOwner = (value: unknown): value is Owner => isObject(value) && 'documentId' in value;
export const isRowLink = (value: unknown): value is RowLink => isObject(value) && 'ownerRef' in value;
export const isOwnedLink = (value: unknown): value is OwnedLink => isRowLink(value) && 'owner' in value;
export const isPart = (value: unknown): value is DocumentPart => isObject(value) && 'what' in value;

/** Whether a target of this type belongs to one document at most. */
export const isExclusive = ({ exclusive, join: way }: LinkedAttribute, type: string): boolean =>
  exclusive && (!('links' in way) || way.links.exclusive || way.links.exclusiveTypes.includes(type));

/** Types of Strapi itself, whose links need no remark. */
export const INTERNAL =
  /^(admin|strapi)::|^plugin::(users-permissions|upload|i18n|content-releases|review-workflows)\./;

/** Highest instance id, number of instances, and highest position in a list of links. */
export interface LastNumbers {
  readonly instance: number;
  readonly instances: number;
  readonly position: number;
}

const SORTS = ['owners', 'targets', 'documents', 'uniques', 'exclusives'] as const;

/** Sorts of rows and links: by owner, by target, by document, by unique value, by exclusive target. */
export type Sorts = Readonly<Record<(typeof SORTS)[number], ExternalSort>>;

export function sortsIn(directory: string): Sorts {
  const [owners, targets, documents, uniques, exclusives] = SORTS;
  const sort = (name: string): ExternalSort => new ExternalSort(directory, name);
  return {
    owners: sort(owners),
    targets: sort(targets),
    documents: sort(documents),
    uniques: sort(uniques),
    exclusives: sort(exclusives),
  };
}

export interface Sorting {
  readonly archive: StrapiArchive;
  readonly survey: Survey;
  readonly types: SourceTypes;
  readonly remarks: Remarks;
  /** Folder of temporary files. */
  readonly directory: string;
  readonly progress: (what: string, count: number, total: number) => void;
  /** Locale of documents without locales in the application. */
  readonly homeLocale: string;
  /** Document ids of stored roles by type. The archive's role of the type becomes the stored document. */
  readonly storedRoles: ReadonlyMap<string, string>;
  /** Values that must be unique among published documents, by attribute. */
  readonly uniqueValues: (moved: MovedType, row: SourceRow) => readonly (readonly [string, string])[];
}
