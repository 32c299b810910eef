/** Values that a write gives to the columns of a version. */
import { type Caller, userOf } from '../access/caller.js';
import { AUTHORS, CHANGER } from '../model/authors.js';
import type { Attribute, ContentType } from '../model/model.js';
import type { WriteValues } from './plan-values.js';
import type { ColumnValues } from './steps.js';

interface AuthorContext {
  readonly caller: Caller;
  /** Whether the write creates the version. */
  readonly isNew: boolean;
  /** User who created a restored version; null for none. Undefined for the caller. */
  readonly createdBy: string | null | undefined;
}

/** Returns planned values and links with a column, and the authors unless the application has given them. */
export function columnValues(
  { storage, attributes }: ContentType,
  { values, lists }: WriteValues,
  { caller, isNew, createdBy = userOf(caller) }: AuthorContext,
): ColumnValues {
  const all = new Map<Attribute, unknown>(values);
  for (const [attribute, list] of lists)
    if (storage.columnOf.has(attribute.name)) all.set(attribute, list[0] ?? null);
  for (const name of AUTHORS) {
    const attribute = attributes.get(name);
    if (attribute === undefined || all.has(attribute)) continue;
    if (name === CHANGER) all.set(attribute, userOf(caller));
    else if (isNew) all.set(attribute, createdBy);
  }
  return all;
}
