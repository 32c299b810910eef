/** Names of a former server, for the types, components and attributes that a move renamed. */
import type { Attribute, ContentType, Model, Schema } from '../../content/model/model.js';
import { typeUid } from '../../content/model/naming.js';
import { isObject, isRecordOf, isShape, isText, ownValue, type Test } from '../../kernel/json.js';

interface FormerName {
  readonly uid: string;
  readonly route: string;
  /** Names of attributes, by their names here. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Former names by the name of a type or component here, as the report of a move has them. */
type NameRecord = Readonly<Record<string, FormerName>>;

const isName = isShape<FormerName>({ uid: isText, route: isText, attributes: isRecordOf(isText) });
const isNameRecord: Test<NameRecord> = isRecordOf(isName);

const nameOf = (model: Model): string => (model.model === 'type' ? model.singularApiId : model.uid);

/** Returns the name of a type or component in responses of this server. */
const uidOf = (model: Model): string => (model.model === 'type' ? typeUid(model) : model.uid);

const swapped = (record: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(record).map(([here, former]) => [former, here]));

export class FormerNames {
  private readonly record: NameRecord;
  /** Names here of attributes, by model and by former name. */
  private readonly here: ReadonlyMap<string, ReadonlyMap<string, string>>;
  private readonly models: ReadonlyMap<string, Model>;

  constructor({ types, components }: Pick<Schema, 'types' | 'components'>, names: unknown) {
    const record = isNameRecord(names) ? names : {};
    const all: readonly Model[] = [...types.values(), ...components.values()];
    this.record = record;
    this.here = new Map(Object.entries(record).map(([name, { attributes }]) => [name, swapped(attributes)]));
    this.models = new Map(all.map((model) => [this.uid(model), model]));
  }

  route(type: ContentType): string {
    return ownValue(this.record, type.singularApiId)?.route ?? type.route;
  }

  uid(model: Model): string {
    return ownValue(this.record, nameOf(model))?.uid ?? uidOf(model);
  }

  /** Returns the former name of an attribute, as a part of a query. */
  attribute(model: Model, name: string): string {
    const former = ownValue(ownValue(this.record, nameOf(model))?.attributes ?? {}, name);
    return former === undefined ? name : encodeURIComponent(former);
  }

  /** Returns documents or instances of the former server with the names of this one. */
  renamed(value: unknown, model: Model): unknown {
    if (Array.isArray(value)) return value.map((one) => this.renamed(one, model));
    if (!isObject(value)) return value;
    const names = this.here.get(nameOf(model));
    const entries = Object.entries(value).map(([former, one]) => {
      const name = names?.get(former) ?? former;
      return [name, this.inside(one, model.attributes.get(name))] as const;
    });
    return Object.fromEntries(entries);
  }

  private inside(value: unknown, attribute: Attribute | undefined): unknown {
    if (attribute === undefined || !(attribute.linked || 'components' in attribute)) return value;
    if (Array.isArray(value)) return value.map((one) => this.inside(one, attribute));
    if (!isObject(value)) return value;
    const key = attribute.linked ? '__type' : '__component';
    const [only] = attribute.linked ? attribute.targets : attribute.components;
    const model = attribute.named ? this.models.get(String(value[key])) : only;
    if (model === undefined) return value;
    return this.renamed(attribute.named ? { ...value, [key]: uidOf(model) } : value, model);
  }
}
