/** Copies of documents, on their way from one form to the form of a new document. */
import { type Attribute, fieldsOf, isWritable, type Type } from '../model/model.ts';
import { FormStore } from '../form/store.ts';
import { newValues, type Values, withoutIds } from '../form/values.ts';

/** Relations whose targets belong to one document only: a copy would take them from the original. */
const EXCLUSIVE = ['oneToOne', 'oneToMany', 'morphOne', 'morphMany'];

/** Whether a copy has the value of the original. Unique values and addresses are those of a new document. */
const isCopied = (attribute: Attribute): boolean =>
  isWritable(attribute, true) &&
  attribute.type !== 'uid' &&
  attribute.unique !== true &&
  !EXCLUSIVE.includes(attribute.relation ?? '');

function copyOf(values: Values, type: Type): Values {
  const copied = fieldsOf(type).filter(isCopied);
  return {
    ...newValues(type),
    ...withoutIds(Object.fromEntries(copied.map(({ name }) => [name, values[name]]))),
  };
}

/** Values that all languages of a document share, for a language that it lacks. */
export function sharedValues(values: Values, type: Type): Values {
  const shared = fieldsOf(type).filter(({ name, localized }) => !localized && name in values);
  return withoutIds(Object.fromEntries(shared.map(({ name }) => [name, values[name]])));
}

interface Waiting {
  readonly type: string;
  readonly values: Values;
}

let waiting: Waiting | null = null;

/** Keeps a copy for the form of a new document, which opens next. */
export function offerCopy(values: Values, type: Type): void {
  waiting = { type: type.name, values: copyOf(values, type) };
}

/** Returns the form of a new document: empty, or with the copy that is offered. */
export function newForm(type: Type, isNew: boolean): FormStore {
  const copy = isNew && waiting?.type === type.name ? waiting.values : undefined;
  if (isNew) waiting = null;
  return new FormStore(newValues(type), copy);
}
