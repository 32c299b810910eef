/**
 * Table of links: every kind of relation, at every place of a document, by every route that can link. The
 * rule is taken from the documentation (docs/access.md, docs/files.md).
 */
import { defineCollectionType, defineComponent, defineSingleType, type Grants } from 'nestjs-content-api';

const embedded = {
  partOne: { type: 'relation', relation: 'oneToOne', target: 'hall' },
  partTo: { type: 'relation', relation: 'manyToOne', target: 'hall' },
  partMany: { type: 'relation', relation: 'manyToMany', target: 'hall' },
  partMorph: { type: 'relation', relation: 'morphToOne', targets: ['hall', 'key'] },
  partMorphs: { type: 'relation', relation: 'morphToMany', targets: ['hall', 'key'] },
  partFile: { type: 'media' },
  partFiles: { type: 'media', multiple: true },
} as const;

const inner = defineComponent({ uid: 'link.inner', attributes: embedded });
const outer = defineComponent({
  uid: 'link.outer',
  attributes: { inner: { type: 'component', component: 'link.inner' } },
});

const own = {
  one: { type: 'relation', relation: 'oneToOne', target: 'hall' },
  to: { type: 'relation', relation: 'manyToOne', target: 'hall' },
  toList: { type: 'relation', relation: 'oneToMany', target: 'hall' },
  many: { type: 'relation', relation: 'manyToMany', target: 'hall' },
  morph: { type: 'relation', relation: 'morphToOne', targets: ['hall', 'key'] },
  morphs: { type: 'relation', relation: 'morphToMany', targets: ['hall', 'key'] },
  photo: { type: 'media' },
  photos: { type: 'media', multiple: true },
  passport: { type: 'media', private: true },
  part: { type: 'component', component: 'link.inner' },
  parts: { type: 'component', component: 'link.inner', repeatable: true },
  nested: { type: 'component', component: 'link.outer' },
  zone: { type: 'dynamiczone', components: ['link.inner'] },
} as const;

/** Relations whose links are stored by the other type. */
const inverse = {
  farOne: { type: 'relation', relation: 'oneToOne', target: 'hall', mappedBy: 'owner' },
  farMany: { type: 'relation', relation: 'oneToMany', target: 'hall', mappedBy: 'holder' },
  farSet: { type: 'relation', relation: 'manyToMany', target: 'hall', mappedBy: 'houses' },
  farMorph: { type: 'relation', relation: 'morphOne', target: 'hall', morphBy: 'subject' },
  farMorphs: { type: 'relation', relation: 'morphMany', target: 'hall', morphBy: 'subjects' },
} as const;

const house = defineCollectionType({
  singularApiId: 'house',
  pluralApiId: 'houses',
  attributes: {
    name: { type: 'string' },
    ...own,
    near: { type: 'relation', relation: 'oneToOne', target: 'hall', inversedBy: 'nearOf' },
    ...inverse,
  },
});
const castle = defineSingleType({ singularApiId: 'castle', attributes: own });
const hall = defineCollectionType({
  singularApiId: 'hall',
  pluralApiId: 'halls',
  draftAndPublish: true,
  attributes: {
    name: { type: 'string' },
    nearOf: { type: 'relation', relation: 'oneToOne', target: 'house', mappedBy: 'near' },
    owner: { type: 'relation', relation: 'oneToOne', target: 'house', inversedBy: 'farOne' },
    holder: { type: 'relation', relation: 'manyToOne', target: 'house', inversedBy: 'farMany' },
    houses: { type: 'relation', relation: 'manyToMany', target: 'house', inversedBy: 'farSet' },
    subject: { type: 'relation', relation: 'morphToOne', targets: ['house'] },
    subjects: { type: 'relation', relation: 'morphToMany', targets: ['house'] },
  },
});
const key = defineCollectionType({
  singularApiId: 'key',
  pluralApiId: 'keys',
  attributes: { name: { type: 'string' } },
});

export const linkModel = { contentTypes: [house, castle, hall, key], components: [inner, outer] };

const WRITE = ['create', 'update'] as const;
const WRITER: Grants = { house: WRITE, castle: ['update'] };

/** Callers who may write every attribute of `house`, with different grants on the targets. */
export const LINKERS: Readonly<Record<string, Grants>> = {
  blind: WRITER,
  finder: { ...WRITER, hall: ['find'] },
  oneByOne: { ...WRITER, hall: ['findOne', 'update'], key: ['findOne'], file: ['findOne'] },
  drafter: { ...WRITER, hall: ['find', 'readDrafts'], key: ['find'], file: ['find'] },
  updater: { ...WRITER, hall: ['find', 'update'] },
  namer: { ...WRITER, hall: ['find', 'readDrafts', { actions: ['update'], fields: ['name'] }] },
  keeper: { ...WRITER, key: ['find'], hall: ['update', 'readDrafts'] },
  everything: { '*': '*' },
};

type Target = 'hall' | 'key' | 'file';

/** Target of a link in a body. */
export interface Reference {
  readonly target: Target;
  readonly state: 'published' | 'draft' | 'missing';
  readonly by: 'documentId' | 'id';
}

export const REFERENCES: readonly Reference[] = [
  { target: 'hall', state: 'published' },
  { target: 'hall', state: 'draft' },
  { target: 'hall', state: 'missing' },
  { target: 'key', state: 'published' },
  { target: 'file', state: 'published' },
  { target: 'file', state: 'missing' },
].flatMap((one) => (['documentId', 'id'] as const).map((by) => ({ ...one, by }) as Reference));

interface Attribute {
  readonly type: string;
  readonly relation?: string;
  readonly multiple?: boolean;
  readonly mappedBy?: string;
  readonly morphBy?: string;
}

/** Attribute with links, and its path in a document. */
export interface LinkRow {
  readonly path: string;
  readonly attribute: Attribute;
  /** Builds a body with a value of the attribute. */
  readonly body: (value: unknown) => object;
  /** `populate` value that loads the attribute. */
  readonly populate: string;
  readonly isInSingle: boolean;
}

const isLink = ({ type }: Attribute): boolean => type === 'relation' || type === 'media';

const inside = (prefix: string, populate: string, wrap: (part: object) => object): LinkRow[] =>
  Object.entries(embedded).map(([name, attribute]) => ({
    path: `${prefix}.${name}`,
    attribute,
    body: (value) => wrap({ [name]: value }),
    populate: `${populate}[populate][${name}]=true`,
    isInSingle: true,
  }));

export const LINK_ROWS: readonly LinkRow[] = [
  ...Object.entries(house.attributes as Readonly<Record<string, Attribute>>).flatMap(([name, attribute]) =>
    isLink(attribute)
      ? [
          {
            path: name,
            attribute,
            body: (value: unknown) => ({ [name]: value }),
            populate: `populate[${name}]=true`,
            isInSingle: name in own,
          },
        ]
      : [],
  ),
  ...inside('part', 'populate[part]', (part) => ({ part })),
  ...inside('parts', 'populate[parts]', (part) => ({ parts: [part] })),
  ...inside('nested', 'populate[nested][populate][inner]', (part) => ({ nested: { inner: part } })),
  ...inside('zone', 'populate[zone][on][link.inner]', (part) => ({
    zone: [{ __component: 'link.inner', ...part }],
  })),
];

export const isMorph = ({ relation = '' }: Attribute): boolean => relation.startsWith('morphTo');

/** Types that an attribute accepts as targets. */
export function accepts({ type, relation = '' }: Attribute): readonly Target[] {
  if (type === 'media') return ['file'];
  return relation.startsWith('morphTo') ? ['hall', 'key'] : ['hall'];
}

/** Attribute of `hall` that owns the links of an attribute; undefined if the attribute owns them itself. */
const ownerOf = ({ mappedBy, morphBy }: Attribute): string | undefined => mappedBy ?? morphBy;

function grants(caller: Grants, type: string, action: string, field?: string): boolean {
  const list = [caller[type] ?? [], caller['*'] ?? []].flat();
  return list.some((grant) => {
    if (typeof grant === 'string') return grant === '*' || grant === action;
    const isNamed = field === undefined || grant.fields === undefined || grant.fields.includes(field);
    return grant.actions.includes(action as never) && isNamed;
  });
}

/** Returns whether a body may link a reference through an attribute. */
export function mayLink(caller: Grants, attribute: Attribute, { target, state, by }: Reference): boolean {
  if (state === 'missing') return false;
  if (target === 'file')
    return by === 'documentId' || grants(caller, 'file', 'find') || grants(caller, 'file', 'findOne');
  if (!grants(caller, target, 'find')) return false;
  if (state === 'draft' && !grants(caller, target, 'readDrafts')) return false;
  const owner = ownerOf(attribute);
  return owner === undefined || grants(caller, target, 'update', owner);
}

export const maySee = (caller: Grants, { target }: Pick<Reference, 'target'>): boolean =>
  target === 'file' || grants(caller, target, 'find');

/** Callers who may read every attribute of `house`. */
export const READERS: Readonly<Record<string, Grants>> = {
  houses: { house: ['findOne'] },
  halls: { house: ['findOne'], hall: ['find'] },
  hallsOneByOne: { house: ['findOne'], hall: ['findOne'], key: ['findOne'] },
  keys: { house: ['findOne'], key: ['find'] },
};

/** Callers of the upload form who may create files. */
export const UPLOADERS: Readonly<Record<string, Grants>> = {
  all: { file: ['create'], house: ['update'] },
  photos: { file: ['create'], house: [{ actions: ['update'], fields: ['photos', 'part', 'to'] }] },
  passports: { file: ['create'], house: [{ actions: ['update'], fields: ['passport'] }] },
  reader: { file: ['create'], house: ['find', 'findOne', 'create'] },
};

/** Values of `field`: media attributes, other attributes and an unknown name. */
export const FIELDS = ['photo', 'photos', 'passport', 'part', 'to', 'name', 'nothing'];
const MEDIA = ['photo', 'photos', 'passport'];

/** Expected status of an upload with `ref`, `field` and the `refId` of an existing or missing document. */
export function uploadStatus(caller: Grants, field: string, exists: boolean): number {
  if (!grants(caller, 'house', 'update')) return 403;
  if (!MEDIA.includes(field) || !grants(caller, 'house', 'update', field)) return 400;
  return exists ? 201 : 404;
}
