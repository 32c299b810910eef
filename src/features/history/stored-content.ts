/** Content of a stored version: what it contains, and what a caller may see of it. */
import { isObject } from '../../kernel/json.js';
import { CREATED_AT } from '../../content/model/history-table.js';
import { byKind } from '../../content/model/by-kind.js';
import type {
  Attribute,
  Component,
  ContentType,
  EmbeddedAttribute,
  LinkedAttribute,
  Model,
} from '../../content/model/model.js';
import { COMPONENT } from '../../content/model/naming.js';
import { mayKnow, type Rights } from '../../content/plan/rights.js';
import { BETWEEN, documentIdsOf } from '../../content/plan/target-key.js';
import { isStored } from './compile-content.js';

type Values = Readonly<Record<string, unknown>>;

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
  /**
   * Whether instances have their ids, so that a write changes those that still exist. They then have all
   * values, also null, which is not stored.
   */
  readonly identified?: boolean;
  /** Whether an attribute of the document is left out. */
  readonly without?: (attribute: Attribute) => boolean;
  /** Whether a value of a document or instance is left out. */
  readonly refuses?: (attribute: Attribute, value: unknown) => boolean;
}

/** Returns the document of a key in a list of links; null if the model has no such type any more. */
function linkOf(key: unknown, attribute: LinkedAttribute): StoredLink | null {
  if (typeof key !== 'string') return null;
  const { named } = attribute;
  const [documentId = key] = documentIdsOf(attribute, [key]);
  const isCalled = (name: string | null): boolean => key === `${name ?? ''}${BETWEEN}${documentId}`;
  const isTarget = (one: ContentType): boolean =>
    !named || isCalled(one.singularApiId) || isCalled(one.previousName);
  const type = attribute.targets.find(isTarget);
  return type === undefined ? null : { type, documentId, named };
}

/** Returns undefined for a to-one that a write leaves as it is: the caller may not name its type. */
function showLinks(attribute: LinkedAttribute, value: unknown, shape: Shape): unknown {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  const links = given.flatMap((one) => linkOf(one, attribute) ?? []);
  const seen = links.filter(({ type }) => shape.rights.mayEnter(attribute, type));
  const list = seen.flatMap((link) => shape.link(link) ?? []);
  if (attribute.many) return list;
  return shape.identified === true && seen.length < links.length ? undefined : (list[0] ?? null);
}

/** Returns the component of an instance, by its present or former name; undefined if it has none any more. */
function componentOf({ named, components }: EmbeddedAttribute, name: unknown): Component | undefined {
  if (!named) return components[0];
  return components.find(({ uid }) => uid === name) ?? components.find((one) => one.previousName === name);
}

/**
 * Returns values for the attributes that an instance lacks: the default, or null. Those that are required and
 * have no default are newer than the version.
 */
const lackingIn = (instance: Values, { attributes }: Component): Values =>
  Object.fromEntries(
    [...attributes.values()].flatMap((one) => {
      const value = 'default' in one.def ? (one.def.default ?? null) : null;
      const isLacking = instance[nameIn(instance, one)] === undefined;
      return isLacking && (value !== null || !one.required) ? [[one.name, value] as const] : [];
    }),
  );

function showInstances(attribute: EmbeddedAttribute, value: unknown, shape: Shape): unknown {
  const { without: _ofDocument, ...others } = shape;
  const within = { ...others, rights: shape.rights.enter(attribute) };
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  const items = given.flatMap((one) => {
    if (!isObject(one)) return [];
    const component = componentOf(attribute, one[COMPONENT]);
    if (component === undefined) return [];
    const named = attribute.named ? { [COMPONENT]: component.uid } : {};
    const kept = shape.identified === true ? { ...named, id: one['id'] } : named;
    const lacking = shape.identified === true ? lackingIn(one, component) : {};
    return [{ ...kept, ...contentOf({ ...one, ...lacking }, component, within) }];
  });
  return attribute.many ? items : (items[0] ?? null);
}

const showValue = byKind<Attribute, [unknown, Shape], unknown>({
  scalar: (_attribute, value) => value,
  relation: showLinks,
  morph: showLinks,
  component: showInstances,
  zone: showInstances,
});

/**
 * Returns the name of an attribute in a content. Components of versions that an earlier release of the
 * library has migrated have former names.
 */
const nameIn = (content: Values, { name, def: { previousName = name } }: Attribute): string =>
  Object.hasOwn(content, name) ? name : previousName;

/** Returns the attributes of a content that the current model has and the caller may see. */
export function contentOf(content: Values, model: Model, shape: Shape): Record<string, unknown> {
  const entries = [...model.attributes.values()].flatMap((attribute) => {
    if (!isStored(attribute) || !mayKnow(shape.rights, model, attribute)) return [];
    if (shape.without?.(attribute) === true) return [];
    const value = content[nameIn(content, attribute)];
    if (value === undefined || shape.refuses?.(attribute, value) === true) return [];
    const shown = showValue(attribute, value, shape);
    return shown === undefined ? [] : [[attribute.name, shown] as const];
  });
  return Object.fromEntries(entries);
}

/** Returns the names in a content that the current model does not have. */
export function leftOut(content: Values, model: Model): string[] {
  const former = new Set([...model.attributes.values()].map(({ def }) => def.previousName));
  const isPresent = (name: string): boolean => model.attributes.has(name) || former.has(name);
  return Object.keys(content).filter((name) => name !== CREATED_AT && !isPresent(name));
}
