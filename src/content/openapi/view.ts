/** Attributes of a model that a caller may see, decided as in a read plan (D16). */
import type { Caller } from '../access/caller.js';
import { decide } from '../access/decide.js';
import type { Action } from '../access/actions.js';
import { answerFields, decideReadBack, mayKnow, type Rights, rightsOf } from '../plan/rights.js';
import type { Attribute, ContentType, LinkedAttribute, Model } from '../model/model.js';
import type { ContentSettings } from '../../kernel/settings.js';
import { pascal, type PartName } from './components.js';

/** Model with its readable attributes, and the permissions for its relations. */
export interface View {
  readonly model: Model;
  readonly attributes: readonly Attribute[];
  readonly rights: Rights;
  /** Suffix for the names of the parts that describe the view. */
  readonly place: string;
}

/** Returns the targets of a relation that the caller may read. */
export const readableTargets = (
  { rights }: Pick<View, 'rights'>,
  attribute: LinkedAttribute,
): ContentType[] => attribute.targets.filter((type) => rights.mayEnter(attribute, type));

function viewOf(model: Model, rights: Rights, place: string): View {
  const attributes = [...model.attributes.values()].filter((attribute) => mayKnow(rights, model, attribute));
  return { model, attributes, rights, place };
}

/** Returns the view of an attribute's target. */
export const below = (view: View, attribute: Attribute, model: Model): View =>
  viewOf(model, view.rights.enter(attribute), model === view.model && attribute.open ? view.place : '');

/** Suffixes for views that differ from those in relations. */
const PLACES: Readonly<Partial<Record<Action, string>>> = {
  findOne: 'Alone',
  create: 'Created',
  update: 'Updated',
  publish: 'Published',
  delete: 'Deleted',
};

/** Whether the response to an action may go to a caller who may not read the document (D27). */
const mayEcho = (caller: Caller, type: ContentType, action: Action): boolean =>
  [true, false].some((published) => decideReadBack(caller, { type, action, published }) !== 'all');

interface Asking {
  readonly caller: Caller;
  readonly settings: ContentSettings;
}

const sees = ({ attributes }: View, others: View): boolean =>
  attributes.length === others.attributes.length &&
  attributes.every((attribute, i) => attribute === others.attributes[i]);

/** Returns the view of a document that a route returns. */
export function rootView({ caller, settings }: Asking, type: ContentType, action: Action): View {
  const writes = action === 'update' || action === 'publish';
  const seen = (shown: Action, place: string): View => {
    const fields = answerFields(caller, { type, action: shown }, writes && mayEcho(caller, type, shown));
    return viewOf(type, rightsOf(caller, { fields, published: true }, settings.limits), place);
  };
  const view = seen(action, PLACES[action] ?? '');
  const isUsual = decide(caller, type, 'find') === 'none' || sees(view, seen('find', ''));
  return isUsual ? { ...view, place: '' } : view;
}

/** Whether the caller may see the state of documents: drafts need `readDrafts`, locales alone do not. */
export const mayShowState = ({ caller }: Pick<Asking, 'caller'>, type: ContentType): boolean =>
  type.draftAndPublish ? decide(caller, type, 'readDrafts') !== 'none' : type.localized;

export const nameOf = (model: Model): string =>
  pascal(model.model === 'type' ? model.singularApiId : model.uid);

/** Name of a part made from a view: `Article`, or `ArticleFilters` with its purpose. */
export const partOf = ({ model, attributes, place }: View, about = ''): PartName => ({
  key: JSON.stringify([model.model, model.uid, about, attributes.map(({ name }) => name)]),
  name: `${nameOf(model)}${place}${about}`,
});
