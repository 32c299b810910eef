/** Copies of values from one language of a document to another. */
import { type Attribute, fieldsOf, isWritable, type Part } from '../model/model.ts';
import { copiedItem, isItem, type Values } from './values.ts';

const isEmptyValue = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** Value for another language: its items are new ones. */
export function copiedValue(value: unknown): unknown {
  if (isItem(value)) return copiedItem(value);
  return Array.isArray(value)
    ? value.map((entry: unknown) => (isItem(entry) ? copiedItem(entry) : entry))
    : value;
}

/** Attributes that have a value of their own in each language. */
const translated = (part: Part): readonly Attribute[] => fieldsOf(part).filter(({ localized }) => localized);

interface Sides {
  readonly from: Values;
  readonly to: Values;
  readonly isNew: boolean;
}

/** Attributes that are empty in one language and not in the other. The server makes addresses itself. */
export const emptyIn = (part: Part, { from, to, isNew }: Sides): readonly Attribute[] =>
  translated(part).filter(
    (one) =>
      one.type !== 'uid' &&
      isWritable(one, isNew) &&
      isEmptyValue(to[one.name]) &&
      !isEmptyValue(from[one.name]),
  );
