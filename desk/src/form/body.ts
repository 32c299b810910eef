/** Body of a write: the changed attributes, in the form of the protocol. */
import {
  type Attribute,
  isMorph,
  isToOne,
  isWritable,
  kindOf,
  type Model,
  type Part,
} from '../model/model.ts';
import { type Item, keyOf, type Link, same, type Values } from './values.ts';

interface Writing {
  readonly model: Model;
  readonly isNew: boolean;
}

interface Change {
  readonly base: Values;
  readonly values: Values;
}

/** Returns the changed attributes that the editor may write. */
export function bodyOf(part: Part, { base, values }: Change, writing: Writing): Record<string, unknown> {
  return Object.fromEntries(
    part.attributes
      .filter((one) => isWritable(one, writing.isNew) && isSent(one, base[one.name], values[one.name]))
      .map((one) => [one.name, sent(one, { base: base[one.name], value: values[one.name] }, writing)]),
  );
}

/** Whether a value is sent. An emptied value of something new is, or the server would set the default. */
function isSent(attribute: Attribute, base: unknown, value: unknown): boolean {
  const hasDefault = attribute.default !== undefined && attribute.default !== null;
  return !same(base, value) || (base === undefined && value !== undefined && hasDefault);
}

interface ValueChange {
  readonly base: unknown;
  readonly value: unknown;
}

function sent(attribute: Attribute, { base, value }: ValueChange, writing: Writing): unknown {
  switch (kindOf(attribute)) {
    case 'links':
      return sentLinks(attribute, (base ?? []) as readonly Link[], (value ?? []) as readonly Link[]);
    case 'item':
      return value === null ? null : sentItem(value as Item, asItems(base), writing);
    case 'items':
      return asItems(value).map((item) => ({
        ...(attribute.type === 'dynamiczone' ? { __component: item.component } : {}),
        ...sentItem(item, asItems(base), writing),
      }));
    default:
      return value === '' ? null : (value ?? null);
  }
}

function reference(attribute: Attribute, { documentId, type, file }: Link): object | string | number {
  if (isMorph(attribute)) return { __type: `api::${type}.${type}`, documentId };
  return typeof file?.['id'] === 'number' ? file['id'] : documentId;
}

/**
 * Links as a change. Links that this editor has not touched stay: those of other editors, and those that this
 * state or locale does not show.
 */
function sentLinks(attribute: Attribute, base: readonly Link[], links: readonly Link[]): unknown {
  if (isToOne(attribute)) return links[0] === undefined ? null : reference(attribute, links[0]);
  if (attribute.type === 'media') return links.map((link) => reference(attribute, link));
  const now = new Set(links.map(keyOf));
  const kept = base.filter((link) => now.has(keyOf(link)));
  // Links from the first one that moved on are sent again, each with the place after its predecessor.
  const first = links.findIndex((link, at) => !same(kept[at], link));
  const moved = first === -1 ? [] : links.slice(first);
  const isAppended = first >= kept.length;
  return {
    disconnect: base.filter((link) => !now.has(keyOf(link))).map((link) => asObject(attribute, link)),
    connect: moved.map((link, at) => {
      if (isAppended) return asObject(attribute, link);
      const before = links[first + at - 1];
      const position =
        before === undefined ? { start: true } : { after: before.documentId, ...typeName(attribute, before) };
      return { ...asObject(attribute, link), position };
    }),
  };
}

const typeName = (attribute: Attribute, { type }: Link): object =>
  isMorph(attribute) ? { __type: `api::${type}.${type}` } : {};

const asObject = (attribute: Attribute, link: Link): object => ({
  ...typeName(attribute, link),
  documentId: link.documentId,
});

const asItems = (value: unknown): readonly Item[] => [(value ?? []) as Item | Item[]].flat();

/** A stored item is sent with its id and its changed attributes; the server keeps all others. */
function sentItem(item: Item, bases: readonly Item[], writing: Writing): object {
  const stored = bases.find(({ key, id }) => key === item.key && id !== null);
  const named = stored === undefined ? {} : { id: stored.id };
  const part = writing.model.component(item.component);
  if (part === null) return named;
  return { ...named, ...bodyOf(part, { base: stored?.values ?? {}, values: item.values }, writing) };
}
