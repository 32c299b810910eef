/** Users who created a document and who changed it last. */
import type { Parameters } from '../api/query.ts';
import type { Model, Type } from './model.ts';

/** Names of the users; null if unknown. */
export interface Authors {
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
}

export const NO_AUTHORS: Authors = { createdBy: null, updatedBy: null };

/** Returns the entries of the authors in the parameter `populate`. */
export function authorsEntry(model: Model, { authors }: Type): Parameters {
  const user = model.type('user');
  if (user === null) return {};
  return Object.fromEntries(authors.map((name) => [name, { fields: [user.title] }]));
}

/** Returns the names of the authors in a response, by the attribute that names users. */
export function authorsIn(data: Readonly<Record<string, unknown>>, model: Model): Authors {
  const title = model.type('user')?.title;
  const nameOf = (value: unknown): string | null => {
    if (typeof value !== 'object' || value === null) return null;
    const name: unknown = Object.entries(value).find(([key]) => key === title)?.[1];
    return typeof name === 'string' ? name : null;
  };
  return { createdBy: nameOf(data['createdBy']), updatedBy: nameOf(data['updatedBy']) };
}
