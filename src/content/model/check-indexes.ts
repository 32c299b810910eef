/** Finds mistakes in the indexes that a type declares. */
import { attributeOf } from './attribute-context.js';
import type { AttributeDefinition, ContentTypeDefinition } from './definitions.js';
import { INDEXED_ALWAYS, type IndexDefinition, isIndexedAlways } from './index-definition.js';
import { declaredIndexName } from './naming.js';
import { ATTRIBUTE_OPTIONS, checkOptions, INDEX_OPTIONS, type Report } from './options.js';
import { among } from './suggest.js';

const TEXTS: readonly string[] = ['string', 'text', 'richtext', 'email', 'uid', 'enumeration'];

/** Attribute types without an entry in a sorted index, with the reason. */
const UNSORTABLE_TYPES: Readonly<Partial<Record<AttributeDefinition['type'], string>>> = {
  text: "may be too long for a sorted index; set using: 'trigram' to search it",
  richtext: "may be too long for a sorted index; set using: 'trigram' to search it",
  component: 'is a component; set index: true on the attribute',
  dynamiczone: 'is a dynamic zone, which has no index',
};

const isToOne = (def: AttributeDefinition): boolean =>
  (def.type === 'media' && def.multiple !== true) ||
  (def.type === 'relation' && (def.relation === 'manyToOne' || def.relation === 'oneToOne'));

/** Whether the links are in a table of their own, or in the table of the other side. */
const isInOtherTable = (def: AttributeDefinition, type: ContentTypeDefinition): boolean =>
  ('mappedBy' in def && def.mappedBy !== undefined) ||
  ('inversedBy' in def && def.inversedBy !== undefined && def.localized === true && type.localized === true);

/** Reason why an attribute cannot be in a sorted index; null if it can. */
function unsortedReason(def: AttributeDefinition, type: ContentTypeDefinition): string | null {
  if (def.type === 'relation' || def.type === 'media') {
    if (!isToOne(def)) return 'has several targets, which are not in the row of the document';
    return isInOtherTable(def, type) ? 'is not stored in the row of the document' : null;
  }
  if (Object.hasOwn(ATTRIBUTE_OPTIONS[def.type], 'index') && def.type !== 'component') return null;
  return UNSORTABLE_TYPES[def.type] ?? `has the type ${def.type}, which cannot be sorted`;
}

function reasonAgainst(
  name: string,
  { using, unique }: IndexDefinition,
  type: ContentTypeDefinition,
): string | null {
  const def = attributeOf(type.attributes, name);
  const isText = def === undefined ? name === 'documentId' : TEXTS.includes(def.type);
  if (def === undefined && !isIndexedAlways(name))
    return `is not an attribute${among(name, [...Object.keys(type.attributes), ...INDEXED_ALWAYS])}`;
  if (using === 'trigram') return isText ? null : 'is not a text attribute';
  if (def !== undefined) return unsortedReason(def, type);
  return unique === true ? 'is set by the server; it cannot be part of a unique index' : null;
}

/** Checks the indexes of a type whose options are valid. */
export function checkIndexes(type: ContentTypeDefinition, report: Report): void {
  const seen = new Map<string, number>();
  type.indexes?.forEach((index, i) => {
    const here: Report = (message) => report(`indexes[${i}]: ${message}`);
    if (!checkOptions(index, { options: INDEX_OPTIONS, needed: ['attributes'] }, here)) return;
    for (const name of index.attributes) {
      const reason = reasonAgainst(name, index, type);
      if (reason !== null) here(`"${name}" ${reason}`);
    }
    if (index.using === 'trigram' && index.unique === true) here('a trigram index cannot be unique');
    const name = declaredIndexName(
      { table: type.tableName ?? type.pluralApiId ?? type.singularApiId },
      index,
    );
    const first = seen.get(name);
    if (first !== undefined) here(`is the same as indexes[${first}]`);
    seen.set(name, i);
  });
}
