/** Plans `sort` for the root or for populated items. */
import { overLimit } from '../../kernel/errors.js';
import type { SortKey } from '../query/query.js';
import type { Model } from '../model/model.js';
import type { ContentLimits } from '../../kernel/settings.js';
import { type Hop, isSearched, type OrderKey } from './plan.js';
import { type AskedBy, enterHop, hidden, unknownKey } from './plan-filter.js';
import { lookUp } from './rights.js';

interface SortContext extends AskedBy {
  readonly limits: ContentLimits;
}

/** Resolves sort keys to attributes (protocol 7.4–7.11). */
export function planSort(keys: readonly SortKey[], root: Model, context: SortContext): OrderKey[] {
  const { limits, source } = context;
  if (keys.length > limits.sortKeys) throw overLimit('sortKeys', limits.sortKeys, 'Too many sort keys');
  return keys.flatMap(({ path, descending }) => {
    // Sorting by `status` is accepted without effect: it is a version rule, not an attribute (7.12).
    if (path.length === 1 && path[0] === 'status' && root.model === 'type' && root.draftAndPublish) return [];
    const hops: Hop[] = [];
    let model = root;
    let { rights } = context;
    for (const [depth, key] of path.entries()) {
      const here = path.slice(0, depth + 1);
      const attribute = lookUp(model, key, rights);
      if (attribute === undefined) throw unknownKey(key, path.slice(0, depth), source);
      if (attribute === 'hidden' || !isSearched(attribute)) throw hidden(here, source);
      const last = depth === path.length - 1;
      if (attribute.kind === 'scalar') {
        if (!last) throw unknownKey(path[depth + 1] ?? '', here, source);
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
