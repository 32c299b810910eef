/** What answers show of a view: one schema for each, in which everything that is populated may be there. */
import { isMixed } from '../plan/plan.js';
import { byKind } from '../schema/by-kind.js';
import type {
  Attribute,
  ComponentAttribute,
  Model,
  MorphAttribute,
  RelationAttribute,
  ZoneAttribute,
} from '../schema/model.js';
import { ATTRIBUTES, COMPONENT, TYPE, typeUid } from '../schema/naming.js';
import type { PartName } from './components.js';
import type { Describing } from './describing.js';
import { anyOf, type JsonSchema, list, NULL, open, type Reference } from './document.js';
import { answerOf } from './scalars.js';
import { below, entered, partOf, type View } from './view.js';

/** Where an attribute is shown. */
interface Shown {
  readonly view: View;
  readonly describing: Describing;
}

/** Wherever drafts may be shown, what is required may not be there yet. */
const mayBeUnset = (model: Model): boolean => model.model === 'component' || model.draftAndPublish;

/** What an attribute is where only the number of its targets was asked for (protocol 4.12). */
function countOf({ format, components }: Describing, linked: boolean): JsonSchema {
  const wrapped = format === 'v4' && linked;
  const part = { key: `a count, wrapped: ${wrapped}`, name: wrapped ? 'CountData' : 'Count' };
  const count = open({ count: { type: 'integer', minimum: 0 } }, ['count']);
  return components.ref('schemas', part, () =>
    wrapped ? open({ data: open({ attributes: count }, ['attributes']) }, ['data']) : count,
  );
}

/** Several, one or none; and in the v4 format in `data`, where they are documents (protocol 17.3). */
function valueOf(
  item: JsonSchema,
  attribute: Exclude<Attribute, { kind: 'scalar' }>,
  { describing }: Shown,
): JsonSchema {
  const { many, linked } = attribute;
  const items = many ? list(item) : anyOf(item, NULL);
  const value = describing.format === 'v4' && linked ? open({ data: items }, ['data']) : items;
  const isZone = isMixed(attribute) && !linked;
  const countable = !isZone && (many || (linked && !attribute.media));
  return describing.counts && countable ? anyOf(value, countOf(describing, linked)) : value;
}

const relation = (attribute: RelationAttribute, { view, describing }: Shown): JsonSchema =>
  valueOf(answerSchema(below(view, attribute, attribute.target), describing), attribute, {
    view,
    describing,
  });

const component = (attribute: ComponentAttribute, { view, describing }: Shown): JsonSchema =>
  valueOf(answerSchema(below(view, attribute, attribute.component), describing), attribute, {
    view,
    describing,
  });

/** Items of several kinds, each of which says which. */
const morph = (attribute: MorphAttribute, shown: Shown): JsonSchema => {
  const items = entered(shown.view, attribute).map((type) =>
    answerWith(
      below(shown.view, attribute, type),
      { about: 'Item', members: { [TYPE]: { const: typeUid(type) } } },
      shown.describing,
    ),
  );
  return valueOf(anyOf(...items), attribute, shown);
};

const zone = (attribute: ZoneAttribute, shown: Shown): JsonSchema => {
  const items = attribute.components.map((one) =>
    answerWith(
      below(shown.view, attribute, one),
      { about: 'Item', members: { [COMPONENT]: { const: one.uid } } },
      shown.describing,
    ),
  );
  return valueOf(anyOf(...items), attribute, shown);
};

const shownAs = byKind<Attribute, [Shown], JsonSchema>({
  scalar: (attribute, { view, describing }) =>
    answerOf(attribute, mayBeUnset(view.model), describing.components),
  relation,
  component,
  morph,
  zone,
});

type Members = Readonly<Record<string, JsonSchema>>;

const IDENTITY = ['id', 'documentId'];

/** A document or an instance with what says of which kind it is, where there are several. */
function objectOf(view: View, kind: Members, describing: Describing): JsonSchema {
  const members = view.attributes.map(
    (attribute) => [attribute.name, shownAs(attribute, { view, describing })] as const,
  );
  const own = members.filter(([name]) => IDENTITY.includes(name));
  const rest = members.filter(([name]) => !IDENTITY.includes(name));
  const required = Object.keys(kind);
  if (describing.format === 'flat' || view.model.model === 'component')
    return open(Object.fromEntries([...members, ...Object.entries(kind)]), [...IDENTITY, ...required]);
  const attributes = open({ ...Object.fromEntries(rest), ...kind }, required);
  return open({ ...Object.fromEntries(own), [ATTRIBUTES]: attributes }, [...IDENTITY, ATTRIBUTES]);
}

/** Some routes answer in one format whatever is asked for. */
const inFormat = ({ key, name }: PartName, { format }: Describing): PartName => ({
  key: `${key} ${format}`,
  name,
});

/** Members that are shown beside those of a view, and what they make of it. */
export interface Beside {
  readonly about: string;
  readonly members: Members;
}

/** A document or an instance with more members, which are always there. */
export function answerWith(view: View, { about, members }: Beside, describing: Describing): Reference {
  const part = inFormat(partOf(view, about), describing);
  return describing.components.ref('schemas', part, () => objectOf(view, members, describing));
}

/** A document or an instance as answers show it. */
export const answerSchema = (view: View, describing: Describing): Reference =>
  describing.components.ref('schemas', inFormat(partOf(view), describing), () =>
    objectOf(view, {}, describing),
  );
