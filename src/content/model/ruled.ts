/** Attributes with rules that a stored value can violate, as a draft or after a change of the model. */
import { byKind } from './by-kind.js';
import type { Attribute, EmbeddedAttribute, ScalarAttribute } from './model.js';

const RULES = [
  'required',
  'min',
  'max',
  'minLength',
  'maxLength',
  'regex',
  'enum',
  'unique',
  'validate',
] as const;

const RULED_TYPES: readonly string[] = ['email', 'enumeration', 'uid'];

const isRuledScalar = ({ def }: ScalarAttribute): boolean =>
  RULED_TYPES.includes(def.type) || RULES.some((rule) => rule in def);

/** Components may contain each other: `seen` ends the recursion. */
const isRuledWhole = (attribute: EmbeddedAttribute, seen: Set<object>): boolean =>
  RULES.some((rule) => rule in attribute.def) ||
  attribute.components.some((component) => {
    if (seen.has(component)) return false;
    seen.add(component);
    return [...component.attributes.values()].some((inner) => isRuled(inner, seen));
  });

const isRuled = byKind<Attribute, [Set<object>], boolean>({
  scalar: isRuledScalar,
  relation: ({ required }) => required,
  morph: ({ required }) => required,
  component: isRuledWhole,
  zone: isRuledWhole,
});

const isValue = byKind<Attribute, [], boolean>({
  scalar: () => true,
  relation: () => false,
  morph: () => false,
  component: () => true,
  zone: () => true,
});

/** Names of all attributes but relations, for types whose values are checked together. */
export const valueNames = (attributes: readonly Attribute[]): ReadonlySet<string> =>
  new Set(attributes.filter((attribute) => !attribute.system && isValue(attribute)).map(({ name }) => name));

export const ruledNames = (attributes: readonly Attribute[]): ReadonlySet<string> =>
  new Set(
    attributes
      .filter((attribute) => !attribute.system && isRuled(attribute, new Set()))
      .map(({ name }) => name),
  );
