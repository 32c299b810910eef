/** Template of the load statement. Its cache key decides the text; values are parameters. */
import type { OwnCondition } from '../access/decide.js';
import type { Lookup } from '../plan/body.js';
import { MAX_INTEGER, MIN_INTEGER } from '../model/cast-value.js';
import type { Coverage } from '../plan/coverage.js';
import type { ContentType, LinkedAttribute, StoredLinks } from '../model/model.js';
import { present } from '../../kernel/present.js';
import { type Param, slot, type Sql } from '../../kernel/sql.js';
import type { OwnShape } from './compile-own.js';

/** Parameters of the lookup before a write. */
export interface LoadRequest {
  readonly type: ContentType;
  readonly existing: boolean;
  readonly documentId: string | null;
  readonly locale: string | null;
  readonly linkLocale: string;
  readonly defaultLocale: string;
  readonly touched: ReadonlySet<string>;
  readonly needed: ReadonlySet<string>;
  readonly merged: ReadonlySet<string>;
  readonly references: readonly (readonly [ContentType, Lookup])[];
  readonly own: OwnCondition | null;
  /** Part of the versions that a precondition compares; null without one. */
  readonly coverage: Coverage | null;
  /** Condition that a feature has stored the row `t`: the same for all writes of the type. */
  readonly kept: Sql | null;
  readonly changed: ReadonlySet<ContentType>;
  /** Relations with link tables for which the lookup returns whether the document has any link. */
  readonly followed: readonly StoredLinks[];
  /** Number of new component ids to reserve. */
  readonly instances: number;
}

export type VersionsRequest = Pick<LoadRequest, 'type' | 'documentId' | 'own' | 'coverage' | 'kept'>;

export interface VersionsShape {
  readonly type: ContentType;
  readonly documentId: Param | null;
  readonly own: OwnShape | null;
  readonly coverage: Coverage | null;
  readonly kept: Sql | null;
  readonly merged: ReadonlySet<string>;
}

export interface LookupShape {
  readonly target: ContentType;
  /** Document ids; row ids, null if the body has none. */
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

const isRowId = (id: number): boolean => id >= MIN_INTEGER && id <= MAX_INTEGER;

const rowsIn = ({ references }: Lookup): number[] => [
  ...new Set(references.flatMap((one) => ('id' in one && isRowId(one.id) ? [one.id] : []))),
];
export const documentsIn = ({ references }: Lookup): string[] => [
  ...new Set(references.flatMap((one) => ('documentId' in one ? [one.documentId] : []))),
];

/** Relations with their own storage. Links inside an instance change only with their document. */
const storedOnly = ({ ownOnly }: Lookup): LinkedAttribute[] =>
  ownOnly.filter(({ join }) => join.lock !== null);

const names = (attributes: readonly LinkedAttribute[]): string[] => attributes.map(({ name }) => name);
const ownerOf = (own: OwnCondition | null): string | null => own?.owner.name ?? null;

export const versionsFacts = ({ documentId, own, coverage, kept }: VersionsRequest) => ({
  hasId: documentId !== null,
  own: ownerOf(own),
  isKept: kept !== null,
  omitted: coverage?.omitted ?? null,
});

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

export const versionsShape = ({ type, documentId, own, coverage, kept }: VersionsRequest): VersionsShape => ({
  type,
  coverage,
  kept,
  documentId: documentId === null ? null : DOCUMENT_ID,
  own: ownShape(own, USER),
  merged: new Set(),
});

function lookupShape([target, lookup]: LoadRequest['references'][number], i: number): LookupShape {
  const at = (read: (lookup: Lookup) => unknown): Param =>
    slot(({ references }: LoadRequest) => read(present(references[i], 'A reference')[1]));
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
