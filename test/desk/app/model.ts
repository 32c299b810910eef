/** Model of the form specs, random documents and edits, and a server that applies bodies to a document. */
import fc from 'fast-check';
import {
  type Item,
  type Json,
  type Link,
  linkOf,
  newItem,
  newValues,
  readValues,
  type Values,
} from '../../../desk/src/form/values.ts';
import {
  type Attribute,
  componentsOf,
  isMorph,
  isToOne,
  kindOf,
  Model,
  type Part,
} from '../../../desk/src/model/model.ts';

const attribute = (name: string, rest: Partial<Attribute>): Attribute => ({
  name,
  type: 'string',
  label: name,
  required: false,
  localized: false,
  actions: ['find', 'findOne', 'create', 'update'],
  ...rest,
});
const relation = (name: string, kind: string, targets: string[]): Attribute =>
  attribute(name, { type: 'relation', relation: kind, targets });
const part = (title: string, attributes: Attribute[]) => ({
  label: title,
  group: null,
  description: null,
  title,
  attributes,
});

export const MODEL = new Model({
  defaultLocale: 'en',
  locales: null,
  people: { users: [], roles: [], tokens: [] },
  webhooks: [],
  audit: false,
  releases: false,
  strictRelations: false,
  types: [
    {
      name: 'article',
      pluralName: 'articles',
      listLabel: 'Articles',
      kind: 'collectionType',
      route: 'articles',
      draftAndPublish: true,
      localized: false,
      hidden: false,
      preview: false,
      authors: [],
      order: null,
      stages: null,
      list: [],
      verbs: {},
      ...part('title', [
        attribute('title', {}),
        attribute('lead', { type: 'text' }),
        attribute('kind', { type: 'enumeration', enum: ['news', 'report'], default: 'news' }),
        attribute('extra', { type: 'json' }),
        relation('author', 'manyToOne', ['author']),
        relation('tags', 'manyToMany', ['tag']),
        relation('related', 'morphToMany', ['tag', 'author']),
        attribute('gallery', { type: 'media', multiple: true }),
        attribute('seo', { type: 'component', component: 'part.seo' }),
        attribute('sections', { type: 'dynamiczone', components: ['part.quote', 'part.table'] }),
      ]),
    },
  ],
  components: [
    { uid: 'part.seo', ...part('metaTitle', [attribute('metaTitle', {}), attribute('about', {})]) },
    {
      uid: 'part.quote',
      ...part('text', [
        attribute('text', {}),
        relation('source', 'oneToOne', ['author']),
        relation('tags', 'manyToMany', ['tag']),
      ]),
    },
    {
      uid: 'part.table',
      ...part('caption', [
        attribute('caption', {}),
        attribute('rows', { type: 'component', component: 'part.row', repeatable: true }),
      ]),
    },
    {
      uid: 'part.row',
      ...part('heading', [attribute('heading', {}), attribute('colour', { default: 'red' })]),
    },
  ],
});

export const ARTICLE = MODEL.type('article') as Part;
export const componentOf = (uid: string): Part => MODEL.component(uid) as Part;

export const link = (documentId: string, type = 'tag'): Link => linkOf({ documentId }, type, MODEL);

/** Random numbers, each of which decides one step of an edit. */
export type Dice = readonly number[];
const dice: fc.Arbitrary<Dice> = fc.array(fc.nat(997), { minLength: 4, maxLength: 4 });
export const edits = fc.array(dice, { maxLength: 6 });

const TEXTS = ['', 'one', 'two', 'three', null];
const JSONS = [
  null,
  [],
  {},
  { a: '' },
  { a: null },
  [{ documentId: 'x', n: 1 }],
  { documentId: 'x', type: 'tag', title: 'one' },
  { documentId: 'x', type: 'tag', title: 'two' },
  [{ documentId: 'x', n: 2 }],
];

/** Makes one random change. */
function edit(values: Values, { attributes }: Part, [which = 0, how = 0, ...rest]: Dice): Values {
  const one = attributes[which % attributes.length] as Attribute;
  return { ...values, [one.name]: edited(values[one.name], one, [how, ...rest, which]) };
}

function edited(value: unknown, one: Attribute, [how = 0, ...rest]: Dice): unknown {
  const kind = kindOf(one);
  if (kind === 'links') {
    const type = one.type === 'media' ? 'file' : (one.targets?.[how % (one.targets?.length ?? 1)] ?? '');
    const chosen = {
      ...link(`${type}${how % 7}`, type),
      ...(type === 'file' ? { file: fileOf(how % 7) } : {}),
    };
    if (isToOne(one)) return how % 3 === 0 ? [] : [chosen];
    return editedList(value as Link[], chosen, rest);
  }
  if (kind === 'item') {
    if (value === null || how % 5 === 0) return value === null ? fresh(one, rest) : null;
    return editedItem(value as Item, rest);
  }
  if (kind === 'items') {
    const items = value as Item[];
    const at = (rest[0] ?? 0) % Math.max(items.length, 1);
    if (how % 2 === 0 && items.length > 0)
      return items.map((item, place) => (place === at ? editedItem(item, rest) : item));
    return editedList(items, fresh(one, rest), rest);
  }
  return one.type === 'json' ? JSONS[how % JSONS.length] : TEXTS[how % TEXTS.length];
}

const fileOf = (id: number): Json => ({ id: id + 1, documentId: `file${id}`, name: `file${id}` });

const editedItem = (item: Item, rest: Dice): Item => ({
  ...item,
  values: edit(item.values, componentOf(item.component), rest),
});

function fresh(one: Attribute, rest: Dice): Item {
  const uids = componentsOf(one);
  const uid = uids[(rest[1] ?? 0) % uids.length] as string;
  return editedItem(newItem(uid, componentOf(uid)), rest);
}

/** Adds an entry, removes one or moves one. */
function editedList<T extends Item | Link>(list: readonly T[], entry: T, [at = 0, how = 0]: Dice): T[] {
  const place = at % Math.max(list.length, 1);
  const others = list.filter((_, index) => index !== place);
  if (list.length === 0 || how % 3 === 0) {
    const isThere = list.some(
      (one) => 'documentId' in one && 'documentId' in entry && one.documentId === entry.documentId,
    );
    return isThere ? [...list] : [...list.slice(0, place), entry, ...list.slice(place)];
  }
  const moved = list[place] as T;
  const target = how % (others.length + 1);
  return how % 3 === 1 ? others : [...others.slice(0, target), moved, ...others.slice(target)];
}

export const editAll = (values: Values, steps: readonly Dice[]): Values =>
  steps.reduce((before, step) => edit(before, ARTICLE, step), values);

let lastId = 0;

/** Server that stores one document. Instances of components get ids when they are stored. */
export class Server {
  document: Json = {};

  write(body: Json): void {
    this.document = written(this.document, ARTICLE, body);
  }

  read(former: Values | null): Values {
    return readValues(this.document, ARTICLE, { model: MODEL, former });
  }
}

/** Random stored document, as a page has read it. */
export function storedValues(steps: readonly Dice[], send: (values: Values) => object): [Server, Values] {
  const server = new Server();
  server.write(send(editAll(newValues(ARTICLE), steps)) as Json);
  return [server, server.read(null)];
}

const DEFAULTS = (one: Attribute): unknown => one.default ?? null;

function written(document: Json, { attributes }: Part, body: Json): Json {
  return Object.fromEntries(
    attributes.map((one) => [
      one.name,
      one.name in body
        ? writtenValue(document[one.name], one, body[one.name])
        : (document[one.name] ?? (Object.keys(document).length === 0 ? DEFAULTS(one) : null)),
    ]),
  );
}

function writtenValue(stored: unknown, one: Attribute, sent: unknown): unknown {
  const kind = kindOf(one);
  const items = [stored ?? []].flat() as Json[];
  if (kind === 'item') return sent === null ? null : writtenItem(items, one, sent as Json);
  if (kind === 'items') return (sent as Json[]).map((item) => writtenItem(items, one, item));
  if (kind === 'value') return sent;
  if (one.type === 'media') return (sent as number[]).map((id) => fileOf(id - 1));
  if (isToOne(one)) return sent === null ? null : linked(sent);
  const { connect, disconnect } = sent as { connect: Connection[]; disconnect: Json[] };
  const gone = disconnect.map(nameOf);
  let links = items.filter((each) => !gone.includes(nameOf(each)));
  for (const { position, ...target } of connect) {
    links = links.filter((each) => nameOf(each) !== nameOf(target));
    const at =
      position === undefined
        ? links.length
        : position.start === true
          ? 0
          : links.findIndex((each) => nameOf(each) === nameOf({ ...position, documentId: position.after })) +
            1;
    if (position?.after !== undefined && at === 0)
      throw new Error(`No link after ${JSON.stringify(position)}`);
    links = [...links.slice(0, at), linked(target), ...links.slice(at)];
  }
  if (isMorph(one) && links.some((each) => !('__type' in each))) throw new Error('A link without a type');
  return links;
}

interface Connection extends Json {
  readonly position?: Json & { readonly start?: boolean };
}

const linked = (target: unknown): Json =>
  typeof target === 'string' ? { documentId: target } : (target as Json);
const nameOf = ({ documentId, __type }: Json): string => `${String(__type)} ${String(documentId)}`;

function writtenItem(stored: readonly Json[], one: Attribute, sent: Json): Json {
  const uid = (sent['__component'] ?? one.component) as string;
  const before = stored.find(({ id }) => id === sent['id']);
  if (sent['id'] !== undefined && before === undefined)
    throw new Error(`No instance ${JSON.stringify(sent['id'])}`);
  const id = before === undefined ? (lastId += 1) : before['id'];
  return { ...written(before ?? {}, componentOf(uid), sent), id, __component: uid };
}
