/** Plans `sort` for the root or for populated items. */
import { overLimit } from '../../kernel/errors.js';
import type { SortKey } from '../query/query.js';
import type { Model } from '../model/model.js';
import type { ContentLimits } from '../../kernel/settings.js';
import { type Hop, isSearched, type OrderKey } from './plan.js';
import { type AskedBy, enterHop, hidden, unknown } from './plan-filter.js';
import { lookUp, type Rights } from './rights.js';

interface SortContext extends AskedBy {
  readonly limits: ContentLimits;
}

/**
 * Whether a key is the state of versions, which sorts nothing (7.12). An attribute of the name has precedence
 * if the caller may read it.
 */
function isState(key: string | undefined, root: Model, rights: Rights): boolean {
  if (key !== 'status' || root.model !== 'type' || !root.draftAndPublish) return false;
  const own = lookUp(root, key, rights);
  return own === undefined || own === 'hidden';
}

/** Resolves sort keys to attributes (protocol 7.4–7.11). */
export function planSort(keys: readonly SortKey[], root: Model, context: SortContext): OrderKey[] {
  const { limits, source } = context;
  if (keys.length > limits.sortKeys) throw overLimit('sortKeys', limits.sortKeys, 'Too many sort keys');
  return keys.flatMap(({ path, descending }) => {
    if (path.length === 1 && isState(path[0], root, context.rights)) return [];
    const hops: Hop[] = [];
    let model = root;
    let { rights } = context;
    for (const [depth, key] of path.entries()) {
      const here = path.slice(0, depth + 1);
      const attribute = lookUp(model, key, rights);
      if (attribute === undefined) throw unknown(key, path.slice(0, depth), source);
      if (attribute === 'hidden' || !isSearched(attribute)) throw hidden(here, source);
      const last = depth === path.length - 1;
      if (attribute.kind === 'scalar') {
        if (!last) throw unknown(path[depth + 1] ?? '', here, source);
        return [{ hops, attribute, descending }];
      }
      if (last) throw hidden(here, source);
      model = enterHop(attribute, here, { rights, source });
      rights = rights.enter(attribute);
      hops.push(attribute);
    }
    return [];
  });
}
