/** Comparison of two contents by attribute. */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../kernel/json.js';
import type { Attribute, ContentType } from '../../content/model/model.js';

type Values = Readonly<Record<string, unknown>>;

/** Difference of one attribute. */
export interface AttributeChange {
  readonly attribute: string;
  readonly before: unknown;
  readonly after: unknown;
  /** Documents of a relation, by id. */
  readonly added?: readonly unknown[];
  readonly removed?: readonly unknown[];
  /** Whether documents that both have are in another order. */
  readonly moved?: boolean;
}

const listIn = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  return value === null || value === undefined ? [] : [value];
};

const keyOf = (link: unknown): string =>
  isObject(link) ? `${String(link['__type'])} ${String(link['documentId'])}` : String(link);

function changedLinks(before: unknown, after: unknown): Pick<AttributeChange, 'added' | 'removed' | 'moved'> {
  const [from, to] = [listIn(before), listIn(after)];
  const [old, now] = [from.map(keyOf), to.map(keyOf)];
  const [inOld, inNow] = [new Set(old), new Set(now)];
  return {
    added: to.filter((link) => !inOld.has(keyOf(link))),
    removed: from.filter((link) => !inNow.has(keyOf(link))),
    moved: !isDeepStrictEqual(
      old.filter((key) => inNow.has(key)),
      now.filter((key) => inOld.has(key)),
    ),
  };
}

function changeOf(attribute: Attribute, before: unknown, after: unknown): AttributeChange {
  const { name } = attribute;
  return { attribute: name, before, after, ...(attribute.linked ? changedLinks(before, after) : {}) };
}

/** Returns the attributes in which two contents differ, in the order of the model. */
export const compareContents = (before: Values, after: Values, type: ContentType): AttributeChange[] =>
  [...type.attributes.values()].flatMap((attribute) => {
    const [from, to] = [before, after].map(({ [attribute.name]: value = null }) => value);
    return isDeepStrictEqual(from, to) ? [] : [changeOf(attribute, from, to)];
  });
