/** Parameter `populate` of a document with everything that its form shows. */
import type { Parameters } from '../api/query.ts';
import { type Attribute, componentsOf, isMorph, isReadable, type Model, type Part } from './model.ts';

/** Levels of components inside components that a form shows. */
const MAX_DEPTH = 8;

export function populateOf(model: Model, part: Part, depth = 0): Parameters {
  const entries = part.attributes
    .filter(isReadable)
    .map((attribute) => [attribute.name, entryOf(model, attribute, depth)] as const)
    .filter(([, entry]) => entry !== null);
  return Object.fromEntries(entries);
}

const linksEntry = (model: Model, attribute: Attribute): Parameters | true | null => {
  if (attribute.type === 'media' || isMorph(attribute)) return true;
  const target = model.type(attribute.targets?.[0] ?? '');
  return target === null ? null : { fields: [target.title] };
};

function entryOf(model: Model, attribute: Attribute, depth: number): Parameters | true | null {
  if (attribute.type === 'relation' || attribute.type === 'media') return linksEntry(model, attribute);
  const uids = componentsOf(attribute);
  if (uids.length === 0 || depth >= MAX_DEPTH) return null;
  const inside = (uid: string): Parameters | true => {
    const component = model.component(uid);
    const populate = component === null ? {} : populateOf(model, component, depth + 1);
    return Object.keys(populate).length === 0 ? true : { populate };
  };
  if (attribute.type !== 'dynamiczone') return inside(uids[0] ?? '');
  return { on: Object.fromEntries(uids.map((uid) => [uid, inside(uid)])) };
}
