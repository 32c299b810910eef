/** Which stored values a write has to look at: most of what is stored stays as it is, whatever it is. */
import { byKind } from '../schema/by-kind.js';
import type { Attribute, EmbeddedAttribute, ScalarAttribute } from '../schema/model.js';
import { type GivenInstances, type GivenValues, isGiven } from './given.js';
import type { WriteTarget } from './write-plan.js';

/** Options that a stored value can break: it may be a draft's, or of a model that allowed it. */
const RULES = ['required', 'min', 'max', 'minLength', 'maxLength', 'regex', 'enum', 'unique'] as const;

const RULED_TYPES: readonly string[] = ['email', 'enumeration', 'uid'];

const isRuledScalar = ({ def }: ScalarAttribute): boolean =>
  RULED_TYPES.includes(def.type) || RULES.some((rule) => rule in def);

/** Components may hold each other, so that what was asked before is not asked again. */
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
  component: isRuledWhole,
  zone: isRuledWhole,
});

/** Whether a body means instances that are stored already: it names them, or holds such as may. */
const namesInstances = ({ instances }: GivenInstances): boolean =>
  instances.some((instance) => instance?.id !== undefined && instance.id !== null);

/** What is said of the stored values of a write. */
export interface Needed {
  /** The attributes whose values of the version that is written matter. */
  readonly names: ReadonlySet<string>;
  /** Those of its published version, where instances may come from (D18). */
  readonly merged: ReadonlySet<string>;
}

/**
 * The stored values that decide: of instances that a body names, and of attributes with rules that it leaves
 * out, where the document has to be complete: when it is published, and in a new locale.
 */
export function neededValues({ type, publish }: WriteTarget, values: GivenValues): Needed {
  const merged = [...values.embedded].flatMap(([name, given]) => (namesInstances(given) ? [name] : []));
  const isJudged = (type.draftAndPublish && publish) || type.localized;
  const judged = [...type.attributes].flatMap(([name, attribute]) =>
    isJudged && !attribute.system && !isGiven(values, name) && isRuled(attribute, new Set()) ? [name] : [],
  );
  return { names: new Set([...merged, ...judged]), merged: new Set(merged) };
}
