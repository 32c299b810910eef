/**
 * Model with hidden data in every place: drafts, two locales, relations from both sides, components with
 * relations, a zone and media. The content consists of separate worlds. Documents of world n link only
 * documents of world n, and every value contains its type, attribute and world. A condition along any path
 * therefore matches exactly one document.
 */
import type { INestApplication } from '@nestjs/common';
import {
  type ContentService,
  defineCollectionType,
  defineComponent,
  defineSingleType,
  getContentToken,
} from 'nestjs-content-api';
import type { TestApp } from '../support/app.ts';

const core = defineComponent({
  uid: 'part.core',
  attributes: {
    word: { type: 'string' },
    keeper: { type: 'relation', relation: 'manyToOne', target: 'vault' },
  },
});
const box = defineComponent({
  uid: 'part.box',
  attributes: {
    label: { type: 'string' },
    amount: { type: 'integer' },
    hidden: { type: 'string', private: true },
    hiddenWriter: { type: 'relation', relation: 'manyToOne', target: 'author', private: true },
    writer: { type: 'relation', relation: 'manyToOne', target: 'author' },
    picks: { type: 'relation', relation: 'manyToMany', target: 'book' },
    image: { type: 'media' },
    core: { type: 'component', component: 'part.core' },
  },
});
const quote = defineComponent({
  uid: 'part.quote',
  attributes: { text: { type: 'text' }, tag: { type: 'relation', relation: 'manyToOne', target: 'tag' } },
});

const book = defineCollectionType({
  singularApiId: 'book',
  pluralApiId: 'books',
  draftAndPublish: true,
  localized: true,
  attributes: {
    title: { type: 'string', localized: true },
    summary: { type: 'text' },
    pages: { type: 'integer' },
    secret: { type: 'string', private: true },
    pass: { type: 'password' },
    hiddenAuthor: { type: 'relation', relation: 'manyToOne', target: 'author', private: true },
    hiddenBox: { type: 'component', component: 'part.core', private: true },
    cover: { type: 'media' },
    scans: { type: 'media', multiple: true },
    author: { type: 'relation', relation: 'manyToOne', target: 'author', inversedBy: 'books' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'books' },
    vault: { type: 'relation', relation: 'manyToOne', target: 'vault', inversedBy: 'books' },
    box: { type: 'component', component: 'part.box' },
    cores: { type: 'component', component: 'part.core', repeatable: true },
    zone: { type: 'dynamiczone', components: ['part.box', 'part.quote'] },
  },
});
const author = defineCollectionType({
  singularApiId: 'author',
  pluralApiId: 'authors',
  attributes: {
    name: { type: 'string' },
    bio: { type: 'text' },
    email: { type: 'email', private: true },
    books: { type: 'relation', relation: 'oneToMany', target: 'book', mappedBy: 'author' },
    mentor: { type: 'relation', relation: 'manyToOne', target: 'author' },
    photo: { type: 'media' },
    card: { type: 'component', component: 'part.quote' },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  draftAndPublish: true,
  attributes: {
    name: { type: 'string' },
    color: { type: 'string' },
    books: { type: 'relation', relation: 'manyToMany', target: 'book', mappedBy: 'tags' },
    note: { type: 'relation', relation: 'manyToOne', target: 'note' },
  },
});
/** Owned by the user who created it. */
const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  draftAndPublish: true,
  owner: 'writer',
  attributes: {
    text: { type: 'string' },
    extra: { type: 'string' },
    secret: { type: 'string', private: true },
    writer: { type: 'string' },
    book: { type: 'relation', relation: 'manyToOne', target: 'book' },
    photo: { type: 'media' },
  },
});
const vault = defineCollectionType({
  singularApiId: 'vault',
  pluralApiId: 'vaults',
  attributes: {
    code: { type: 'string' },
    books: { type: 'relation', relation: 'oneToMany', target: 'book', mappedBy: 'vault' },
  },
});
const home = defineSingleType({
  singularApiId: 'home',
  attributes: {
    headline: { type: 'string' },
    motto: { type: 'string' },
    favourite: { type: 'relation', relation: 'manyToOne', target: 'book' },
    box: { type: 'component', component: 'part.box' },
  },
});

/** Properties of an attribute that the access rule uses. */
export interface AttributeOf {
  readonly type: string;
  readonly private?: boolean;
  readonly relation?: string;
  readonly target?: string;
  readonly mappedBy?: string;
  readonly component?: string;
  readonly components?: readonly string[];
  readonly repeatable?: boolean;
  readonly multiple?: boolean;
}

export interface ModelOf {
  readonly attributes: Readonly<Record<string, AttributeOf>>;
  readonly draftAndPublish?: boolean;
  readonly localized?: boolean;
  readonly kind?: string;
  readonly owner?: string;
}

export const library = {
  contentTypes: [book, author, tag, vault, note, home],
  components: [core, box, quote],
  locales: ['en', 'fr'],
};

export const TYPES: ReadonlyMap<string, ModelOf> = new Map(
  library.contentTypes.map((type) => [type.singularApiId, type]),
);
export const COMPONENTS: ReadonlyMap<string, ModelOf> = new Map(
  library.components.map((component) => [component.uid, component]),
);

const ROUTES = new Map<string, string>(
  library.contentTypes.map((type) => [
    type.singularApiId,
    'pluralApiId' in type ? type.pluralApiId : type.singularApiId,
  ]),
);

export const isSingle = (type: string): boolean => TYPES.get(type)?.kind === 'singleType';
/** Route of a type, with the document id for collection types. */
export const routeOf = (type: string, documentId?: string): string =>
  `/api/${ROUTES.get(type) ?? type}${documentId === undefined || isSingle(type) ? '' : `/${documentId}`}`;

/**
 * Number of the spare world. Worlds 0 and 1 are only read; writes link and change the spare one, which the
 * others never reference.
 */
export const SPARE = 2;

/** Id of the calling user, who owns all documents outside world 0. */
export const USER = '7';

/** Value of a scalar attribute in world n. */
export function valueOf(owner: string, attribute: string, n: number): string | number {
  if (TYPES.get(owner)?.owner === attribute) return n === 0 ? '8' : USER;
  const { type } = (TYPES.get(owner) ?? COMPONENTS.get(owner))?.attributes[attribute] ?? { type: 'string' };
  if (type === 'integer') return 770_000 + owner.length * 1000 + n;
  const text = `${owner.replace('.', '-')}-${attribute}-${n}`;
  return type === 'email' ? `${text}@example.org` : text;
}

/** Document ids by type and world, and row ids of files by world. */
export interface Ids {
  readonly documents: Readonly<Record<string, readonly string[]>>;
  readonly files: readonly number[];
}

const fileId = (n: number): string => `file-${n}`;

/** Value of an attribute in a body for world n. */
export function bodyOf(owner: string, attribute: string, n: number, ids: Ids): unknown {
  const def = (TYPES.get(owner) ?? COMPONENTS.get(owner))?.attributes[attribute];
  switch (def?.type) {
    case 'media':
      return def.multiple === true ? [fileId(n)] : fileId(n);
    case 'relation': {
      const target = ids.documents[def.target ?? '']?.[n];
      return def.relation?.endsWith('ToMany') === true ? [target] : target;
    }
    case 'component': {
      const instance = instanceOf(def.component ?? '', n, ids);
      return def.repeatable === true ? [instance] : instance;
    }
    case 'dynamiczone':
      return (def.components ?? []).map((uid) => ({ __component: uid, ...instanceOf(uid, n, ids) }));
    default:
      return valueOf(owner, attribute, n);
  }
}

const instanceOf = (uid: string, n: number, ids: Ids): object =>
  Object.fromEntries(
    Object.keys(COMPONENTS.get(uid)?.attributes ?? {}).map((key) => [key, bodyOf(uid, key, n, ids)]),
  );

const COLLECTIONS = [...TYPES.keys()].filter((type) => !isSingle(type));

const service = (app: INestApplication, type: string): ContentService =>
  app.get<ContentService>(getContentToken(type), { strict: false });

const filled = (type: string, n: number, ids: Ids): object =>
  Object.fromEntries(
    Object.keys(TYPES.get(type)?.attributes ?? {}).map((key) => [key, bodyOf(type, key, n, ids)]),
  );

/** Fills the single type with the values of world 1. */
export const fillHome = async (app: INestApplication, ids: Ids): Promise<unknown> =>
  service(app, 'home').update(null, filled('home', 1, ids));

/**
 * Fills worlds 0, 1 and 2 with drafts and a French title. World 0 gets an additional book that exists only
 * as a draft.
 */
export async function fill({ app, sql }: TestApp): Promise<Ids> {
  const files = await sql(
    `insert into content_files (document_id, created_at, updated_at, published_at, published, locale, name, hash, mime, size, url, provider)
     select 'file-' || n, now(), now(), now(), true, 'en', 'file-name-' || n, 'hash', 'image/png', 1, 'file-url-' || n, 'local' from generate_series(0, $1::int) n returning id`,
    [SPARE],
  );
  const ids = { documents: {} as Record<string, string[]>, files: files.map(({ id }) => Number(id)) };
  for (const type of COLLECTIONS) {
    ids.documents[type] = [];
    for (let n = 0; n <= SPARE; n += 1)
      ids.documents[type].push(((await service(app, type).create({})) as { documentId: string }).documentId);
  }
  for (const type of COLLECTIONS) {
    for (const [n, documentId] of (ids.documents[type] ?? []).entries())
      await service(app, type).update(documentId, filled(type, n, ids));
  }
  for (const [n, documentId] of (ids.documents['book'] ?? []).entries())
    await service(app, 'book').update(documentId, { title: `book-title-fr-${n}` }, { locale: 'fr' });
  const { author, tags } = filled('book', 0, ids) as Record<string, unknown>;
  await service(app, 'book').create({ title: 'draft', author, tags }, { status: 'draft' });
  await fillHome(app, ids);
  return ids;
}
