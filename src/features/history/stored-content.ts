/** Content of a stored version: what it contains, and what a caller may see of it. */
import { isObject } from '../../kernel/json.js';
import { byKind } from '../../content/model/by-kind.js';
import type {
  Attribute,
  ContentType,
  EmbeddedAttribute,
  LinkedAttribute,
  Model,
} from '../../content/model/model.js';
import { COMPONENT, typeUid } from '../../content/model/naming.js';
import { isShown, type Rights } from '../../content/plan/rights.js';

type Values = Readonly<Record<string, unknown>>;

/** Depth of components beyond which a version stores nothing. */
const DEEPEST = 20;

const IDS = Object.freeze({ fields: ['documentId'] });

/** Whether a version stores an attribute: of relations with two sides only the owning one. */
const isStored = (attribute: Attribute): boolean =>
  !attribute.hidden && !attribute.open && (!attribute.linked || attribute.join.side !== 'inverse');

function linkPopulate({ named, targets }: LinkedAttribute): object {
  return named ? { on: Object.fromEntries(targets.map((type) => [typeUid(type), IDS])) } : IDS;
}

function embeddedPopulate({ named, components }: EmbeddedAttribute, depth: number): object {
  const inside = components.map((one) => [one.uid, { populate: everything(one, depth + 1) }] as const);
  return named ? { on: Object.fromEntries(inside) } : (inside[0]?.[1] ?? {});
}

const populateOf = byKind<Attribute, [number], object | null>({
  scalar: () => null,
  relation: linkPopulate,
  morph: linkPopulate,
  component: embeddedPopulate,
  zone: embeddedPopulate,
});

/** Returns the `populate` of all components, media and own relations of a model: links as ids. */
export function everything(model: Model, depth = 0): object {
  const entries = [...model.attributes.values()].flatMap((attribute) => {
    const populate = isStored(attribute) && depth <= DEEPEST ? populateOf(attribute, depth) : null;
    return populate === null ? [] : [[attribute.name, populate] as const];
  });
  return Object.fromEntries(entries);
}

/** Reference of a stored version to a document. */
export interface StoredLink {
  readonly type: ContentType;
  readonly documentId: string;
  /** Whether the relation names the type of each document. */
  readonly named: boolean;
}

/** Functions for the parts of a content that a caller may see. */
export interface Shape {
  readonly rights: Rights;
  /** Returns the form of a link, or null to leave it out. */
  readonly link: (link: StoredLink) => unknown;
  /** Whether an attribute of the document is left out. */
  readonly without?: (attribute: Attribute) => boolean;
}

function linkOf(value: unknown, attribute: LinkedAttribute): StoredLink | null {
  if (!isObject(value) || typeof value['documentId'] !== 'string') return null;
  const type = attribute.named
    ? attribute.targets.find((one) => typeUid(one) === value['__type'])
    : attribute.targets[0];
  return type === undefined ? null : { type, documentId: value['documentId'], named: attribute.named };
}

function linked(attribute: LinkedAttribute, value: unknown, shape: Shape): unknown {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  const list = given.flatMap((one) => {
    const link = linkOf(one, attribute);
    const isSeen = link !== null && shape.rights.mayEnter(attribute, link.type);
    const shown = isSeen ? shape.link(link) : null;
    return shown === null ? [] : [shown];
  });
  return attribute.many ? list : (list[0] ?? null);
}

function embedded(attribute: EmbeddedAttribute, value: unknown, shape: Shape): unknown {
  const within = { link: shape.link, rights: shape.rights.enter(attribute) };
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  const items = given.flatMap((one) => {
    if (!isObject(one)) return [];
    const component = attribute.named
      ? attribute.components.find(({ uid }) => uid === one[COMPONENT])
      : attribute.components[0];
    if (component === undefined) return [];
    const kept = attribute.named ? { [COMPONENT]: component.uid } : {};
    return [{ ...kept, ...contentOf(one, component, within) }];
  });
  return attribute.many ? items : (items[0] ?? null);
}

const shaped = byKind<Attribute, [unknown, Shape], unknown>({
  scalar: (_attribute, value) => value,
  relation: linked,
  morph: linked,
  component: embedded,
  zone: embedded,
});

/** Returns the attributes of a content that the present model has and the caller may see. */
export function contentOf(content: Values, model: Model, shape: Shape): Record<string, unknown> {
  const entries = [...model.attributes.values()].flatMap((attribute) => {
    if (!isStored(attribute) || !isShown(shape.rights, model, attribute)) return [];
    if (shape.without?.(attribute) === true) return [];
    const value = content[attribute.name] ?? content[attribute.def.previousName ?? attribute.name];
    return value === undefined ? [] : [[attribute.name, shaped(attribute, value, shape)] as const];
  });
  return Object.fromEntries(entries);
}

/** Returns the names in a content that the present model does not have. */
export function leftOut(content: Values, model: Model): string[] {
  const former = new Set([...model.attributes.values()].map(({ def }) => def.previousName));
  return Object.keys(content).filter((name) => !model.attributes.has(name) && !former.has(name));
}
