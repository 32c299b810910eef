/** Selects the stored values that a write must load. Most stored values do not matter. */
import { type GivenInstances, type GivenValues, isGiven } from './given.js';
import { STAGE } from '../model/stage-definition.js';
import type { WriteTarget } from './write-plan.js';

/**
 * Whether stored instances matter: the body references them by id, or a zone may contain unknown components.
 */
const meetsInstances = ({ attribute, instances }: GivenInstances): boolean =>
  attribute.named || instances.some((instance) => instance?.id !== undefined && instance.id !== null);

export interface NeededValues {
  readonly names: ReadonlySet<string>;
  /** Attributes whose values of the published version are needed, since instances may come from it (D18). */
  readonly merged: ReadonlySet<string>;
}

/**
 * Returns the needed values: instances that a body references, and omitted attributes with rules if the
 * document must be complete. It must be when it is published, and in a new locale.
 */
export function neededValues({ type, publish }: WriteTarget, values: GivenValues): NeededValues {
  const merged = [...values.embedded].flatMap(([name, given]) => (meetsInstances(given) ? [name] : []));
  const isChecked = type.validate !== null && publish;
  const isComplete = (type.draftAndPublish && publish) || type.localized || isChecked;
  const ruled = isComplete ? [...type.storage.ruled].filter((name) => !isGiven(values, name)) : [];
  const staged = type.stages === null ? [] : [STAGE];
  return { names: new Set([...merged, ...ruled, ...staged]), merged: new Set(merged) };
}
