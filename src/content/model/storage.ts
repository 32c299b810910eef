/** Derives the database storage of a content type, once, when the model is built. */
import { isAuthor } from './authors.js';
import { attributeStorage, isUnique } from './attribute-storage.js';
import { relationsOf } from './join-storage.js';
import type { Attribute, ContentType, Index, LinkedAttribute, ScalarAttribute, Storage } from './model.js';
import {
  COUNTER,
  countIndexName,
  COUNTS,
  inSchema,
  INSTANCE_IDS,
  INSTANCE_SEQUENCE,
  listIndexName,
  splitTable,
  singleIndexName,
  uniqueIndexName,
  versionIndexName,
} from './naming.js';
import { generationOf } from './generation.js';
import { ruledNames, valueNames } from './ruled.js';
import { indexOf } from './stored-parts.js';
import { type DeclaredIndex, declaredIndexes } from './type-indexes.js';

export const NO_STORAGE: Storage = Object.freeze({
  columns: [],
  columnOf: new Map(),
  links: [],
  content: { columns: [], links: [] },
  generation: 1,
  indexes: [],
  instanceIds: INSTANCE_IDS,
  instanceSequence: INSTANCE_SEQUENCE,
  counter: COUNTER,
  counts: COUNTS,
  names: [],
  relations: [],
  owning: [],
  exclusive: [],
  referrers: [],
  incomingLocks: [],
  uniques: [],
  uniqueTogether: [],
  ruled: new Set<string>(),
  generatedUids: [],
  uniqueNames: new Map(),
  trigrams: new Set<Attribute>(),
  contended: [],
});

function ownIndexes(type: ContentType): Index[] {
  const one = { unique: true };
  const single = indexOf(singleIndexName(type), ['locale', '_published'], one);
  return [
    indexOf(versionIndexName(type), ['documentId', 'locale', '_published'], one),
    ...(type.kind === 'singleType' ? [single] : []),
    // Totals count by state and locale; lists continue by id. Links contain document ids: with that column
    // the index alone finds the linked rows of a list.
    indexOf(countIndexName(type), ['_published', 'locale']),
    indexOf(listIndexName(type), ['_published', 'locale', 'id', 'documentId']),
  ];
}

/**
 * Returns the names that a type reserves for itself. A collection type also reserves the index of a single
 * type, because it may become one.
 */
function ownNames(type: ContentType, declared: readonly DeclaredIndex[]): string[] {
  const { bare } = splitTable(type.table);
  return [
    bare,
    `${bare}_id_seq`,
    `${bare}_pkey`,
    versionIndexName(type),
    singleIndexName(type),
    countIndexName(type),
    listIndexName(type),
    ...declared.map(({ index }) => index.name),
  ];
}

const byName = <T extends { readonly name: string }>(list: readonly T[]): T[] =>
  list.toSorted((a, b) => (a.name < b.name ? -1 : 1));

interface Uniques {
  readonly scalars: readonly ScalarAttribute[];
  readonly declared: readonly DeclaredIndex[];
}

const uniqueIn = (declared: readonly DeclaredIndex[]): readonly DeclaredIndex[] =>
  declared.filter(({ index }) => index.unique);

function uniqueNamesOf(type: ContentType, { scalars, declared }: Uniques): Storage['uniqueNames'] {
  const single = scalars.filter(({ system }) => !system);
  return new Map<string, readonly Attribute[]>([
    ...single.map((one): [string, Attribute[]] => [uniqueIndexName(type, one), [one]]),
    ...uniqueIn(declared).map((one): [string, readonly Attribute[]] => [one.index.name, one.attributes]),
  ]);
}

const trigramsOf = (declared: readonly DeclaredIndex[]): ReadonlySet<Attribute> =>
  new Set(
    declared
      .filter(({ index: { gin } }) => gin?.operators === 'gin_trgm_ops')
      .flatMap(({ attributes }) => attributes),
  );

/** Names of unique indexes with a generated uid. */
const generatedIn = (declared: readonly DeclaredIndex[]): readonly Index['name'][] =>
  uniqueIn(declared)
    .filter(({ attributes }) => attributes.some(({ def }) => 'generate' in def && def.generate === true))
    .map(({ index }) => index.name);

/** Derives the storage of a type. All types need their attributes first. */
export function storageOf(type: ContentType, types: readonly ContentType[]): Storage {
  const attributes = [...type.attributes.values()];
  const stored = attributes.map((attribute) => ({ attribute, ...attributeStorage(attribute, type) }));
  const relations = relationsOf(type);
  const incomingOf = (other: ContentType): LinkedAttribute[] =>
    relationsOf(other).filter(({ targets }) => targets.includes(type));
  const scalars = attributes.filter((attribute) => attribute.kind === 'scalar');
  const columns = stored.flatMap((one) => one.columns).filter(({ attribute }) => !attribute.system);
  const links = stored.flatMap(({ attribute, link }) =>
    link === null ? [] : [{ attribute: attribute as LinkedAttribute, table: link }],
  );
  const columnOf = new Map(
    stored.flatMap((one) => one.columns.slice(0, 1)).map((column) => [column.attribute.name, column]),
  );
  const declared = declaredIndexes(type, columnOf);
  const content = {
    columns: byName(columns.filter(({ placeOf, attribute }) => placeOf === null && !isAuthor(attribute))),
    links: byName(links.map((one) => ({ ...one, name: one.attribute.name }))),
  };
  return Object.freeze<Storage>({
    columns,
    columnOf,
    links,
    content,
    generation: generationOf(content),
    indexes: [
      ...stored.flatMap(({ indexes }) => indexes),
      ...declared.map(({ index }) => index),
      ...ownIndexes(type),
    ],
    instanceIds: inSchema(splitTable(type.table).schema, INSTANCE_IDS),
    instanceSequence: inSchema(splitTable(type.table).schema, INSTANCE_SEQUENCE),
    counter: inSchema(splitTable(type.table).schema, COUNTER),
    counts: inSchema(splitTable(type.table).schema, COUNTS),
    names: [
      ...ownNames(type, declared).map((name) => ({ name, attribute: null })),
      ...stored.flatMap(({ attribute, names, indexes }) =>
        [...names, ...indexes.map(({ name }) => name)].map((name) => ({ name, attribute })),
      ),
    ],
    relations,
    owning: relations.filter(({ join }) => join.side === 'owning'),
    exclusive: relations.filter(({ exclusive, join }) => exclusive && join.side === 'owning'),
    referrers: types.filter((other) => incomingOf(other).some(({ join }) => join.side === 'owning')),
    incomingLocks: types.flatMap(incomingOf).flatMap(({ join }) => (join.lock === null ? [] : [join.lock])),
    uniques: scalars.filter((one) => isUnique(one, type)),
    uniqueTogether: uniqueIn(declared).flatMap((one) => one.attributes),
    ruled: type.validate === null ? ruledNames(attributes) : valueNames(attributes),
    generatedUids: scalars.filter(({ def }) => def.generate === true),
    uniqueNames: uniqueNamesOf(type, { scalars, declared }),
    trigrams: trigramsOf(declared),
    contended: [
      versionIndexName(type),
      singleIndexName(type),
      ...stored.flatMap(({ contended }) => contended),
      ...generatedIn(declared),
    ],
  });
}
