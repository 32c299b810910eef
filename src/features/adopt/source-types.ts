/** Types and components of the source with their counterparts in the running model. */
import { archivedTypes, type ArchivedType } from '../../content/model/archive.js';
import type { Attribute, Component, ContentType, Model, Schema } from '../../content/model/model.js';
import { ownValue } from '../../kernel/json.js';
import type { Adopted } from './definitions-of.js';
import { BUILT_IN, FILE_UID } from './names.js';
import { objectOf, type SourceModel, textOf } from './source-schema.js';
import type { StrapiObject } from './strapi-archive.js';

/** Type of the source whose rows are moved. */
export interface MovedType {
  readonly uid: string;
  /** Null for files and roles, whose attributes have the same names. */
  readonly source: SourceModel | null;
  readonly archived: ArchivedType;
  /** Position of the type in the archive, as text of a fixed length. */
  readonly order: string;
}

/** Instance of a component in a row: the component of the source, and the values. */
export interface SourceInstance {
  readonly uid: string;
  readonly id: number | string;
  readonly values: StrapiObject;
}

/** Whether an attribute becomes media, whose links its own type owns. */
export const isOfFiles = (attribute: StrapiObject | undefined): boolean => attribute?.['target'] === FILE_UID;

export class SourceTypes {
  private readonly moved = new Map<string, MovedType>();
  private readonly byName = new Map<string, MovedType>();

  constructor(
    readonly adopted: Adopted,
    readonly schema: Schema,
  ) {
    const archived = archivedTypes(schema.types);
    const nameOf = (uid: string): string | undefined => adopted.names.get(uid)?.name ?? BUILT_IN.get(uid);
    for (const uid of new Set([...adopted.names.keys(), ...BUILT_IN.keys()])) {
      const at = archived.findIndex(({ type }) => type.singularApiId === nameOf(uid));
      const found = archived[at];
      if (found === undefined || adopted.models.get(uid)?.isComponent === true) continue;
      const order = String(at).padStart(4, '0');
      const moved = { uid, source: adopted.models.get(uid) ?? null, archived: found, order };
      this.moved.set(uid, moved);
      this.byName.set(found.type.singularApiId, moved);
    }
  }

  get all(): readonly MovedType[] {
    return [...this.moved.values()].sort((a, b) => (a.order < b.order ? -1 : 1));
  }

  find(uid: string): MovedType | undefined {
    return this.moved.get(uid);
  }

  typeOf(uid: string): ContentType | undefined {
    return this.moved.get(uid)?.archived.type;
  }

  component(uid: string): Component | undefined {
    const name = this.adopted.names.get(uid)?.name;
    const isComponent = this.source(uid)?.isComponent ?? false;
    return isComponent && name !== undefined ? this.schema.components.get(name) : undefined;
  }

  /** Returns the type or component of the running model. */
  model(uid: string): Model | undefined {
    return this.typeOf(uid) ?? this.component(uid);
  }

  /** Returns the attribute of the running model for an attribute of the source. */
  attribute(uid: string, name: string): Attribute | undefined {
    const here = this.adopted.names.get(uid)?.attributes.get(name) ?? name;
    return this.model(uid)?.attributes.get(here);
  }

  /** Returns the name in the source of an attribute here. */
  nameInSource(uid: string, name: string): string {
    for (const [source, here] of this.adopted.names.get(uid)?.attributes ?? [])
      if (here === name) return source;
    return name;
  }

  /** Returns the attribute that shows the files whose `field` names their row; an empty text for none. */
  filesOf(uid: string, field: string): string {
    const all = Object.entries(this.source(uid)?.attributes ?? {});
    return all.find(([, one]) => isOfFiles(one) && one['mappedBy'] === field)?.[0] ?? '';
  }

  source(uid: string): SourceModel | undefined {
    return this.adopted.models.get(uid);
  }

  isFile(uid: string): boolean {
    return uid === FILE_UID;
  }

  /** Yields all instances in the values of a row or an instance, at all depths. */
  *instances(uid: string, values: StrapiObject): Generator<SourceInstance> {
    for (const [name, attribute] of Object.entries(this.source(uid)?.attributes ?? {}))
      for (const one of instancesIn(attribute, ownValue(values, name))) {
        yield one;
        yield* this.instances(one.uid, one.values);
      }
  }
}

/** Returns the instances of an attribute of the source; none if it is not a component or zone. */
export function instancesIn(attribute: StrapiObject, value: unknown): readonly SourceInstance[] {
  const type = textOf(attribute['type']);
  if (type !== 'component' && type !== 'dynamiczone') return [];
  return [value]
    .flat()
    .map((one) => objectOf(one))
    .filter((one) => Object.keys(one).length > 0)
    .map((values) => ({
      uid: type === 'component' ? textOf(attribute['component']) : textOf(values['__component']),
      id: typeof values['id'] === 'number' ? values['id'] : textOf(values['id']),
      values,
    }));
}
