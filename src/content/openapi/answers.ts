/** Schemas of responses, one for each view; populated attributes are optional. */
import { isMixed } from '../plan/plan.js';
import { byKind } from '../model/by-kind.js';
import type {
  Attribute,
  ComponentAttribute,
  Model,
  MorphAttribute,
  RelationAttribute,
  ZoneAttribute,
} from '../model/model.js';
import { ATTRIBUTES, COMPONENT, STATE, TYPE, typeUid } from '../model/naming.js';
import type { PartName } from './components.js';
import type { Describing } from './describing.js';
import { anyOf, type JsonSchema, list, NULL, open, type Reference, TEXT } from './document.js';
import { answerOf } from './scalars.js';
import { below, readableTargets, mayShowState, partOf, type View } from './view.js';

interface ShownView {
  readonly view: View;
  readonly describing: Describing;
}

/** Whether required attributes may be missing, because a draft may be shown. */
const mayBeUnset = (model: Model): boolean => model.model === 'component' || model.draftAndPublish;

/** Returns the schema of an attribute that a request only counts (protocol 4.12). */
function countOf({ format, components }: Describing, linked: boolean): JsonSchema {
  const wrapped = format === 'v4' && linked;
  const part = { key: `a count, wrapped: ${wrapped}`, name: wrapped ? 'CountData' : 'Count' };
  const count = open({ count: { type: 'integer', minimum: 0 } }, ['count']);
  return components.ref('schemas', part, () =>
    wrapped ? open({ data: open({ attributes: count }, ['attributes']) }, ['data']) : count,
  );
}

/**
 * Wraps the schema of an item as a list or as nullable, and documents of the v4 format in `data` (protocol
 * 17.3).
 */
function valueOf(
  item: JsonSchema,
  attribute: Exclude<Attribute, { kind: 'scalar' }>,
  { describing }: ShownView,
): JsonSchema {
  const { many, linked } = attribute;
  const items = many ? list(item) : anyOf(item, NULL);
  const value = describing.format === 'v4' && linked ? open({ data: items }, ['data']) : items;
  const isZone = isMixed(attribute) && !linked;
  const countable = !isZone && (many || (linked && !attribute.media));
  return describing.counts && countable ? anyOf(value, countOf(describing, linked)) : value;
}

const relation = (attribute: RelationAttribute, { view, describing }: ShownView): JsonSchema =>
  valueOf(answerSchema(below(view, attribute, attribute.target), describing), attribute, {
    view,
    describing,
  });

const component = (attribute: ComponentAttribute, { view, describing }: ShownView): JsonSchema =>
  valueOf(answerSchema(below(view, attribute, attribute.component), describing), attribute, {
    view,
    describing,
  });

/** Items of several types, each with its type. */
const morph = (attribute: MorphAttribute, shown: ShownView): JsonSchema => {
  const items = readableTargets(shown.view, attribute).map((type) =>
    answerWith(
      below(shown.view, attribute, type),
      { about: 'Item', members: { [TYPE]: { const: typeUid(type) } } },
      shown.describing,
    ),
  );
  return valueOf(anyOf(...items), attribute, shown);
};

const zone = (attribute: ZoneAttribute, shown: ShownView): JsonSchema => {
  const items = attribute.components.map((one) =>
    answerWith(
      below(shown.view, attribute, one),
      { about: 'Item', members: { [COMPONENT]: { const: one.uid } } },
      shown.describing,
    ),
  );
  return valueOf(anyOf(...items), attribute, shown);
};

const shownAs = byKind<Attribute, [ShownView], JsonSchema>({
  scalar: (attribute, { view, describing }) =>
    answerOf(attribute, mayBeUnset(view.model), describing.components),
  relation,
  component,
  morph,
  zone,
});

type Members = Readonly<Record<string, JsonSchema>>;

/** State that `withState` adds to documents of the root (protocol 8.32). */
function stateOf({ model }: View, describing: Describing): Members {
  if (model.model === 'component' || !mayShowState(describing, model)) return {};
  const { draftAndPublish, localized } = model;
  const status = {
    type: 'string',
    enum: draftAndPublish ? ['draft', 'published', 'modified'] : ['published'],
  };
  const locales = list(open({ locale: TEXT, status }, ['locale', 'status']));
  const part = { key: `a state ${draftAndPublish} ${localized}`, name: 'DocumentState' };
  const state = describing.components.ref('schemas', part, () =>
    localized ? open({ status, locales }, ['status', 'locales']) : open({ status }, ['status']),
  );
  return { [STATE]: state };
}

const IDENTITY = ['id', 'documentId'];

/** Returns the schema of a document or instance; `kind` adds the type to items of several types. */
function objectOf(view: View, kind: Members, describing: Describing): JsonSchema {
  const members = view.attributes.map(
    (attribute) => [attribute.name, shownAs(attribute, { view, describing })] as const,
  );
  const own = members.filter(([name]) => IDENTITY.includes(name));
  const rest = members.filter(([name]) => !IDENTITY.includes(name));
  const required = Object.keys(kind);
  const more = { ...stateOf(view, describing), ...kind };
  if (describing.format === 'flat' || view.model.model === 'component')
    return open({ ...Object.fromEntries(members), ...more }, [...IDENTITY, ...required]);
  const attributes = open({ ...Object.fromEntries(rest), ...more }, required);
  return open({ ...Object.fromEntries(own), [ATTRIBUTES]: attributes }, [...IDENTITY, ATTRIBUTES]);
}

/** Names the part by its format, because some routes always respond in one format. */
const inFormat = ({ key, name }: PartName, { format }: Describing): PartName => ({
  key: `${key} ${format}`,
  name,
});

/** Members in addition to those of a view. */
export interface ExtraMembers {
  readonly about: string;
  readonly members: Members;
}

export function answerWith(view: View, { about, members }: ExtraMembers, describing: Describing): Reference {
  const part = inFormat(partOf(view, about), describing);
  return describing.components.ref('schemas', part, () => objectOf(view, members, describing));
}

export const answerSchema = (view: View, describing: Describing): Reference =>
  describing.components.ref('schemas', inFormat(partOf(view), describing), () =>
    objectOf(view, {}, describing),
  );
