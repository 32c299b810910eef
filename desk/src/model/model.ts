/** Model as the server describes it to this editor, with lookups by name. */
import type {
  DeskAttribute,
  DeskComponent,
  DeskModel,
  DeskPeople,
  DeskType,
} from '../../../src/features/desk/desk-model.ts';

export type { DeskModel };

/** Attribute with the constraints that the forms use. */
export interface Attribute extends DeskAttribute {
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly regex?: string;
  readonly unique?: boolean;
  readonly targetField?: string;
  readonly generate?: boolean;
  readonly relation?: string;
  readonly multiple?: boolean;
  readonly allowedTypes?: readonly string[];
  readonly component?: string;
  readonly components?: readonly string[];
  readonly repeatable?: boolean;
}

/** Content type or component: whatever has attributes. */
export interface Part {
  readonly label: string;
  readonly description: string | null;
  readonly title: string;
  readonly attributes: readonly Attribute[];
}

export type Type = DeskType & Part;
export type Component = DeskComponent & Part;

export class Model {
  readonly types: readonly Type[];
  readonly defaultLocale: string;
  readonly locales: readonly string[];
  readonly people: DeskPeople;
  readonly webhooks: DeskModel['webhooks'];
  readonly audit: boolean;
  readonly releases: boolean;
  readonly strictRelations: boolean;
  private readonly byName: ReadonlyMap<string, Type>;
  private readonly byUid: ReadonlyMap<string, Component>;

  constructor(model: DeskModel) {
    this.types = model.types;
    this.people = model.people;
    this.webhooks = model.webhooks;
    this.audit = model.audit;
    this.releases = model.releases;
    this.strictRelations = model.strictRelations;
    this.defaultLocale = model.defaultLocale;
    this.locales = model.locales ?? [model.defaultLocale];
    this.byName = new Map(this.types.map((type) => [type.name, type]));
    this.byUid = new Map((model.components as readonly Component[]).map((one) => [one.uid, one]));
  }

  /** Language of an address: the default one without one that the application has. */
  localeOf(address: URLSearchParams): string {
    const locale = address.get('locale') ?? '';
    return this.locales.includes(locale) ? locale : this.defaultLocale;
  }

  type(name: string): Type | null {
    return this.byName.get(name) ?? null;
  }

  /** Label of a component that may be unknown. */
  componentLabel(uid: string): string {
    return this.component(uid)?.label ?? uid;
  }

  component(uid: string): Component | null {
    return this.byUid.get(uid) ?? null;
  }

  /** Types with a page of their own, in the order of the menu. */
  get listed(): readonly Type[] {
    return this.types.filter(({ hidden, route, verbs }) => !hidden && route !== null && 'find' in verbs);
  }

  /** Types whose documents the editor may create, even without a list of them. */
  get creatable(): readonly Type[] {
    return this.types.filter(
      ({ hidden, route, kind, verbs }) =>
        !hidden && route !== null && kind === 'collectionType' && 'create' in verbs,
    );
  }
}

const TO_ONE = ['oneToOne', 'manyToOne', 'morphToOne', 'morphOne'];

/** Form of a value: as it is, links to documents, or items with attributes of their own. */
export type Kind = 'value' | 'links' | 'item' | 'items';

export function kindOf({ type, repeatable }: Attribute): Kind {
  if (type === 'relation' || type === 'media') return 'links';
  if (type === 'dynamiczone') return 'items';
  if (type === 'component') return repeatable === true ? 'items' : 'item';
  return 'value';
}

/** Whether values are times with their day. */
export const isInstant = ({ type }: Attribute): boolean => type === 'datetime' || type === 'timestamp';

export const isToOne = ({ type, relation, multiple }: Attribute): boolean =>
  type === 'media' ? multiple !== true : TO_ONE.includes(relation ?? '');

/** Name of a value of an enumeration; the value itself without one. */
export const valueLabel = ({ values = {} }: Attribute, value: string): string =>
  (Object.hasOwn(values, value) ? values[value] : undefined) ?? value;

/** Values of an enumeration with their names, for a select. */
export const choicesOf = (attribute: Attribute): { readonly value: string; readonly label: string }[] =>
  (attribute.enum ?? []).map((value) => ({ value, label: valueLabel(attribute, value) }));

/** Whether a published document needs the component, or at least one entry of the list. */
export const needsEntries = (attribute: Attribute): boolean =>
  attribute.required && (kindOf(attribute) === 'item' || Number(attribute.min ?? 0) > 0);

export const isMorph = ({ relation }: Attribute): boolean =>
  relation === 'morphToOne' || relation === 'morphToMany';

export const isReadable = ({ actions }: Attribute): boolean =>
  actions.includes('find') || actions.includes('findOne');

/** Whether the editor may change the attribute in a new document, or in a stored one. */
export const isWritable = ({ actions }: Attribute, isNew: boolean): boolean =>
  actions.includes(isNew ? 'create' : 'update');

export function componentsOf({ type, component, components }: Attribute): readonly string[] {
  if (type === 'dynamiczone') return components ?? [];
  return component === undefined ? [] : [component];
}

/** Attribute that the bar above the form shows, in a type with stages. */
export const STAGE = 'stage';

/** Attributes that the form of a type or component shows. */
export const fieldsOf = (part: Part & { readonly stages?: Type['stages'] }): readonly Attribute[] =>
  part.attributes.filter(({ name }) => name !== STAGE || (part.stages ?? null) === null);

/** Whether the editor may open a document of the type. */
export const mayOpen = ({ kind, verbs }: Pick<Type, 'kind' | 'verbs'>): boolean =>
  (kind === 'singleType' ? 'find' : 'findOne') in verbs;

/** Whether the editor may add documents of the type to releases. */
export const mayRelease = (type: Type, { releases }: Pick<Model, 'releases'>): boolean =>
  releases && hasDrafts(type) && 'publish' in type.verbs;

/** Whether the editor works on drafts of the type, which needs the right to read them. */
export const hasDrafts = ({ draftAndPublish, verbs }: Type): boolean =>
  draftAndPublish && 'readDrafts' in verbs;
