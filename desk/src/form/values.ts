/** Values of a form, and how they come from a document. All values are treated as frozen. */
import { type Attribute, isReadable, kindOf, type Model, type Part } from '../model/model.ts';

/** Document as a response contains it. */
export type Json = { readonly [name: string]: unknown };

/**
 * Key of values that only forms have: links, items, and JSON that is not finished. No stored JSON has it,
 * because PostgreSQL refuses the character.
 */
const MARK = '\u0000';

/** Link to a document or a file. */
export interface Link {
  readonly [MARK]: true;
  readonly documentId: string;
  /** Name of the type of the document. */
  readonly type: string;
  /** Title that the editor reads; null if the document has none. */
  readonly title: string | null;
  /** Language of the version that was read, for a link to it. */
  readonly locale?: unknown;
  /** File of a media attribute, as the response contains it. */
  readonly file?: Json;
}

/** One instance of a component. */
export interface Item {
  readonly [MARK]: true;
  /** Identifies the item in this form, also before it is stored and when it moves. */
  readonly key: string;
  /** Id of the stored instance; null for a new one. */
  readonly id: number | null;
  readonly component: string;
  readonly values: Values;
}

export type Values = { readonly [name: string]: unknown };

/** Text of a plain value; empty for others. */
export const textOfValue = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** Title of a document or an item; empty if it has no character that can be seen. */
export const titleOfValue = (value: unknown): string => textOfValue(value).trim();

let lastKey = 0;

const newKey = (): string => `n${(lastKey += 1)}-${Date.now().toString(36)}`;

/** Whether a value is an object with exactly these members. */
const hasShape = (value: unknown, names: readonly string[]): boolean =>
  typeof value === 'object' &&
  value !== null &&
  names.every((name) => name in value) &&
  Object.keys(value).length === names.length;

const ITEM = [MARK, 'key', 'id', 'component', 'values'];
const LINK = [MARK, 'documentId', 'type', 'title'];

export const isItem = (value: unknown): value is Item => hasShape(value, ITEM);
export const isLink = (value: unknown): value is Link =>
  hasShape(value, LINK) || hasShape(value, [...LINK, 'file']);

interface Reading {
  readonly model: Model;
  /**
   * Former values. Items keep their keys: those of the same id and component, or at the same place after they
   * were stored. A value that the document lacks, because the editor may not read it, is the former one.
   */
  readonly former: Values | null;
}

interface ItemReading extends Reading {
  /** Stored items of the list, and the place of one of them. */
  readonly all: readonly Json[];
  readonly at: number;
}

/** Reads the values of a document or of an instance. */
export function readValues(document: Json, part: Part, { model, former }: Reading): Values {
  const entries = part.attributes.flatMap((one) => {
    const { name } = one;
    if (name in document) return [[name, readValue(document[name], one, { model, former })] as const];
    if (former !== null && name in former && one.type !== 'password') return [[name, former[name]] as const];
    return isReadable(one) ? [[name, readValue(undefined, one, { model, former })] as const] : [];
  });
  return Object.fromEntries(entries);
}

function readValue(value: unknown, attribute: Attribute, reading: Reading): unknown {
  switch (kindOf(attribute)) {
    case 'links':
      return readLinks(value, attribute, reading.model);
    case 'item':
      return value === null || value === undefined
        ? null
        : readItem(attribute, { ...reading, all: [value as Json], at: 0 });
    case 'items':
      return listOf(value).map((_item, at, all) => readItem(attribute, { ...reading, all, at }));
    default:
      return value ?? null;
  }
}

const listOf = (value: unknown): readonly Json[] => {
  if (value === null || value === undefined) return [];
  return (Array.isArray(value) ? value : [value]) as readonly Json[];
};

const UID = /^(?:api|plugin)::[^.]+\.([^.]+)$/;

/** Reads the links of an attribute, each to a document of its own type. */
export function readLinks(value: unknown, attribute: Attribute, model: Model): readonly Link[] {
  return listOf(value).map((document) => {
    const type = UID.exec(textOfValue(document['__type']))?.[1] ?? attribute.targets?.[0] ?? '';
    return linkOf(document, attribute.type === 'media' ? 'file' : type, model);
  });
}

/** Makes a link to a document of a response. */
export function linkOf(document: Json, type: string, model: Model): Link {
  const documentId = String(document['documentId']);
  const link = { [MARK]: true, documentId, type } as const;
  if (type === 'file') return { ...link, title: textOfValue(document['name']), file: document };
  const title = titleOfValue(document[model.type(type)?.title ?? 'documentId']);
  return { ...link, title: title === '' ? null : title };
}

function readItem(attribute: Attribute, { model, former, all, at }: ItemReading): Item {
  const value = all[at] ?? {};
  const id = idOf(value);
  const componentIn = (one: Json): string => textOfValue(one['__component'] ?? attribute.component);
  const component = componentIn(value);
  const part = model.component(component);
  const read = (item?: Item): Values =>
    part === null ? {} : readValues(value, part, { model, former: item?.values ?? null });
  const items = listOf(former?.[attribute.name]) as unknown as readonly Item[];
  // A document that was deleted and restored has items with other ids.
  const isRestored = (item: Item): boolean =>
    item.component === component &&
    !all.some((one) => idOf(one) === item.id && componentIn(one) === component) &&
    sameValues(item.values, read(item));
  const same =
    items.find((one) => one.id !== null && one.id === id && one.component === component) ??
    fresh(items[at], component) ??
    items.slice(at, at + 1).find(isRestored);
  const key = same?.key ?? (id === null ? newKey() : storedKey(id, component));
  return { [MARK]: true, key, id, component, values: read(same) };
}

const idOf = ({ id }: Json): number | null => (typeof id === 'number' ? id : null);

const fresh = (item: Item | undefined, component: string): Item | undefined =>
  item !== undefined && item.id === null && item.component === component ? item : undefined;

export const unfinished = (text: string): Values => ({ [MARK]: text });

/** Text of JSON that is not finished; null for other values. */
export const unfinishedText = (value: unknown): string | null =>
  hasShape(value, [MARK]) ? String((value as Values)[MARK]) : null;

/** Values that can be sent: the stored ones in place of JSON that is not finished. */
export const finishedValues = (values: Values, base: Values): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, finishedValue(value, base[name])]));

function finishedValue(value: unknown, base: unknown): unknown {
  if (unfinishedText(value) !== null) return base ?? null;
  const bases = [base].flat().filter(isItem);
  const inside = (item: Item): Item => {
    const before = bases.find(({ key }) => key === item.key);
    return { ...item, values: finishedValues(item.values, before?.values ?? {}) };
  };
  if (isItem(value)) return inside(value);
  return Array.isArray(value)
    ? value.map((entry: unknown) => (isItem(entry) ? inside(entry) : entry))
    : value;
}

/** Values of a new document or instance: the defaults of the model. */
export function newValues(part: Part): Values {
  return Object.fromEntries(
    part.attributes.map((attribute) => {
      const kind = kindOf(attribute);
      if (kind === 'links' || kind === 'items') return [attribute.name, []];
      return [attribute.name, kind === 'item' ? null : (attribute.default ?? null)];
    }),
  );
}

export const newItem = (component: string, part: Part): Item => ({
  [MARK]: true,
  key: newKey(),
  id: null,
  component,
  values: newValues(part),
});

/** Identifies an entry of a list. */
export const keyOf = (entry: Item | Link): string =>
  isItem(entry) ? entry.key : `${entry.type} ${entry.documentId}`;

/** Leaves the first link to each document. */
export const eachOnce = (links: readonly Link[]): readonly Link[] =>
  [...new Map([...links].reverse().map((link) => [keyOf(link), link])).values()].reverse();

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '';

/**
 * Whether two values of one attribute are the same. Links are the same if they name the same documents, and
 * items if they have the same key, component and values. An empty text counts as no value.
 */
export function same(one: unknown, other: unknown): boolean {
  if (one === other || (isEmpty(one) && isEmpty(other))) return true;
  if (isItem(one) && isItem(other))
    return one.key === other.key && one.component === other.component && sameValues(one.values, other.values);
  if (isLink(one) && isLink(other)) return keyOf(one) === keyOf(other);
  if (isEntries(one) && isEntries(other))
    return one.length === other.length && one.every((entry, at) => same(entry, other[at]));
  return isEqual(one, other);
}

/** Whether two forms have the same values. */
export const sameValues = (one: Values, other: Values): boolean =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => same(one[name], other[name]));

const isEntries = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.every((entry) => isItem(entry) || isLink(entry));

/** Whether two JSON values are equal. The order of keys does not matter. */
function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [one as Values, other as Values];
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isEqual(left[name], right[name]))
  );
}

/** Values with other items, at all levels. */
const mapItems = (values: Values, change: (item: Item) => Item): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const one = (item: Item): Item => ({ ...change(item), values: mapItems(item.values, change) });
      if (isItem(value)) return [name, one(value)];
      return [
        name,
        Array.isArray(value) ? value.map((entry: unknown) => (isItem(entry) ? one(entry) : entry)) : value,
      ];
    }),
  );

/** Values whose items are new ones, for another document. */
export const withoutIds = (values: Values): Values => mapItems(values, (item) => ({ ...item, id: null }));

/** Key of a stored item. Items of different components may have the same id. */
const storedKey = (id: number, component: string): string => `i${id}-${component}`;

/** Values whose stored items have the keys that a page gives them when it reads them first. */
export const withStoredKeys = (values: Values): Values =>
  mapItems(values, (item) =>
    item.id === null ? item : { ...item, key: storedKey(item.id, item.component) },
  );

/** Item with the same values for another document or language. It and the items inside are new ones. */
export const copiedItem = (item: Item): Item => ({
  ...item,
  id: null,
  key: newKey(),
  values: mapItems(item.values, (inner) => ({ ...inner, id: null, key: newKey() })),
});
