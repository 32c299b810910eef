/**
 * Who waits for whom. A writer has its document to itself. Writers of a relation's owning side share the
 * relation; whoever changes it from the other side, takes targets from others, or deletes targets, has it to
 * itself.
 */
import type { Lock } from '../compile/compile-load.js';
import type { ContentType, RelationAttribute, Schema } from '../schema/model.js';
import type { WriteRequest } from './load.js';

/** A relation's name, the same from both sides; null inside components, where nobody else writes. */
function relationName(owner: ContentType, { join, target }: RelationAttribute): string | null {
  switch (join.kind) {
    case 'column':
      return `${owner.table}.${join.column}`;
    case 'inverseColumn':
      return `${target.table}.${join.column}`;
    case 'link':
    case 'inverseLink':
      return join.table;
    default:
      return null;
  }
}

const relationsOf = (type: ContentType): RelationAttribute[] =>
  [...type.attributes.values()].filter((attribute) => attribute.kind === 'relation');

const isOwned = ({ join }: RelationAttribute): boolean => join.kind === 'column' || join.kind === 'link';

function relationLock(owner: ContentType, attribute: RelationAttribute, exclusive: boolean): Lock[] {
  const name = relationName(owner, attribute);
  return name === null ? [] : [{ name, exclusive }];
}

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
/** What a create or update waits for depends on. */
type LockedWrite = Pick<WriteRequest, 'type' | 'documentId' | 'body'>;

/**
 * The locks that a create or update waits for before it looks around. A new document that only shares its
 * relations has nothing to wait for: it takes its locks along with what it looks up.
 */
export function locksBefore(request: LockedWrite): Lock[] {
  const locks = locksOfWrite(request);
  const { type, documentId } = request;
  const waits = documentId !== null || type.kind === 'singleType' || locks.some(({ exclusive }) => exclusive);
  return waits ? locks : [];
}

/** The locks of a create or update. Publishing and new locales copy relations that the body does not name. */
export function locksOfWrite({ type, documentId, body }: LockedWrite): Lock[] {
  const existing = documentId !== null || type.kind === 'singleType';
  const copied =
    existing && (type.draftAndPublish || type.localized) ? relationsOf(type).filter(isOwned) : [];
  const given = [...body.values.values()].flatMap((item) =>
    item.kind === 'relation' ? [item.attribute] : [],
  );
  return [
    ...documentLock(type, documentId),
    ...copied.flatMap((attribute) => relationLock(type, attribute, attribute.exclusive)),
    ...given.flatMap((attribute) =>
      relationLock(type, attribute, attribute.exclusive || !isOwned(attribute)),
    ),
  ];
}

/** The locks of a change that concerns a document and its own links only. */
export const locksOfChange = (type: ContentType, documentId: string | null): Lock[] => [
  ...documentLock(type, documentId),
  ...relationsOf(type).flatMap((attribute) =>
    relationLock(type, attribute, attribute.exclusive || !isOwned(attribute)),
  ),
];

/** The locks of a deletion, which ends the links of others too. */
export const locksOfDelete = (schema: Schema, type: ContentType, documentId: string | null): Lock[] => [
  ...locksOfChange(type, documentId),
  ...[...schema.types.values()].flatMap((owner) =>
    relationsOf(owner).flatMap((attribute) =>
      attribute.target === type ? relationLock(owner, attribute, true) : [],
    ),
  ),
];
