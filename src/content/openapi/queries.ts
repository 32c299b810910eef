/** Schemas of `fields`, `sort`, `filters` and `populate`, with the attributes of a view. */
import { isSearched, type Hop, type MixedAttribute } from '../plan/plan.js';
import { isOperator, operatorOf, OPERATORS, type OperatorName } from '../query/operators.js';
import { byKind } from '../model/by-kind.js';
import type { Attribute, Model, ScalarAttribute } from '../model/model.js';
import { isScalar, scalarOf } from '../model/scalar-of.js';
import { typeUid } from '../model/naming.js';
import type { Describing } from './describing.js';
import { anyOf, closedObject, FLAG, type JsonSchema, list, type Reference } from './document.js';
import { comparedOf } from './scalars.js';
import { below, readableTargets, partOf, type View } from './view.js';

type Members = Readonly<Record<string, JsonSchema>>;

const named =
  (
    about: string,
    make: (view: View, describing: Describing) => JsonSchema,
  ): ((view: View, describing: Describing) => Reference) =>
  (view, describing) =>
    describing.components.ref('schemas', partOf(view, about), () => make(view, describing));

const scalarsOf = ({ attributes }: View): ScalarAttribute[] => attributes.filter(isScalar);

/** Attributes that are shown only if populated. */
export const populatable = ({ attributes }: View): Exclude<Attribute, ScalarAttribute>[] =>
  attributes.filter((attribute) => !isScalar(attribute));

/** Relations and components that filters and sorts can traverse. */
const hopsOf = ({ attributes }: View): Hop[] =>
  attributes.filter(isSearched).filter((attribute): attribute is Hop => !isScalar(attribute));

const targetOf = (hop: Hop): Model => (hop.linked ? hop.target : hop.component);

/** Schema of a path that begins with one of the names. */
const pathFrom = (names: readonly string[], end: string): JsonSchema => ({
  type: 'string',
  pattern: `^(${names.join('|')})([.][A-Za-z0-9_]+)+${end}$`,
});

/** `fields`: names of attributes that are shown by default. */
export const fieldsSchema = named('Fields', (view) =>
  list({ type: 'string', enum: ['*', ...scalarsOf(view).map(({ name }) => name)] }),
);

/** `sort`: names and directions; paths through relations and components. */
export const sortSchema = named('Sort', (view) => {
  const names = scalarsOf(view).map(({ name }) => name);
  const keys = { type: 'string', enum: names.flatMap((name) => [name, `${name}:asc`, `${name}:desc`]) };
  const hops = hopsOf(view).map(({ name }) => name);
  return list(hops.length === 0 ? keys : anyOf(keys, pathFrom(hops, '(:(asc|desc))?')));
});

/** Returns the schema of an operator's operand. */
function operandOf(op: OperatorName, operand: JsonSchema): JsonSchema {
  const { compares, operand: shape } = operatorOf(op);
  const one = compares === 'text' ? { type: ['string', 'number', 'boolean'] } : operand;
  const shapes = {
    one,
    list: list(one),
    pair: { ...list(one), minItems: 2, maxItems: 2 },
    flag: FLAG,
  };
  return shapes[shape];
}

/**
 * Whether an operator applies to an attribute. Operators for the inside of JSON are omitted, because the
 * protocol has none (5.41).
 */
const isFor = ({ type }: ScalarAttribute, op: OperatorName): boolean => {
  const { applies } = operatorOf(op);
  return applies === 'all' || (applies === 'textual' && type.textual);
};

/** Operators of an attribute's type, combined with AND. */
function conditionsOf(attribute: ScalarAttribute, { components }: Describing): Reference {
  const [name, operand] = comparedOf(attribute);
  const part = { key: `conditions on ${name}`, name: `${name}Conditions` };
  const make = (): JsonSchema => {
    const self = components.ref('schemas', part, make);
    const operators = Object.keys(OPERATORS)
      .filter(isOperator)
      .filter((op) => isFor(attribute, op))
      .map((op) => [op, operandOf(op, operand)] as const);
    return closedObject({ ...Object.fromEntries(operators), $and: list(self), $not: anyOf(operand, self) });
  };
  return components.ref('schemas', part, make);
}

/** A bare value means equality, a list any of its values (protocol 5.1). */
function ofScalar(attribute: ScalarAttribute, describing: Describing): JsonSchema {
  const { enum: values } = attribute.def;
  const [, operand] = comparedOf(attribute);
  const one = values === undefined ? operand : { type: 'string', enum: values };
  return anyOf(one, list(one), conditionsOf(attribute, describing));
}

/** A relation is compared by id, or by conditions on its target (protocol 5.34). */
function ofHop(hop: Hop, view: View, describing: Describing): JsonSchema {
  const target = below(view, hop, targetOf(hop));
  const id = scalarOf(target.model, 'id');
  const conditions = [filtersSchema(target, describing), conditionsOf(id, describing)];
  return anyOf(...conditions, { type: ['integer', 'string'] });
}

/** `filters`: conditions by attribute, and groups of them. */
export const filtersSchema: (view: View, describing: Describing) => Reference = named(
  'Filters',
  (view, describing) => {
    const self = filtersSchema(view, describing);
    const scalars = scalarsOf(view).map(
      (attribute) => [attribute.name, ofScalar(attribute, describing)] as const,
    );
    const hops = hopsOf(view).map((hop) => [hop.name, ofHop(hop, view, describing)] as const);
    const groups = { $and: list(self), $or: list(self), $not: self };
    return closedObject({ ...Object.fromEntries([...scalars, ...hops]), ...groups });
  },
);

function selectionOf(view: View, describing: Describing): Members {
  const rest: Members = populatable(view).length === 0 ? {} : { populate: populateSchema(view, describing) };
  return {
    fields: fieldsSchema(view, describing),
    filters: filtersSchema(view, describing),
    sort: sortSchema(view, describing),
    ...rest,
  };
}

const selectionSchema = named('Selection', (view, describing) => closedObject(selectionOf(view, describing)));
const countedSelection = named('ListSelection', (view, describing) =>
  closedObject({ ...selectionOf(view, describing), count: FLAG }),
);

const YES: JsonSchema = { anyOf: [FLAG, { const: '*' }] };

interface QueryContext {
  readonly view: View;
  readonly describing: Describing;
}

function ofOneKind(hop: Hop, { view, describing }: QueryContext): JsonSchema {
  const target = below(view, hop, targetOf(hop));
  const schema = hop.many && describing.counts ? countedSelection : selectionSchema;
  return anyOf(...[YES, schema(target, describing)]);
}

/** Items of several types have one selection per type under `on` (protocol 4.20, D33). */
function ofSeveralKinds(attribute: MixedAttribute, { view, describing }: QueryContext): JsonSchema {
  const kinds = attribute.linked
    ? readableTargets(view, attribute).map((type) => [typeUid(type), type] as const)
    : attribute.components.map((one) => [one.uid, one] as const);
  const on = kinds.map(
    ([uid, kind]) => [uid, anyOf(YES, selectionSchema(below(view, attribute, kind), describing))] as const,
  );
  const counted: Members = describing.counts ? { count: FLAG } : {};
  return anyOf(
    FLAG,
    closedObject({ on: closedObject(Object.fromEntries(on)), populate: { const: '*' }, ...counted }),
  );
}

const populateOf = byKind<Exclude<Attribute, ScalarAttribute>, [QueryContext], JsonSchema>({
  relation: ofOneKind,
  component: ofOneKind,
  morph: ofSeveralKinds,
  zone: ofSeveralKinds,
});

/** `populate`: everything, names and paths, or an object with a selection for each attribute. */
export const populateSchema: (view: View, describing: Describing) => Reference = named(
  'Populate',
  (view, describing) => {
    const attributes = populatable(view);
    const names = attributes.map(({ name }) => name);
    const members = attributes.map(
      (attribute) => [attribute.name, populateOf(attribute, { view, describing })] as const,
    );
    const listed = list(anyOf({ type: 'string', enum: names }, pathFrom(names, '')));
    return anyOf({ const: '*' }, listed, closedObject(Object.fromEntries(members)));
  },
);
