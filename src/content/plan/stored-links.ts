/** Links in the stored values that a body replaces. */
import { byKind } from '../model/by-kind.js';
import type { Attribute, ContentType, EmbeddedAttribute, LinkedAttribute } from '../model/model.js';
import { componentOf, type GivenValues } from './given.js';
import { storedList } from './plan-list.js';
import { instancesOf, type StoredValues } from './stored-instances.js';
import { documentIdsOf, isKeyOf } from './target-key.js';

export type LinkedDocuments = ReadonlyMap<ContentType, ReadonlySet<string>>;
type Links = Map<ContentType, Set<string>>;

function addTargets(attribute: LinkedAttribute, values: StoredValues, into: Links): void {
  const keys = storedList(values, attribute);
  for (const type of attribute.targets) {
    const documents = into.get(type) ?? new Set();
    const own = attribute.named ? keys.filter((key) => isKeyOf(type, key)) : keys;
    for (const documentId of documentIdsOf(attribute, own)) documents.add(documentId);
    into.set(type, documents);
  }
}

function addEmbedded(attribute: EmbeddedAttribute, values: StoredValues, into: Links): void {
  for (const item of instancesOf(values[attribute.name])) {
    const members = componentOf(attribute, item)?.attributes.values() ?? [];
    for (const member of members) addLinks(member, item, into);
  }
}

const addLinks = byKind<Attribute, [StoredValues, Links], void>({
  scalar: () => undefined,
  relation: addTargets,
  morph: addTargets,
  component: addEmbedded,
  zone: addEmbedded,
});

/** Returns the documents, by type, to which relations and component instances link that a body replaces. */
export function replacedLinks(given: GivenValues, stored: readonly StoredValues[]): LinkedDocuments {
  const into: Links = new Map();
  const lists = [...given.relations.values()].filter(({ input }) => input.kind === 'set');
  for (const { attribute } of [...lists, ...given.embedded.values()])
    for (const values of stored) addLinks(attribute, values, into);
  return into;
}
