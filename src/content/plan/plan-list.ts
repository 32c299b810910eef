/** Computes the new list of a relation, keeping links of documents that the caller may not name or change. */
import { ContentError, placed, validationError } from '../../kernel/errors.js';
import type { LinkedAttribute } from '../model/model.js';
import type { GivenRelation } from './given.js';
import { applyChange, type Resolver } from './links.js';

export interface LinkResolver extends Resolver {
  readonly isOthers: (documentId: string) => boolean;
  /** Whether the caller may see neither the link nor its target. */
  readonly isHidden: (key: string) => boolean;
}

export interface ListRequest {
  readonly given: GivenRelation;
  readonly stored: readonly string[];
  readonly resolver: LinkResolver;
  readonly path: readonly string[];
  readonly sent: boolean;
}

/**
 * Adds links of other owners back to a replaced list (D22, D26). Throws a 400 for a change that would remove
 * one of them.
 */
function keepOthersLinks(
  list: readonly string[],
  { given, stored, resolver }: ListRequest,
): readonly string[] {
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

/**
 * Adds links that the caller may not see back to a replaced list, at their positions. A to-one keeps such a
 * link if the body clears it.
 */
function keepHidden(list: readonly string[], { given, stored, resolver }: ListRequest): readonly string[] {
  if (given.input.kind !== 'set' || stored.length === 0) return list;
  const listed = new Set(list);
  const isKept = (key: string): boolean => !listed.has(key) && resolver.isHidden(key);
  if (!given.attribute.many) return list.length === 0 ? stored.filter(isKept) : list;
  const kept = [...list];
  for (const [index, key] of stored.entries()) if (isKept(key)) kept.splice(index, 0, key);
  return kept;
}

/** Computes the list. Errors have the path of the relation. */
export function planList(request: ListRequest): readonly string[] {
  const { given, stored, resolver, path, sent } = request;
  const { attribute } = given;
  try {
    return keepHidden(keepOthersLinks(applyChange(stored, given, resolver), request), request);
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    const place = { key: attribute.name, path: path.join('.'), source: 'body' };
    // A hook has set the reference, so the error must not disclose it.
    throw sent ? placed(error, place) : validationError('Invalid relations', place);
  }
}

export function storedList(
  stored: Readonly<Record<string, unknown>> | null,
  attribute: LinkedAttribute,
): readonly string[] {
  const value = stored?.[attribute.name];
  const list = (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string');
  return attribute.many ? list : list.slice(0, 1);
}
