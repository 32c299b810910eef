/** Links in the stored values that a body replaces. */
import type { Attribute, ContentType } from '../model/model.js';
import { componentOf, type GivenValues } from './given.js';
import { storedList } from './plan-list.js';
import { instancesOf, type StoredValues } from './stored-instances.js';
import { documentIdsOf, isKeyOf } from './target-key.js';

export type LinkedDocuments = ReadonlyMap<ContentType, ReadonlySet<string>>;

function addLinks(attribute: Attribute, values: StoredValues, into: Map<ContentType, Set<string>>): void {
  if ('components' in attribute) {
    for (const item of instancesOf(values[attribute.name]))
      for (const member of componentOf(attribute, item)?.attributes.values() ?? [])
        addLinks(member, item, into);
    return;
  }
  if (!('targets' in attribute)) return;
  const keys = storedList(values, attribute);
  for (const type of attribute.targets) {
    const own = attribute.named ? keys.filter((key) => isKeyOf(type, key)) : keys;
    into.set(type, new Set([...(into.get(type) ?? []), ...documentIdsOf(attribute, own)]));
  }
}

/** Returns the documents, by type, to which relations and component instances link that a body replaces. */
export function replacedLinks(given: GivenValues, stored: readonly StoredValues[]): LinkedDocuments {
  const into = new Map<ContentType, Set<string>>();
  const lists = [...given.relations.values()].filter(({ input }) => input.kind === 'set');
  for (const { attribute } of [...lists, ...given.embedded.values()])
    for (const values of stored) addLinks(attribute, values, into);
  return into;
}
