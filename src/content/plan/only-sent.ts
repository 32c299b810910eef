/** Response to a write for a caller who may write a document but not read it (D27). */
import type { GivenInstance, GivenRelation, GivenValues } from './given.js';
import type { ReadPlan } from './plan.js';

const ALWAYS = ['id', 'documentId'];

/**
 * Whether a body contains the whole list. A changed list, or a list on the inverse side with links of other
 * owners, is merged with stored values.
 */
const isWholeList = ({ input, attribute }: GivenRelation): boolean =>
  input.kind === 'set' && attribute.join.side !== 'inverse';

const isWholeInstance = (item: GivenInstance | null): boolean =>
  item !== null &&
  (item.id === undefined || item.id === null) &&
  [...item.values.relations.values()].every(isWholeList) &&
  [...item.values.embedded.values()].every(({ instances }) => instances.every(isWholeInstance));

function isWholeSent({ scalars, relations, embedded }: GivenValues, name: string): boolean {
  const list = relations.get(name);
  if (list !== undefined) return isWholeList(list);
  return scalars.has(name) || embedded.get(name)?.instances.every(isWholeInstance) === true;
}

/** Reduces a response to the ids and the attributes whose whole value the body contained. */
export function onlySent(plan: ReadPlan, sent: GivenValues): ReadPlan {
  const whole = (name: string): boolean => isWholeSent(sent, name);
  const { fields, children, ...object } = plan.object;
  return {
    ...plan,
    shared: null,
    object: {
      ...object,
      fields: fields.filter(({ name }) => ALWAYS.includes(name) || whole(name)),
      children: children.filter(({ attribute }) => whole(attribute.name)),
    },
  };
}
