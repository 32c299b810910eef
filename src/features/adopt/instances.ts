/** Instances of components in a version, with their links. */
import type { Attribute, Component } from '../../content/model/model.js';
import { isObject, ownValue } from '../../kernel/json.js';
import { convertValue } from './convert-value.js';
import { REMARKS } from './document-remarks.js';
import { documentIdOf } from './document-ids.js';
import { hasFormerAddress } from './former-addresses.js';
import { isKeptId } from './kept-ids.js';
import type { LinkLists } from './link-lists.js';
import { textOf } from './source-schema.js';
import { instancesIn, type SourceInstance } from './source-types.js';
import { type Building, type DocumentNotes, placeOf, type Version } from './version.js';

type Values = Record<string, unknown>;

const OF_EVERY_INSTANCE: readonly string[] = ['id', 'documentId', '__component'];

/** Value of an attribute of the source, and the type or component that has it. */
interface Given {
  readonly uid: string;
  readonly given: unknown;
}

type Embedded = Attribute & { readonly components: readonly Component[] };

/** Returns a value without the ids of instances, which differ between versions of the same content. */
function withoutIds(attribute: Attribute, value: unknown): unknown {
  if (!('components' in attribute)) return value;
  if (Array.isArray(value)) return value.map((one) => withoutIds(attribute, one));
  if (!isObject(value)) return value;
  const { id: _id, documentId: _document, ...rest } = value;
  const named = attribute.components.find(({ uid }) => uid === rest['__component']);
  const { attributes } = named ?? attribute.components[0] ?? {};
  const members = Object.entries(rest).map(([name, one]): [string, unknown] => {
    const inner = attributes?.get(name);
    return [name, inner === undefined ? one : withoutIds(inner, one)];
  });
  return Object.fromEntries(members);
}

/** Whether two values of an attribute are the same content. */
export const isSame = (attribute: Attribute, one: unknown, other: unknown): boolean =>
  JSON.stringify(withoutIds(attribute, one)) === JSON.stringify(withoutIds(attribute, other));

export class Instances {
  constructor(
    private readonly building: Building,
    private readonly links: LinkLists,
    private readonly notes: DocumentNotes,
  ) {}

  /** Returns the stored value of a component or zone; null if it is empty. */
  stored(attribute: Embedded, given: Given, version: Version): unknown {
    const list = this.list(attribute, given, version);
    if (list.length === 0) return null;
    if ('many' in attribute && attribute.many) return list;
    const text = 'Further instances of a component that is not repeatable: the first one stays';
    if (list.length > 1) this.notes.say('none', [attribute.name, text], version.row);
    return list[0];
  }

  private list(attribute: Embedded, { uid, given }: Given, version: Version): readonly Values[] {
    const { types } = this.building;
    const source = types.source(uid)?.attributes[types.nameInSource(uid, attribute.name)];
    if (source === undefined) return [];
    const others = [given].flat().filter((one) => (one ?? null) !== null && !isObject(one));
    if (others.length > 0)
      this.notes.say('none', [attribute.name, 'Values that are not instances of a component'], version.row);
    const seen = new Set<number>();
    return instancesIn(source, given).flatMap((one) => {
      const component = types.component(one.uid);
      if (component === undefined || !attribute.components.includes(component)) {
        const text = `Instances of "${one.uid}", which the attribute does not allow`;
        this.notes.say('none', [attribute.name, text], version.row);
        return [];
      }
      const isNamed = 'named' in attribute && attribute.named;
      const id = isKeptId(one.id) && (isNamed || !seen.has(one.id)) ? one.id : this.building.newId('');
      seen.add(id);
      const values: Values = { id, documentId: documentIdOf(one.uid, id) };
      if (isNamed) values['__component'] = component.uid;
      for (const inner of component.attributes.values()) {
        if (inner.system) continue;
        const value = this.member(inner, one, version);
        if (value !== null && value !== undefined) values[inner.name] = value;
      }
      this.reportUnknownValues(one, version);
      return [values];
    });
  }

  private reportUnknownValues({ uid, values }: SourceInstance, { row }: Version): void {
    const { types } = this.building;
    for (const name of Object.keys(values).filter((one) => !OF_EVERY_INSTANCE.includes(one)))
      if ((values[name] ?? null) !== null && types.attribute(uid, name) === undefined)
        this.notes.say('none', [`${uid}.${name}`, REMARKS.unknownValue], row);
  }

  private member(attribute: Attribute, { uid, id, values }: SourceInstance, version: Version): unknown {
    const { types } = this.building;
    const given = ownValue(values, types.nameInSource(uid, attribute.name));
    if (attribute.linked) {
      const keys = this.links.at(version, attribute, placeOf(uid, id, attribute.name)).map(({ key }) => key);
      if (!attribute.many) return keys[0];
      return keys.length === 0 ? null : keys;
    }
    if ('components' in attribute) return this.stored(attribute, { uid, given }, version);
    const at = `${uid}.${attribute.name}`;
    if (attribute.def.type === 'password') {
      if (textOf(given) !== '')
        this.notes.say('none', [at, 'Passwords in components are not moved'], version.row);
      return null;
    }
    const { value, problem } = convertValue(attribute, given, !version.published);
    if (problem !== null) this.notes.say(value === null ? 'none' : 'changed', [at, problem], version.row);
    if (hasFormerAddress(value, this.building.fileNames))
      this.notes.say('changed', [at, REMARKS.formerAddress], version.row);
    return value;
  }
}
