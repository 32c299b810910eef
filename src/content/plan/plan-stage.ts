/** Stage of a version after a write: moves, edits of drafts that can be published, and publication. */
import { type ContentError, type Issue, validationError } from '../../kernel/errors.js';
import type { ContentType, ScalarAttribute } from '../model/model.js';
import { STAGE } from '../model/stage-definition.js';
import type { Stages } from '../model/stages.js';
import { sentValue, storedValue, untoldValue, type ValueContext } from '../model/value-context.js';
import type { Body } from './body.js';
import type { LoadedState } from './loaded.js';
import type { BodyWrite, CheckedValues } from './plan-write.js';
import type { Restores } from './write-plan.js';

export interface StagedWrite extends BodyWrite {
  readonly restores: Restores;
}

/** Stage of one version in a write. */
export interface StageChange {
  readonly stages: Stages;
  readonly attribute: ScalarAttribute;
  /** Stored value; null for a new version. */
  readonly stored: string | null;
  readonly from: string;
  /** Stage that the write names; `from` if it names none. */
  readonly to: string;
  /** Whether the caller changes a draft that could be published, without a move. */
  readonly edits: boolean;
  /** Whether the version has the stage that it had before its document was deleted. */
  readonly restored: boolean;
  /** Whether the version was published before its type had stages. */
  readonly older: boolean;
  /** Stage whose `move` grant decides about the write; null for none. */
  readonly asks: string | null;
}

/** Whether the caller sent other values than the stage. Those that hooks have added do not count. */
function changesOtherValues({ type, values, isNamed }: Body): boolean {
  const { scalars, embedded, relations } = values;
  return [scalars, embedded, relations].some((given) =>
    [...given.keys()].some((name) => {
      const attribute = type.attributes.get(name);
      return name !== STAGE && attribute !== undefined && isNamed(attribute);
    }),
  );
}

function stageAttributeOf({ shown }: ContentType): ScalarAttribute {
  const attribute = shown.find(({ name }) => name === STAGE);
  if (attribute === undefined) throw new Error(`A type with stages needs the attribute "${STAGE}"`);
  return attribute;
}

/** Returns the stage of a version before and after a write; null for a type without stages. */
export function stageChangeOf(
  { target, body, restores }: StagedWrite,
  loaded: LoadedState,
): StageChange | null {
  const { type } = target;
  const { stages } = type;
  if (stages === null) return null;
  const attribute = stageAttributeOf(type);
  const value = loaded.versions.own === undefined ? null : loaded.stored?.[STAGE];
  const stored = typeof value === 'string' ? value : null;
  const isKnown = (name: unknown): name is string => typeof name === 'string' && stages.states.has(name);
  const from = isKnown(stored) ? stored : stages.initial;
  const raw = restores === 'version' ? undefined : body.values.scalars.get(STAGE)?.raw;
  const named = raw === null ? stages.initial : raw;
  const to = isKnown(named) ? named : from;
  const restored = restores === 'deleted';
  const edits =
    !restored && to === from && stages.states.get(from)?.publish === true && changesOtherValues(body);
  const moves = !restored && to !== from && body.isSent(attribute);
  const older = restored && !isKnown(raw);
  return { stages, attribute, stored, from, to, edits, restored, older, asks: edits || moves ? to : null };
}

function placeOf({ attribute }: StageChange, { body, target }: BodyWrite, issues: Issue[]): ValueContext {
  const where = { path: [attribute.name], draft: !target.publish, issues };
  if (body.telling(attribute) === 'nothing') return untoldValue(where);
  return body.isSent(attribute) ? sentValue(where) : storedValue(where);
}

const notGranted = ({ singularApiId }: ContentType): ContentError =>
  validationError(`Invalid key ${STAGE}`, {
    key: STAGE,
    path: STAGE,
    source: 'body',
    grant: `${singularApiId}.move`,
  });

/**
 * Adds the stage to the values of a write, and its problems to theirs. Without the right to move to the stage
 * of an edited draft that could be published, the draft is in the initial stage again.
 */
export function withStage(
  checked: CheckedValues,
  write: StagedWrite,
  { change, may }: { readonly change: StageChange; readonly may: boolean },
): CheckedValues {
  const { stages, attribute, stored, from, to, restored } = change;
  const { type, publish } = write.target;
  const at = placeOf(change, write, checked.issues);
  const refusals = [...checked.refusals];
  const after = change.edits && !may ? stages.initial : to;
  const isMove = to !== from && !restored;
  if (isMove && stages.states.get(from)?.to.has(to) !== true)
    at.report(`${STAGE} cannot change to this value from the current one`, to);
  else if (isMove && !may) refusals.push({ error: notGranted(type), path: [STAGE] });
  else if (publish && !change.older && stages.publishing.size > 0 && !stages.publishing.has(after))
    at.report(
      `${STAGE} must be ${[...stages.publishing].map((name) => `"${name}"`).join(' or ')} to publish`,
    );
  const values = new Map(checked.writeValues.values);
  if (after === stored) values.delete(attribute);
  else values.set(attribute, after);
  return { ...checked, refusals, writeValues: { ...checked.writeValues, values } };
}
