/**
 * Locks of a write. Each writer locks its document exclusively, and shares the lock of the links that its
 * type owns. With drafts or locales it shares that lock even if it changes no link: writers of links compute
 * revisions from all values of a row.
 * A writer that changes links from the inverse side, takes exclusive targets or deletes targets locks these
 * links exclusively. It may then change rows of several documents.
 */
import { linksLock as nameOfLinksLock, ownerTypeOf } from '../model/joins.js';
import type { ContentType, LinkedAttribute, Storage } from '../model/model.js';
import type { Lock } from '../../pool/locks.js';
import type { Body } from './body.js';

/** Lock of a relation's links; none inside components, which only their document's writer changes. */
const linksLock = ({ join }: LinkedAttribute, exclusive: boolean): Lock[] =>
  join.lock === null ? [] : [{ name: join.lock, exclusive }];

const writtenLock = (attribute: LinkedAttribute): Lock[] =>
  linksLock(attribute, attribute.exclusive || attribute.join.side !== 'owning');

/** Lock of a document. A single type has one lock, even before its document exists. */
const documentLock = (type: ContentType, documentId: string | null): Lock[] =>
  documentId === null && type.kind === 'collectionType'
    ? []
    : [
        {
          name: type.kind === 'singleType' ? type.table : `${type.table}:${documentId ?? ''}`,
          exclusive: true,
        },
      ];

/** Name of the lock that serialises writes of a document; null for a new document. */
export const mutexOf = (type: ContentType, documentId: string | null): string | null =>
  documentLock(type, documentId)[0]?.name ?? null;

/**
 * Name of the lock whose exclusive holder may change a document's rows besides its own writers. Null for a
 * new document, which is not visible to other writes.
 */
export const rowsLockOf = (type: ContentType, documentId: string | null): string | null =>
  documentId === null && type.kind === 'collectionType' ? null : nameOfLinksLock(type.table);

const transferredRelations = ({ owning, relations }: Storage): LinkedAttribute[] => [
  ...owning,
  ...relations.filter((one) => one.join.side === 'inverse' && ownerTypeOf(one).draftAndPublish),
];

interface WriteTarget {
  readonly type: ContentType;
  readonly documentId: string | null;
  readonly publish: boolean;
}

/** Locks of a create or update. Publishing also affects relations that the body does not name. */
export function locksOfWrite({ type, documentId, publish }: WriteTarget, body: Body): Lock[] {
  const existing = documentId !== null || type.kind === 'singleType';
  const publishes = existing && type.draftAndPublish && publish;
  const shares = existing && !publishes && (type.localized || type.draftAndPublish);
  const others = shares ? type.storage.owning : [];
  const given = [...body.values.relations.values()].map(({ attribute }) => attribute);
  return [
    ...documentLock(type, documentId),
    ...others.flatMap((attribute) => linksLock(attribute, false)),
    ...[...(publishes ? transferredRelations(type.storage) : []), ...given].flatMap(writtenLock),
  ];
}

export const locksOfTransition = ({ type, documentId }: WriteTarget): Lock[] => [
  ...documentLock(type, documentId),
  ...transferredRelations(type.storage).flatMap(writtenLock),
];

/** Locks of a deletion, which also deletes links from other documents. */
export const locksOfDelete = ({ type, documentId }: Omit<WriteTarget, 'publish'>): Lock[] => [
  ...documentLock(type, documentId),
  ...type.storage.relations.flatMap(writtenLock),
  ...type.storage.incomingLocks.map((name) => ({ name, exclusive: true })),
];

/** Returns the locks that the held ones do not include. */
export const missingLocks = (locks: readonly Lock[], held: readonly Lock[]): Lock[] =>
  locks.filter(
    ({ name, exclusive }) => !held.some((one) => one.name === name && (one.exclusive || !exclusive)),
  );
