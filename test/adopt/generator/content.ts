/** Random content of a model: documents with versions, links, files, folders, users and roles. */
import { Dice } from '../../evolution/pairs/dice.ts';
import { filesOf, foldersOf } from './files.ts';
import { modelOf } from './model.ts';
import {
  componentOf,
  type Flavour,
  type Instance,
  isExclusiveLink,
  isInverse,
  isLocalized,
  isSingleLink,
  type Link,
  randomId,
  randomTime,
  type SourceAttribute,
  type SourceAttributes,
  type SourceDocument,
  type SourceModel,
  type SourceType,
  type State,
  type Times,
  USER,
  type Version,
  type World,
} from './source.ts';
import { rolesOf, usersOf } from './people.ts';
import { scalarValue } from './values.ts';

/** A document whose versions have no values yet. */
interface Plan {
  readonly type: SourceType;
  readonly mark: string;
  readonly documentId: string;
  readonly rows: readonly Row[];
}

interface Row {
  readonly state: State;
  readonly locale: string | null;
}

interface Making {
  readonly dice: Dice;
  readonly model: SourceModel;
  readonly plans: readonly Plan[];
  readonly files: readonly string[];
  readonly users: readonly string[];
  /** Targets of two-way one-to-one relations that have an owner. */
  readonly taken: Map<string, string>;
}

function rowsOf(dice: Dice, model: SourceModel, type: SourceType): Row[] {
  const { locales, defaultLocale, flavour } = model;
  const some = locales.filter((one) => dice.chance(one === defaultLocale ? 85 : 50));
  const chosen = type.localized ? (some.length > 0 ? some : [defaultLocale]) : [null];
  // Projects that were upgraded, or whose drafts were deleted, have published rows without a draft.
  const isOld = dice.chance(12);
  return chosen.flatMap((locale): Row[] => {
    if (!type.drafts) return [{ state: 'published', locale }];
    if (flavour === 'v4') return [{ state: dice.chance(65) ? 'published' : 'draft', locale }];
    if (isOld) return [{ state: 'published', locale }];
    return dice.chance(65)
      ? [
          { state: 'draft', locale },
          { state: 'published', locale },
        ]
      : [{ state: 'draft', locale }];
  });
}

function plansOf(dice: Dice, model: SourceModel): Plan[] {
  return model.types.flatMap((type) =>
    Array.from({ length: type.isSingle ? 1 : dice.below(7) }, (_, i) => ({
      type,
      mark: `${type.singular} ${i}`,
      documentId: randomId(dice),
      rows: rowsOf(dice, model, type),
    })),
  );
}

/** Returns whether Strapi can link a document: the version has the state and locale that it needs. */
function canLink(
  model: SourceModel,
  from: { type: SourceType; row: Row },
  to: Pick<Plan, 'type' | 'rows'>,
): boolean {
  const locale = to.type.localized ? (from.type.localized ? from.row.locale : model.defaultLocale) : null;
  const isAlike = model.flavour === 'v5' && from.type.drafts && to.type.drafts;
  return to.rows.some((row) => row.locale === locale && (!isAlike || row.state === from.row.state));
}

interface Place {
  readonly plan: Plan;
  readonly row: Row;
  /** Type or component, and attribute. */
  readonly at: string;
}

/** Owners of a state, because rows of Strapi 5 link rows of their state. */
const stateOf = ({ model }: Making, { row }: Place): string => (model.flavour === 'v4' ? '' : row.state);

function linksOf(making: Making, place: Place, attribute: SourceAttribute): Link[] {
  const { dice, model, plans, users, taken } = making;
  const most = isSingleLink(attribute) ? 1 : 4;
  if (attribute['target'] === USER) return dice.some(users, most).map((mark) => ({ type: USER, mark }));
  const isMorph = String(attribute['relation']).startsWith('morph');
  const isExclusive = isExclusiveLink(attribute);
  const free = (mark: string): boolean => {
    const owner = taken.get(`${place.at} ${mark} ${stateOf(making, place)}`);
    return !isExclusive || owner === undefined || owner === place.plan.mark;
  };
  const targets = plans.filter(
    (to) =>
      (isMorph ? !to.type.isSingle : to.type.uid === attribute['target']) &&
      canLink(model, { type: place.plan.type, row: place.row }, to) &&
      free(to.mark),
  );
  const links = dice.some(targets, most).map(({ type, mark }) => ({ type: type.uid, mark }));
  if (isExclusive)
    for (const { mark } of links) taken.set(`${place.at} ${mark} ${stateOf(making, place)}`, place.plan.mark);
  return links;
}

function instanceOf(making: Making, place: Place, uid: string): Instance {
  const { attributes } = componentOf(making.model, uid);
  return { component: uid, values: valuesOf(making, place, attributes) };
}

function instancesOf(making: Making, place: Place, attribute: SourceAttribute): Instance[] {
  const { dice } = making;
  const isList = attribute.type === 'dynamiczone' || attribute['repeatable'] === true;
  const choices = [attribute['components'] ?? attribute['component']].flat() as string[];
  return Array.from({ length: dice.below(isList ? 4 : 2) }, () =>
    instanceOf(making, place, dice.pick(choices)),
  );
}

function valueOf(making: Making, place: Place, attribute: SourceAttribute): unknown {
  const { dice, files } = making;
  if (attribute.type === 'relation')
    return isInverse(attribute) ? undefined : linksOf(making, place, attribute);
  if (attribute.type === 'media') return dice.some(files, isSingleLink(attribute) ? 1 : 3);
  if (['component', 'dynamiczone'].includes(attribute.type)) return instancesOf(making, place, attribute);
  return scalarValue(dice, attribute);
}

function valuesOf(making: Making, place: Place, attributes: SourceAttributes): Record<string, unknown> {
  const entries = Object.entries(attributes).map(([name, attribute]) => [
    name,
    valueOf(making, { ...place, at: `${place.at}.${name}` }, attribute),
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Removes links that a published version cannot have, in all instances. */
function pruned(making: Making, place: Place, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.flatMap((item: unknown): unknown[] => {
    if (typeof item !== 'object' || item === null) return [item];
    if ('component' in item) {
      const { component, values } = item as Instance;
      const inner = Object.entries(values).map(([name, one]) => [name, pruned(making, place, one)]);
      return [{ component, values: Object.fromEntries(inner) }];
    }
    const plan = making.plans.find(({ mark }) => mark === (item as Partial<Link>).mark);
    return plan === undefined || canLink(making.model, { type: place.plan.type, row: place.row }, plan)
      ? [item]
      : [];
  });
}

/** Removes links of a shared value that do not fit every version of the document. */
const fitting = (making: Making, plan: Plan, value: unknown): unknown =>
  plan.rows.reduce((left, row) => pruned(making, { plan, row, at: '' }, left), value);

const timesOf = (dice: Dice, { state }: Row, type: SourceType): Times => {
  const createdAt = randomTime(dice);
  const updatedAt = dice.chance(30) ? createdAt : randomTime(dice, Date.parse(createdAt));
  return { createdAt, updatedAt, publishedAt: state === 'draft' && type.drafts ? null : updatedAt };
};

function versionsOf(making: Making, plan: Plan): Version[] {
  const { dice, model } = making;
  const { type } = plan;
  const same = dice.chance(40);
  const shared = new Map<string, Record<string, unknown>>();
  const drafts = new Map<string | null, Record<string, unknown>>();
  return plan.rows.map((row): Version => {
    const place: Place = { plan, row, at: type.uid };
    const made = valuesOf(making, place, type.attributes);
    const draft = drafts.get(row.locale);
    const stateKey = model.flavour === 'v4' ? 'any' : row.state;
    const first = shared.get(stateKey);
    const values = Object.fromEntries(
      Object.entries(made).map(([name, value]) => {
        const attribute = type.attributes[name] as SourceAttribute;
        const isShared = type.localized && !isLocalized(type, attribute);
        if (isShared && first !== undefined) return [name, first[name]];
        const kept = draft !== undefined && (same || dice.chance(50)) && !isExclusiveLink(attribute);
        const chosen = kept ? pruned(making, place, draft[name]) : value;
        return [name, isShared ? fitting(making, plan, chosen) : chosen];
      }),
    );
    values['mark'] = plan.mark;
    if (first === undefined) shared.set(stateKey, values);
    if (row.state === 'draft') drafts.set(row.locale, values);
    return { ...row, ...timesOf(dice, row, type), values };
  });
}

function ranksOf(dice: Dice, documents: readonly SourceDocument[]): Map<string, number> {
  const ranks = new Map<string, number>();
  for (const { type, mark } of documents)
    for (const [name, { inversedBy }] of Object.entries(type.attributes))
      if (inversedBy !== undefined) ranks.set(`${type.uid}.${name} ${mark}`, dice.below(1_000_000_000));
  return ranks;
}

/** Returns the project of a seed: a model and its content. */
export function worldOf(seed: number, flavour: Flavour): World {
  const dice = new Dice(seed);
  const model = modelOf(dice, flavour);
  const folders = foldersOf(dice);
  const files = filesOf(dice, folders);
  const roles = rolesOf(dice, model);
  const users = usersOf(dice, { model, roles, files });
  const making: Making = {
    ...{ dice, model },
    plans: plansOf(dice, model),
    files: files.map(({ mark }) => mark),
    users: users.map(({ mark }) => mark),
    taken: new Map(),
  };
  const documents = making.plans.map((plan) => {
    const { type, mark, documentId } = plan;
    return { type, mark, documentId, versions: versionsOf(making, plan) };
  });
  return { model, documents, files, folders, users, roles, ranks: ranksOf(dice, documents) };
}
