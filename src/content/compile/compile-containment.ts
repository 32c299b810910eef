/** Prints equality inside indexed components as `@>` (GIN), in addition to the exact condition. */
import { filledIn } from '../plan/open-operands.js';
import type { Condition, Hop, ReadPlan } from '../plan/plan.js';
import { quote, type Sql, slot, sql } from '../../kernel/sql.js';
import { rowOf, type Scope } from './scope.js';

type RelatedCondition = Extract<Condition, { kind: 'related' }>;

/** Attribute types that are compared in the form in which JSON stores them. */
const PLAIN = ['boolean', 'integer'];

/** Returns a JSON pattern that each matching row contains; undefined if there is none. */
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
      return parts.length === 0 ? undefined : parts.reduce((all, part) => ({ ...all, ...part }));
    }
    default:
      return undefined;
  }
}

const within = (hop: Hop, inner: object): object => (hop.many ? [inner] : inner);

/** Prints an indexable condition that narrows the rows of the component's holder; null without an index. */
export function containment(scope: Scope, { attribute, where, orNone }: RelatedCondition): Sql | null {
  if (scope.kind !== 'row' || orNone || attribute.linked || attribute.def.index !== true) return null;
  const inner = pattern(where);
  if (inner === undefined) return null;
  const contained = slot((plan: ReadPlan) =>
    JSON.stringify(within(attribute, inner), (_name, value: unknown) => filledIn(value, plan)),
  );
  return sql`${rowOf(scope).alias}.${quote(attribute.column)} @> ${contained}::jsonb`;
}
