/** Lists of links of a version: ordered, each target once. */
import type { LinkedAttribute } from '../../content/model/model.js';
import { keyOf } from '../../content/plan/target-key.js';
import { REMARKS } from './document-remarks.js';
import type { SourceLink, SourceRow } from './sorted-parts.js';
import type { SourceTypes } from './source-types.js';
import { type DocumentNotes, placeOf, type Version } from './version.js';

/** Link with the text form and the type of its target. */
export interface ListedLink extends SourceLink {
  readonly key: string;
  readonly type: string;
}

const byPosition = (a: SourceLink, b: SourceLink): number => {
  const [first, second] = [a.position ?? Infinity, b.position ?? Infinity];
  return first === second ? a.n - b.n : first - second;
};

export class LinkLists {
  constructor(
    private readonly uid: string,
    private readonly types: SourceTypes,
    private readonly notes: DocumentNotes,
  ) {}

  /** Returns the links of an attribute of the version. */
  of(version: Version, attribute: LinkedAttribute): readonly ListedLink[] {
    return this.at(version, attribute, placeOf(this.uid, version.row.id, attribute.name));
  }

  /** Returns the links of an attribute at a place: the row, or an instance in it. */
  at(version: Version, attribute: LinkedAttribute, place: string): readonly ListedLink[] {
    const links = version.links.get(place) ?? [];
    return links.length === 0 ? [] : this.ordered(attribute, links, version.row);
  }

  /** Returns the links of an attribute in their order, each target once and of an allowed type. */
  private ordered(
    attribute: LinkedAttribute,
    links: readonly SourceLink[],
    row: SourceRow,
  ): readonly ListedLink[] {
    const { types } = this;
    const sorted = [...links].sort(byPosition);
    const found = new Map<string, ListedLink>();
    for (const link of sorted) {
      const type = types.typeOf(link.targetType);
      if (type === undefined || !attribute.targets.includes(type)) {
        const advice = attribute.named ? REMARKS.addTarget : '';
        const text = `Links to ${link.targetType}, which the attribute does not allow${advice}`;
        this.notes.say('none', [link.field, text], row);
        continue;
      }
      const key = keyOf(attribute, type, link.target);
      const other = found.get(key);
      if (other === undefined) found.set(key, { ...link, key, type: type.singularApiId });
      // Over REST, each side of a relation shows its own order only.
      else if (other.inverse === null && link.inverse !== null)
        found.set(key, { ...other, inverse: link.inverse });
      else if (attribute.media)
        this.notes.say(
          'changed',
          [link.field, 'Links of the same file more than once: the first one stays'],
          row,
        );
    }
    const list = [...found.values()];
    if (!attribute.many && list.length > 1)
      this.notes.say(
        'none',
        [attribute.name, 'Further links of a relation to one document: the first one stays'],
        row,
      );
    return attribute.many ? list : list.slice(0, 1);
  }
}
