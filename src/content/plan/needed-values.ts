/** Selects the stored values that a write must load. Most stored values do not matter. */
import { type GivenInstances, type GivenValues, isGiven } from './given.js';
import type { ContentType } from '../model/model.js';
import { STAGE } from '../model/stage-definition.js';
import type { WriteTarget } from './write-plan.js';

/**
 * Whether stored instances matter: the body references them by id, or a zone may contain unknown components.
 */
const meetsInstances = ({ attribute, instances }: GivenInstances): boolean =>
  attribute.named || instances.some((instance) => instance?.id !== undefined && instance.id !== null);

/** Names of omitted attributes, shared by all locales, from which a new locale generates its uid. */
function sharedTargets({ attributes, storage }: ContentType, values: GivenValues): string[] {
  const generated = storage.generatedUids.filter(
    ({ localized, name }) => localized && !isGiven(values, name),
  );
  const targets = generated.map(({ def: { targetField = '' } }) => targetField);
  return targets.filter((name) => attributes.get(name)?.localized === false && !isGiven(values, name));
}

export interface NeededValues {
  readonly names: ReadonlySet<string>;
  /** Attributes whose values of the published version are needed, since instances may come from it (D18). */
  readonly merged: ReadonlySet<string>;
}

/**
 * Returns the needed values: instances that a body references, sources of uids, and omitted attributes with
 * rules if the document must be complete. It must be when it is published, and in a new locale.
 */
export function neededValues({ type, publish }: WriteTarget, values: GivenValues): NeededValues {
  const merged = [...values.embedded].flatMap(([name, given]) => (meetsInstances(given) ? [name] : []));
  const isChecked = type.validate !== null && publish;
  const isComplete = (type.draftAndPublish && publish) || type.localized || isChecked;
  const ruled = isComplete ? [...type.storage.ruled].filter((name) => !isGiven(values, name)) : [];
  const named = sharedTargets(type, values);
  const staged = type.stages === null ? [] : [STAGE];
  return { names: new Set([...merged, ...ruled, ...named, ...staged]), merged: new Set(merged) };
}
