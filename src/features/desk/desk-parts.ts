/** Attributes, titles and components of the description for the desk. */
import { attributeShape, displayName, type ModelReader } from '../../content/http/model-shapes.js';
import { AUTHORS, isAuthor } from '../../content/model/authors.js';
import { ALWAYS_LISTED, type DeskText, textIn } from '../../content/model/layout.js';
import { STAGE } from '../../content/model/stage-definition.js';
import type { Attribute, Component, ContentType, LinkedAttribute, Model } from '../../content/model/model.js';
import { linkable, writableOf } from '../../content/openapi/inputs.js';
import { mayKnow, rightsOf, type Rights } from '../../content/plan/rights.js';
import { writeRightsOf, type WriteRights } from '../../content/plan/write-rights.js';
import type { DeskAttribute, DeskComponent } from './desk-model.js';

/** Caller whose description is made, and the language of its texts. */
export interface Reader extends ModelReader {
  readonly language: string;
}
export type AllowedAttributes = readonly Attribute[];
type UsedAction = DeskAttribute['actions'][number];

/** Attributes that an action may read or write. */
export interface Use {
  readonly action: UsedAction;
  readonly attributes: AllowedAttributes;
}

export type Actions = ReadonlyMap<Model, readonly Use[]>;

/** Options of attributes that concern stored data only. */
const STORAGE_OPTIONS = [
  'previousName',
  'convert',
  'archived',
  'writable',
  'target',
  'targets',
  'type',
  'required',
];

/** Scalar types that fit into a column of a list. */
const TITLES = ['string', 'uid', 'email', 'text', 'enumeration'];
const COLUMNS = [
  ...TITLES,
  'integer',
  'biginteger',
  'float',
  'decimal',
  'boolean',
  'date',
  'datetime',
  'time',
];
const MORE_COLUMNS = 3;

/** Name of the attribute with the stage, in the languages of the desk. */
const STAGE_LABEL: DeskText = { en: 'Stage', de: 'Stufe' };

/** Formats `firstName` as `First name`. */
const labelOf = (name: string): string =>
  displayName(
    name.replace(
      /([a-z0-9])([A-Z])/g,
      (_all, before: string, next: string) => `${before} ${next.toLowerCase()}`,
    ),
  );

const isRead = (action: UsedAction): boolean => action === 'find' || action === 'findOne';

export class DeskParts {
  private readonly uses: Map<Model, readonly Use[]>;
  private readonly inside: Rights;
  private readonly links: WriteRights;

  constructor(
    types: Actions,
    private readonly reader: Reader,
  ) {
    const { caller, limits, schema } = reader;
    this.uses = new Map(types);
    this.inside = rightsOf(caller, { fields: null, published: true }, limits);
    // The references that a body may contain depend on the caller and the relation only.
    this.links = writeRightsOf(caller, { type: schema.file, action: 'update', published: true });
    for (const uses of types.values()) for (const use of uses) this.reach(use);
  }

  /** Adds the components inside the attributes of an action, each with the attributes that it may use. */
  private reach({ action, attributes }: Use): void {
    for (const component of attributes.flatMap((one) => ('components' in one ? one.components : []))) {
      const known = this.uses.get(component) ?? [];
      if (known.some((use) => use.action === action)) continue;
      const use = { action, attributes: this.usable(component, action) };
      this.uses.set(component, [...known, use]);
      this.reach(use);
    }
  }

  private usable(component: Component, action: UsedAction): AllowedAttributes {
    if (!isRead(action)) return writableOf(component, { rights: this.links });
    return [...component.attributes.values()].filter((one) => mayKnow(this.inside, component, one));
  }

  private actionsOn(model: Model, attribute: Attribute): UsedAction[] {
    return (this.uses.get(model) ?? [])
      .filter(({ attributes }) => attributes.includes(attribute))
      .map(({ action }) => action);
  }

  private shownNames(model: Model, types: readonly string[]): string[] {
    return [...model.attributes.values()]
      .filter((one) => one.kind === 'scalar' && !one.open && types.includes(one.def.type))
      .filter((one) => this.isShown(model, one.name))
      .map(({ name }) => name);
  }

  /** Whether pages show an attribute. Without permission to read, forms show the written attributes. */
  private isShown(model: Model, name: string): boolean {
    const hasReads = (this.uses.get(model) ?? []).some(
      ({ action, attributes }) => isRead(action) && attributes.length > 0,
    );
    const attribute = model.attributes.get(name);
    if (hasReads || attribute === undefined) return this.isRead(model, name);
    return this.actionsOn(model, attribute).length > 0;
  }

  isRead(model: Model, name: string): boolean {
    const attribute = model.attributes.get(name);
    return attribute !== undefined && this.actionsOn(model, attribute).some(isRead);
  }

  private titleOf(model: Model): string {
    const { title } = model.layout;
    if (title !== undefined && this.isShown(model, title)) return title;
    return this.shownNames(model, TITLES)[0] ?? 'documentId';
  }

  listOf(type: ContentType): readonly string[] {
    const always: readonly string[] = ALWAYS_LISTED;
    const { list } = type.layout;
    if (list !== undefined) return list.filter((name) => always.includes(name) || this.isRead(type, name));
    const title = this.titleOf(type);
    const staged = type.stages !== null && this.isRead(type, STAGE) ? [STAGE] : [];
    const more = this.shownNames(type, COLUMNS).filter((name) => name !== title && !staged.includes(name));
    return [title, ...staged, ...more.slice(0, MORE_COLUMNS)];
  }

  /** Names of the authors that the caller may read. */
  authorsOf(type: ContentType): readonly string[] {
    return AUTHORS.filter((name) => this.isRead(type, name));
  }

  /** Attribute by which the caller may sort the list; null for none. */
  orderOf(type: ContentType): string | null {
    const { order } = type.layout;
    const attribute = type.attributes.get(order ?? '');
    return attribute !== undefined && this.actionsOn(type, attribute).includes('find')
      ? attribute.name
      : null;
  }

  of(model: Model): Omit<DeskComponent, 'uid'> {
    const { label, group, description } = model.layout;
    const name = model.model === 'type' ? model.singularApiId : (model.uid.split('.')[1] ?? '');
    return {
      label: this.text(label) ?? displayName(name),
      group: this.text(group),
      description: this.text(description),
      title: this.titleOf(model),
      attributes: [...model.attributes.values()]
        .filter((one) => !isAuthor(one))
        .flatMap((one) => this.attribute(one, model)),
    };
  }

  /** Name of a type in menus and over lists, such as `Blog posts`. */
  listLabelOf(type: ContentType): string {
    const { label, plural } = type.layout;
    if (type.kind === 'singleType') return this.text(label) ?? displayName(type.singularApiId);
    return this.text(plural) ?? displayName(type.pluralApiId);
  }

  private text(text: DeskText | undefined): string | null {
    return text === undefined ? null : textIn(text, this.reader.language);
  }

  /** Layout of an attribute with its texts in the language of the reader. */
  private laid({ def: { desk = {} } }: Attribute): Partial<DeskAttribute> {
    const { label, description, placeholder, values, ...rest } = desk;
    const texts = Object.entries({ label, description, placeholder }).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, textIn(text, this.reader.language)] as const],
    );
    return { ...rest, ...Object.fromEntries(texts), ...(values === undefined ? {} : this.named(values)) };
  }

  /** Names of the values of an enumeration. */
  private named(values: Readonly<Record<string, DeskText>>): Pick<DeskAttribute, 'values'> {
    const { language } = this.reader;
    const texts = Object.entries(values).map(([value, text]) => [value, textIn(text, language)] as const);
    return { values: Object.fromEntries(texts) };
  }

  /** Name of an attribute that the library adds to a type. */
  private ownLabel({ name }: Attribute, model: Model): string | null {
    const isStage = model.model === 'type' && model.stages !== null && name === STAGE;
    return isStage ? this.text(STAGE_LABEL) : null;
  }

  private attribute(attribute: Attribute, model: Model): DeskAttribute[] {
    const actions = this.actionsOn(model, attribute);
    if (attribute.open || actions.length === 0) return [];
    const shape = Object.entries(attributeShape(attribute, model, this.reader));
    const { name, required, localized, def } = attribute;
    return [
      {
        name,
        type: def.type,
        label: this.ownLabel(attribute, model) ?? labelOf(name),
        ...this.laid(attribute),
        required,
        localized,
        actions,
        ...Object.fromEntries(shape.filter(([key]) => !STORAGE_OPTIONS.includes(key))),
        ...(attribute.linked ? this.targetsOf(attribute, actions) : {}),
      },
    ];
  }

  /** Types that the caller sees in a relation, and those that it may link. */
  private targetsOf(
    attribute: LinkedAttribute,
    actions: readonly UsedAction[],
  ): Pick<DeskAttribute, 'targets' | 'linkable' | 'isInverse'> {
    const read = attribute.targets.filter((type) => this.inside.mayEnter(attribute, type));
    const written = actions.every(isRead) ? [] : linkable(attribute, this.links).types;
    const names = (types: readonly ContentType[]): string[] =>
      types.map(({ singularApiId }) => singularApiId);
    const isInverse = 'mappedBy' in attribute.def && attribute.def.mappedBy !== undefined;
    return {
      targets: names([...new Set([...read, ...written])]),
      linkable: names(written),
      ...(isInverse ? { isInverse } : {}),
    };
  }

  components(): readonly DeskComponent[] {
    return [...this.reader.schema.components.values()]
      .filter((component) => this.uses.has(component))
      .map((component) => ({ uid: component.uid, ...this.of(component) }));
  }
}
