/**
 * Who waits for whom. A writer has its document to itself. Writers of a relation's owning side share the
 * relation; whoever changes it from the other side, takes targets from others, or deletes targets, has it to
 * itself.
 */
import type { ContentType, RelationAttribute } from '../schema/model.js';
import type { Body } from './body.js';

/** A lock by name that lasts as long as its transaction. Shared ones only keep exclusive ones out. */
export interface Lock {
  readonly name: string;
  readonly exclusive: boolean;
}

/** The lock of a relation; none inside components, where nobody else writes. */
const relationLock = ({ join }: RelationAttribute, exclusive: boolean): Lock[] =>
  join.lock === null ? [] : [{ name: join.lock, exclusive }];

/** The lock of a relation whose list is written: from the other side, or taking targets, it is exclusive. */
const writtenLock = (attribute: RelationAttribute): Lock[] =>
  relationLock(attribute, attribute.exclusive || attribute.join.side !== 'owning');

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

/** What the locks of a create or update depend on. */
interface LockedWrite {
  readonly type: ContentType;
  readonly documentId: string | null;
  readonly body: Body;
}

/** The locks of a create or update. Publishing and new locales copy relations that the body does not name. */
export function locksOfWrite({ type, documentId, body }: LockedWrite): Lock[] {
  const existing = documentId !== null || type.kind === 'singleType';
  const copied = existing && (type.draftAndPublish || type.localized) ? type.storage.owning : [];
  const given = [...body.values.relations.values()].map(({ attribute }) => attribute);
  return [
    ...documentLock(type, documentId),
    ...copied.flatMap((attribute) => relationLock(attribute, attribute.exclusive)),
    ...given.flatMap(writtenLock),
  ];
}

/** The locks of a change that concerns a document and its own links only. */
export const locksOfChange = (type: ContentType, documentId: string | null): Lock[] => [
  ...documentLock(type, documentId),
  ...type.storage.relations.flatMap(writtenLock),
];

/** The locks of a deletion, which ends the links of others too. */
export const locksOfDelete = (type: ContentType, documentId: string | null): Lock[] => [
  ...locksOfChange(type, documentId),
  ...type.storage.incomingLocks.map((name) => ({ name, exclusive: true })),
];
