/**
 * Equality inside components that have an index: `@>`, which the index answers. The condition itself stands
 * beside it.
 */
import { filledIn } from '../plan/open-operands.js';
import type { Condition, Hop, ReadPlan } from '../plan/plan.js';
import { quote, type Sql, slot, sql } from '../sql.js';
import { rowOf, type Scope } from './scope.js';

type Related = Extract<Condition, { kind: 'related' }>;

/** Types whose values stand in JSON as they are compared. */
const PLAIN = ['boolean', 'integer'];

/** A JSON value that every row contains for which the condition is true; undefined where there is none. */
function pattern(condition: Condition): object | undefined {
  switch (condition.kind) {
    case 'compare': {
      const { attribute, op, operands, negated } = condition;
      const plain = attribute.type.column === 'text' || PLAIN.includes(attribute.def.type);
      return op === '$eq' && !negated && plain && operands[0] !== null
        ? { [attribute.name]: operands[0] }
        : undefined;
    }
    case 'related': {
      const inner = condition.orNone ? undefined : pattern(condition.where);
      return inner !== undefined && !condition.attribute.linked
        ? { [condition.attribute.name]: within(condition.attribute, inner) }
        : undefined;
    }
    case 'all': {
      const parts = condition.parts.map(pattern).filter((part) => part !== undefined);
      return parts.length === 0 ? undefined : (Object.assign({}, ...parts) as object);
    }
    default:
      return undefined;
  }
}

const within = (hop: Hop, inner: object): object => (hop.many ? [inner] : inner);

/** What narrows the rows of a component's holder, where the component has an index. */
export function containment(scope: Scope, { attribute, where, orNone }: Related): Sql | null {
  if (scope.kind !== 'row' || orNone || attribute.linked || attribute.def.index !== true) return null;
  const inner = pattern(where);
  if (inner === undefined) return null;
  const contained = slot((plan: ReadPlan) =>
    JSON.stringify(within(attribute, inner), (_name, value: unknown) => filledIn(value, plan)),
  );
  return sql`${rowOf(scope).alias}.${quote(attribute.column)} @> ${contained}::jsonb`;
}
