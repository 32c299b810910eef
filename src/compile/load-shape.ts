/** What is looked up before a write, as its statement sees it: facts decide the text, values are slots. */
import type { OwnCondition } from '../access/decide.js';
import type { Lookup } from '../plan/body.js';
import { MAX_INTEGER } from '../schema/cast-value.js';
import type { Coverage } from '../plan/coverage.js';
import type { ContentType, LinkedAttribute, StoredLinks } from '../schema/model.js';
import { type Param, slot } from '../sql.js';
import type { OwnShape } from './compile-own.js';

/** What to look up. */
export interface LoadRequest {
  readonly type: ContentType;
  /** Whether there may be a document to look up; a new one has no versions yet. */
  readonly existing: boolean;
  /** Null for a single type's document, whichever it is. */
  readonly documentId: string | null;
  /** The locale whose values are needed; null for those of all. */
  readonly locale: string | null;
  /** The locale whose links are, where locales have their own. */
  readonly linkLocale: string;
  readonly defaultLocale: string;
  /** Relations whose lists are needed. */
  readonly touched: ReadonlySet<string>;
  /** Other attributes whose stored values are; and those whose values go into what is written. */
  readonly needed: ReadonlySet<string>;
  readonly merged: ReadonlySet<string>;
  /** The documents that the body names, by type. */
  readonly references: readonly (readonly [ContentType, Lookup])[];
  /** Which documents of the type are the caller's own; null where that does not matter. */
  readonly own: OwnCondition | null;
  /** The part of the versions of which the revision is needed, too; null for none. */
  readonly coverage: Coverage | null;
  /** Types whose rows the write changes, because they hold the other side of its relations. */
  readonly changed: ReadonlySet<ContentType>;
  /** Relations in tables of their own of which it is asked whether there is any link of the document. */
  readonly followed: readonly StoredLinks[];
  /** How many fresh component ids to reserve. */
  readonly instances: number;
}

/** The versions of a document: whose, and which of them are the caller's own. */
export type VersionsRequest = Pick<LoadRequest, 'type' | 'documentId' | 'own' | 'coverage'>;

export interface VersionsShape {
  readonly type: ContentType;
  readonly documentId: Param | null;
  readonly own: OwnShape | null;
  readonly coverage: Coverage | null;
  readonly merged: ReadonlySet<string>;
}

/** Documents of a type that a body names. */
export interface LookupShape {
  readonly target: ContentType;
  /** By their ids; and by those of rows, null where there are none. */
  readonly documents: Param;
  readonly rows: Param | null;
  readonly guarded: boolean;
  readonly own: OwnShape | null;
  readonly ownOnly: readonly LinkedAttribute[];
}

export interface LoadShape extends VersionsShape {
  readonly existing: boolean;
  readonly locale: Param | null;
  readonly linkLocale: Param;
  readonly defaultLocale: string;
  readonly touched: ReadonlySet<string>;
  readonly needed: ReadonlySet<string>;
  readonly references: readonly LookupShape[];
  readonly changed: ReadonlySet<ContentType>;
  readonly followed: readonly StoredLinks[];
  readonly instances: Param | null;
}

const rowsIn = ({ references }: Lookup): number[] => [
  ...new Set(references.flatMap((one) => ('id' in one && one.id <= MAX_INTEGER ? [one.id] : []))),
];
/** The documents that are named by their document ids, each once. */
export const documentsIn = ({ references }: Lookup): string[] => [
  ...new Set(references.flatMap((one) => ('documentId' in one ? [one.documentId] : []))),
];

/** Relations that are stored by themselves: nobody else writes inside an instance. */
const storedOnly = ({ ownOnly }: Lookup): LinkedAttribute[] =>
  ownOnly.filter(({ join }) => join.lock !== null);

const names = (attributes: readonly LinkedAttribute[]): string[] => attributes.map(({ name }) => name);
const ownerOf = (own: OwnCondition | null): string | null => own?.owner.name ?? null;

/** What decides the text of the versions alone. */
export const versionsFacts = ({ documentId, own, coverage }: VersionsRequest) => ({
  hasId: documentId !== null,
  own: ownerOf(own),
  omitted: coverage?.omitted ?? null,
});

/** What decides the text. */
export const loadFacts = (request: LoadRequest) => ({
  ...versionsFacts(request),
  existing: request.existing,
  isOfLocale: request.locale !== null,
  defaultLocale: request.defaultLocale,
  touched: [...request.touched],
  needed: [...request.needed],
  merged: [...request.merged],
  changed: [...request.changed].map(({ uid }) => uid),
  followed: names(request.followed.map(({ attribute }) => attribute)),
  hasInstances: request.instances > 0,
  references: request.references.map(([{ uid }, lookup]) => ({
    uid,
    hasRows: rowsIn(lookup).length > 0,
    guarded: lookup.guarded,
    own: ownerOf(lookup.own),
    ownOnly: names(storedOnly(lookup)),
  })),
});

const ownShape = (own: OwnCondition | null, user: Param): OwnShape | null =>
  own === null ? null : { owner: own.owner, user };

const DOCUMENT_ID = slot(({ documentId }: VersionsRequest) => documentId);
const USER = slot(({ own }: VersionsRequest) => own?.user ?? null);

/** The versions alone, with slots for values. */
export const versionsShape = ({ type, documentId, own, coverage }: VersionsRequest): VersionsShape => ({
  type,
  coverage,
  documentId: documentId === null ? null : DOCUMENT_ID,
  own: ownShape(own, USER),
  merged: new Set(),
});

function lookupShape([target, lookup]: LoadRequest['references'][number], i: number): LookupShape {
  const at = (read: (lookup: Lookup) => unknown): Param =>
    slot(({ references }: LoadRequest) => read((references[i] as LoadRequest['references'][number])[1]));
  return {
    target,
    documents: at(documentsIn),
    rows: rowsIn(lookup).length > 0 ? at(rowsIn) : null,
    guarded: lookup.guarded,
    own: ownShape(
      lookup.own,
      at(({ own }) => own?.user ?? null),
    ),
    ownOnly: storedOnly(lookup),
  };
}

/** A request with slots for its values. */
export const loadShape = (request: LoadRequest): LoadShape => ({
  ...versionsShape(request),
  existing: request.existing,
  locale: request.locale === null ? null : slot(({ locale }: LoadRequest) => locale),
  linkLocale: slot(({ linkLocale }: LoadRequest) => linkLocale),
  defaultLocale: request.defaultLocale,
  touched: request.touched,
  needed: request.needed,
  merged: request.merged,
  references: request.references.map(lookupShape),
  changed: request.changed,
  followed: request.followed,
  instances: request.instances > 0 ? slot(({ instances }: LoadRequest) => instances) : null,
});
