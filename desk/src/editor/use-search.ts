/** Parameters of the requests that find links to a document or a file. */
import type { Parameters } from '../api/query.ts';
import { componentsOf, isMorph, isReadable, type Model, type Part } from '../model/model.ts';

/** Levels of components inside components that are searched. */
const MAX_DEPTH = 5;
const RICH_TEXTS = ['blocks', 'richtext'];

/** Document or file whose uses are searched. */
export interface Wanted {
  readonly documentId: string;
  /** Name of its type; null if only texts are searched. */
  readonly type: string | null;
  /** Texts that links to it in rich text contain: each link has its id, or one of the file names. */
  readonly texts: readonly string[];
}

interface Within {
  readonly model: Model;
  readonly depth: number;
  /** Whether the part is in a zone, which filters cannot enter. */
  readonly inZone?: boolean;
}

const links = (attribute: Part['attributes'][number], { type }: Wanted): boolean =>
  attribute.type === 'relation' &&
  attribute.isInverse !== true &&
  type !== null &&
  attribute.targets?.includes(type) === true;

const componentIn = (uid: string | undefined, { model, depth }: Within): Part | null =>
  uid === undefined || depth >= MAX_DEPTH ? null : model.component(uid);

/** Conditions of the versions that link a document in relations, components and rich text, not in zones. */
export function conditionsOf(wanted: Wanted, { attributes }: Part, within: Within): readonly Parameters[] {
  return attributes.filter(isReadable).flatMap((attribute): readonly Parameters[] => {
    const { name, type } = attribute;
    if (RICH_TEXTS.includes(type)) return wanted.texts.map((text) => ({ [name]: { $contains: text } }));
    if (links(attribute, wanted))
      return isMorph(attribute) ? [] : [{ [name]: { documentId: { $eq: wanted.documentId } } }];
    const component = type === 'component' ? componentIn(componentsOf(attribute)[0], within) : null;
    if (component === null) return [];
    const inside = conditionsOf(wanted, component, { ...within, depth: within.depth + 1 });
    return inside.map((one) => ({ [name]: one }));
  });
}

/**
 * Parameter `populate` for links in zones and relations to several types, which filters cannot enter. The
 * response contains those links, and the rich texts of zones. Null if there are none.
 */
export function populateOfUses(wanted: Wanted, part: Part, within: Within): Parameters | null {
  const only = { filters: { documentId: { $eq: wanted.documentId } }, fields: ['documentId'] };
  const { inZone = false } = within;
  const inside = (uid: string | undefined, isZone: boolean): Parameters | null => {
    const component = componentIn(uid, within);
    if (component === null) return null;
    const populate = populateOfUses(wanted, component, {
      ...within,
      depth: within.depth + 1,
      inZone: isZone,
    });
    const texts = isZone ? component.attributes.filter(isRichText).map(({ name }) => name) : [];
    if (populate === null && texts.length === 0) return null;
    return { fields: texts.length === 0 ? ['id'] : texts, ...(populate === null ? {} : { populate }) };
  };
  const entries = part.attributes.filter(isReadable).map((attribute) => {
    const [first] = componentsOf(attribute);
    if (attribute.type === 'dynamiczone') {
      const on = componentsOf(attribute).map((uid) => [uid, inside(uid, true)] as const);
      const known = on.filter(([, entry]) => entry !== null);
      return [attribute.name, known.length === 0 ? null : { on: Object.fromEntries(known) }] as const;
    }
    if (attribute.type === 'component') return [attribute.name, inside(first, inZone)] as const;
    if (!links(attribute, wanted)) return [attribute.name, null] as const;
    if (isMorph(attribute))
      return [attribute.name, { on: { [`api::${wanted.type}.${wanted.type}`]: only } }] as const;
    return [attribute.name, inZone ? only : null] as const;
  });
  const known = entries.filter(([, entry]) => entry !== null);
  return known.length === 0 ? null : Object.fromEntries(known);
}

const isRichText = (attribute: Part['attributes'][number]): boolean =>
  RICH_TEXTS.includes(attribute.type) && isReadable(attribute);
