/** The answer to a write for who may write a document, but not read it (D27). */
import type { Given, GivenValues } from './body.js';
import type { ReadPlan } from './plan.js';

const ALWAYS = ['id', 'documentId'];

/**
 * Whether a body carries all of an attribute's value. What is merged with stored values is not: a change of a
 * list, a list on the side that does not own it (links of others stay in it), a component that is named by
 * its id.
 */
function isWhole(given: Given): boolean {
  switch (given.kind) {
    case 'scalar':
      return true;
    case 'relation':
      return given.input.kind === 'set' && !('mappedBy' in given.attribute.def);
    case 'embedded':
      return given.instances.every(
        (item) =>
          item !== null &&
          (item.id === undefined || item.id === null) &&
          [...item.values.values()].every(isWhole),
      );
  }
}

/** Of an answer the ids, and the attributes whose values the body carried. */
export function onlySent(plan: ReadPlan, sent: GivenValues): ReadPlan {
  const whole = (name: string): boolean => {
    const given = sent.get(name);
    return given !== undefined && isWhole(given);
  };
  const { fields, children, ...object } = plan.object;
  return {
    ...plan,
    kept: null,
    object: {
      ...object,
      fields: fields.filter(({ name }) => ALWAYS.includes(name) || whole(name)),
      children: children.filter(({ attribute }) => whole(attribute.name)),
    },
  };
}
