/** What a caller may see of a model in one place: the same answer as a plan's (D16). */
import type { Caller } from '../access/caller.js';
import { decide } from '../access/decide.js';
import type { Action } from '../access/permissions.js';
import { answerFields, decideReadBack, isShown, type Rights, rightsOf } from '../plan/rights.js';
import type { Attribute, ContentType, LinkedAttribute, Model } from '../schema/model.js';
import type { ContentSettings } from '../settings.js';
import { pascal, type PartName } from './components.js';

/** A model as it is seen: the attributes that may be read, and the rights with which others are entered. */
export interface View {
  readonly model: Model;
  readonly attributes: readonly Attribute[];
  readonly rights: Rights;
  /** Where it is seen, for the names of its parts. */
  readonly place: string;
}

/** The types that a relation leads to and that may be read there. */
export const entered = ({ rights }: Pick<View, 'rights'>, attribute: LinkedAttribute): ContentType[] =>
  attribute.targets.filter((type) => rights.mayEnter(attribute, type));

function viewOf(model: Model, rights: Rights, place: string): View {
  const attributes = [...model.attributes.values()].filter((attribute) => isShown(rights, model, attribute));
  return { model, attributes, rights, place };
}

/** What is seen of a model that an attribute leads to. */
export const below = (view: View, attribute: Attribute, model: Model): View =>
  viewOf(model, view.rights.enter(attribute), model === view.model && attribute.open ? view.place : '');

/** Names of places, where something else is seen in them than through relations. */
const PLACES: Readonly<Partial<Record<Action, string>>> = {
  findOne: 'Alone',
  create: 'Created',
  update: 'Updated',
  publish: 'Published',
  delete: 'Deleted',
};

/** Whether the answer to an action may be one to a caller who may not read what was written (D27). */
const mayEcho = (caller: Caller, type: ContentType, action: Action): boolean =>
  [true, false].some((published) => decideReadBack(caller, { type, action, published }) !== 'all');

/** Who asks, under which settings. */
interface Asking {
  readonly caller: Caller;
  readonly settings: ContentSettings;
}

const sees = ({ attributes }: View, others: View): boolean =>
  attributes.length === others.attributes.length &&
  attributes.every((attribute, i) => attribute === others.attributes[i]);

/** What is seen of a document that is asked for by its route. */
export function rootView({ caller, settings }: Asking, type: ContentType, action: Action): View {
  const writes = action === 'update' || action === 'publish';
  const seen = (asked: Action, place: string): View => {
    const fields = answerFields(caller, { type, action: asked }, writes && mayEcho(caller, type, asked));
    return viewOf(type, rightsOf(caller, { fields, published: true }, settings.limits), place);
  };
  const view = seen(action, PLACES[action] ?? '');
  const isUsual = decide(caller, type, 'find') === 'none' || sees(view, seen('find', ''));
  return isUsual ? { ...view, place: '' } : view;
}

/** What the parts that are made of a model are called after. */
export const nameOf = (model: Model): string =>
  pascal(model.model === 'type' ? model.singularApiId : model.uid);

/** The name of a part that is made of a view: `Article`, or `ArticleFilters` with what it is about. */
export const partOf = ({ model, attributes, place }: View, about = ''): PartName => ({
  key: JSON.stringify([model.model, nameOf(model), about, attributes.map(({ name }) => name)]),
  name: `${nameOf(model)}${place}${about}`,
});
