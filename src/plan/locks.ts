/**
 * Who waits for whom. A writer has its document to itself. Writers of a relation's owning side share the
 * relation; whoever changes it from the other side, takes targets from others, or deletes targets, has it to
 * itself.
 */
import type { ContentType, RelationAttribute, Schema } from '../schema/model.js';
import type { Body } from './body.js';

/** A lock by name that lasts as long as its transaction. Shared ones only keep exclusive ones out. */
export interface Lock {
  readonly name: string;
  readonly exclusive: boolean;
}

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

/** What the locks of a create or update depend on. */
interface LockedWrite {
  readonly type: ContentType;
  readonly documentId: string | null;
  readonly body: Body;
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
