/** The new list of a relation: what the body says of it, and the links of others that stay. */
import { ContentError, validationError } from '../errors.js';
import type { LinkedAttribute } from '../schema/model.js';
import type { GivenRelation } from './given.js';
import { applyChange, type Resolver } from './links.js';

/** What references of a relation lead to. */
export interface LinkResolver extends Resolver {
  /** Whether a linked document is somebody else's, whose links must stay as they are. */
  readonly isOthers: (documentId: string) => boolean;
}

/** A list that is to be made. */
export interface ListRequest {
  readonly given: GivenRelation;
  /** The documents that are linked. */
  readonly stored: readonly string[];
  readonly resolver: LinkResolver;
  readonly path: readonly string[];
  /** Whether errors may repeat what was given: it is the caller's own. */
  readonly sent: boolean;
}

/**
 * The list with the links of others in it (D22, D26): a list that is replaced keeps them, and what would end
 * one of them is refused.
 */
function withOthers(list: readonly string[], { given, stored, resolver }: ListRequest): readonly string[] {
  const listed = new Set(list);
  const lost = stored.filter((id) => !listed.has(id) && resolver.isOthers(id));
  if (lost.length === 0) return list;
  const { input, attribute } = given;
  const { name, many } = attribute;
  if (input.kind === 'set' && (many || list.length === 0)) return [...lost, ...list];
  throw validationError(`Invalid key ${name}`, {
    grant: attribute.targets.map((type) => `${type.singularApiId}.update`).join(', '),
  });
}

/** Throws a 400 with the place of what is wrong. */
export function planList(request: ListRequest): readonly string[] {
  const { given, stored, resolver, path, sent } = request;
  const { attribute } = given;
  try {
    return withOthers(applyChange(stored, given, resolver), request);
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    const place = { key: attribute.name, path: path.join('.'), source: 'body' };
    // A reference that a hook has put there is none of the caller's.
    throw sent
      ? new ContentError(error.name, error.message, { ...place, ...error.details })
      : validationError('Invalid relations', place);
  }
}

/** A stored relation as a list: of one at most where it is to one. */
export function storedList(
  stored: Readonly<Record<string, unknown>> | null,
  attribute: LinkedAttribute,
): readonly string[] {
  const value = stored?.[attribute.name];
  const list = (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string');
  return attribute.many ? list : list.slice(0, 1);
}
