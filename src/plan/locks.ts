/**
 * Who waits for whom. A writer has its document to itself. Writers share the links that their type owns;
 * whoever changes them from the other side, takes targets from others, or deletes targets, has them to
 * itself, and with them the rows of that type: nobody else changes more than one document's.
 */
import { linksLock as nameOfLinksLock, ownerTypeOf } from '../schema/joins.js';
import type { ContentType, LinkedAttribute, Storage } from '../schema/model.js';
import type { Body } from './body.js';

/** A lock by name that lasts as long as its transaction. Shared ones only keep exclusive ones out. */
export interface Lock {
  readonly name: string;
  readonly exclusive: boolean;
}

/** The lock of the links that a relation is part of; none inside components, where nobody else writes. */
const linksLock = ({ join }: LinkedAttribute, exclusive: boolean): Lock[] =>
  join.lock === null ? [] : [{ name: join.lock, exclusive }];

/** The lock of a relation whose list is written: from the other side, or taking targets, it is exclusive. */
const writtenLock = (attribute: LinkedAttribute): Lock[] =>
  linksLock(attribute, attribute.exclusive || attribute.join.side !== 'owning');

/** A document's own lock; a single type has one for the document that it may come to have. */
const documentLock = (type: ContentType, documentId: string | null): Lock[] =>
  documentId === null && type.kind === 'collectionType'
    ? []
    : [
        {
          name: type.kind === 'singleType' ? type.table : `${type.table}:${documentId ?? ''}`,
          exclusive: true,
        },
      ];

/** The document that a write has to itself, by the name of its lock; null for a new one. */
export const turnOf = (type: ContentType, documentId: string | null): string | null =>
  documentLock(type, documentId)[0]?.name ?? null;

/**
 * The lock whose exclusive holder may change the rows of a document beside its own writers; null for a new
 * one, which no other write knows.
 */
export const rowsLockOf = (type: ContentType, documentId: string | null): string | null =>
  documentId === null && type.kind === 'collectionType' ? null : nameOfLinksLock(type.table);

/** The relations whose links come to be published with a document, or are taken back by its draft. */
const transferred = ({ owning, relations }: Storage): LinkedAttribute[] => [
  ...owning,
  ...relations.filter((one) => one.join.side === 'inverse' && ownerTypeOf(one).draftAndPublish),
];

/** What is written. */
interface Written {
  readonly type: ContentType;
  readonly documentId: string | null;
  readonly publish: boolean;
}

/** The locks of a create or update; publishing concerns relations that the body does not name. */
export function locksOfWrite({ type, documentId, publish }: Written, body: Body): Lock[] {
  const existing = documentId !== null || type.kind === 'singleType';
  const publishes = existing && type.draftAndPublish && publish;
  const others = existing && type.localized ? type.storage.owning : [];
  const given = [...body.values.relations.values()].map(({ attribute }) => attribute);
  return [
    ...documentLock(type, documentId),
    ...others.flatMap((attribute) => linksLock(attribute, false)),
    ...[...(publishes ? transferred(type.storage) : []), ...given].flatMap(writtenLock),
  ];
}

/** The locks of a transition from one state to another. */
export const locksOfTransition = ({ type, documentId }: Written): Lock[] => [
  ...documentLock(type, documentId),
  ...transferred(type.storage).flatMap(writtenLock),
];

/** The locks of a deletion, which ends the links of others too. */
export const locksOfDelete = ({ type, documentId }: Written): Lock[] => [
  ...documentLock(type, documentId),
  ...type.storage.relations.flatMap(writtenLock),
  ...type.storage.incomingLocks.map((name) => ({ name, exclusive: true })),
];
