/** Which stored values a write has to look at: most of what is stored stays as it is, whatever it is. */
import { type GivenInstances, type GivenValues, isGiven } from './given.js';
import type { WriteTarget } from './write-plan.js';

/**
 * Whether stored instances matter to what a body gives: it names them, or they may be of components that a
 * zone does not have under this model.
 */
const meetsInstances = ({ attribute, instances }: GivenInstances): boolean =>
  attribute.named || instances.some((instance) => instance?.id !== undefined && instance.id !== null);

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
  const merged = [...values.embedded].flatMap(([name, given]) => (meetsInstances(given) ? [name] : []));
  const isJudged = (type.draftAndPublish && publish) || type.localized;
  const judged = isJudged ? [...type.storage.ruled].filter((name) => !isGiven(values, name)) : [];
  return { names: new Set([...merged, ...judged]), merged: new Set(merged) };
}
