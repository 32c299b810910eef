import type { CallerFacts } from '../content/access/caller-facts.js';
import type { QueryOf } from './query-of.js';
import type { ContentId, Definition, Definitions, Register } from './registry.js';

/**
 * Condition of a grant on a content type, with the names and operators of its definition. Pass an id of the
 * registered model, or a definition and its model.
 *
 * @example
 * const ofTeam: WhereFor<'article'> = ({ attributes }) => ({ team: { name: String(attributes?.['team']) } });
 *
 * @publicApi
 */
export type WhereFor<T extends ContentId | Definition, M extends Definitions | Register = Register> = (
  caller: CallerFacts,
) => NonNullable<QueryOf<T, M>['filters']> | false;
