/** Users who created and last changed the versions of a type with `authors`. */
import type { AttributeDefinitions, RelationDefinition } from './definitions.js';
import type { Report } from './options.js';
import type { AuthoredType } from './tenant-definition.js';

/** Names that exist in the protocol. Only types with `authors` have the attributes. */
export const CREATOR = 'createdBy';
export const CHANGER = 'updatedBy';
export const AUTHORS = [CREATOR, CHANGER] as const;

const USER = 'user';

/** A relation per version: `localized` gives each locale its own. */
const AUTHOR: RelationDefinition = Object.freeze({
  type: 'relation',
  relation: 'manyToOne',
  target: USER,
  localized: true,
  writable: false,
});

const AUTHOR_ATTRIBUTES: AttributeDefinitions = Object.freeze(
  Object.fromEntries(AUTHORS.map((name) => [name, AUTHOR])),
);

export const authorAttributes = ({ authors }: AuthoredType): AttributeDefinitions =>
  authors === true ? AUTHOR_ATTRIBUTES : {};

/** Whether an attribute is an author of its version: other attributes cannot have these names. */
export const isAuthor = ({ name }: { readonly name: string }): boolean =>
  AUTHORS.some((author) => author === name);

export function checkAuthors(
  { authors }: AuthoredType,
  types: ReadonlyMap<string, unknown>,
  report: Report,
): void {
  if (authors === true && !types.has(USER))
    report('authors: the model has no type "user": list ...userTypes() in contentTypes');
}
