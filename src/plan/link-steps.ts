/** Which links a write changes, copies or leaves alone. */
import type { ContentType, RelationAttribute, StoredLinks } from '../schema/model.js';
import type { Loaded } from './loaded.js';
import type { WriteValues } from './plan-values.js';
import type { LinkChange, LinkCopy, LinksStep, HolderRows, CopiedTarget } from './steps.js';
import type { CheckedBody, WriteTarget } from './write-plan.js';

/** What decides about links: what is written, what was there, and what is wanted. */
export interface Linking {
  readonly target: WriteTarget;
  readonly body: CheckedBody;
  readonly documentId: string;
  readonly loaded: Loaded;
  readonly writeValues: WriteValues;
}

/** Whether the locales of a type have one list of links together. */
const isShared = ({ localized }: RelationAttribute, type: ContentType): boolean =>
  type.localized && !localized;

/** Which rows' links a relation's new list belongs to: of all locales where they share it. */
function holderRowsOf(attribute: RelationAttribute, { type, locale, publish }: WriteTarget): HolderRows {
  const published = type.draftAndPublish && publish ? null : !type.draftAndPublish;
  return { published, locale: isShared(attribute, type) ? null : locale };
}

/** The links of a write. */
export function linksOfWrite(linking: Linking): LinksStep {
  const { target, documentId, loaded, writeValues } = linking;
  const { type, locale, publish } = target;
  const isNew = loaded.versions.own === undefined && loaded.versions.base === undefined;
  const changes = [...writeValues.lists].map(([attribute, targets]): LinkChange => ({
    attribute,
    targets,
    untouched: othersOf(attribute, linking),
    rows: isNew ? 'inserted' : holderRowsOf(attribute, target),
  }));
  return {
    kind: 'links',
    type,
    documentId,
    locale,
    draftsOnly: type.draftAndPublish && !publish,
    changes,
    copies: isNew ? [] : copiesOf(linking),
    reassigned: reassignedBy(linking),
  };
}

/** Documents of others whose links a relation must leave as they are (D26). */
function othersOf(attribute: RelationAttribute, { body, loaded }: Linking): readonly string[] {
  const scope = body.values.relations.get(attribute.name)?.scope.targets ?? 'all';
  if (scope === 'all') return [];
  return loaded.targets.get(attribute.target)?.others ?? [];
}

/**
 * Publishing copies the draft's one-to-one targets, which other documents may hold in their published
 * versions.
 */
function reassignedBy({ target, loaded, writeValues }: Linking): CopiedTarget[] {
  const { type, publish } = target;
  const { own } = loaded.versions;
  if (own === undefined || !publish || !type.draftAndPublish) return [];
  return type.storage.exclusive.flatMap((attribute) =>
    writeValues.lists.has(attribute) ? [] : [{ attribute, from: own.id, published: true }],
  );
}

/** Links that published rows and new locales take over as they are. */
function copiesOf(linking: Linking): LinkCopy[] {
  const { links } = linking.target.type.storage;
  const unchanged = links.filter(({ attribute }) => !linking.writeValues.lists.has(attribute));
  return unchanged.flatMap((stored) => copiesOfRelation(stored, linking));
}

function copiesOfRelation({ attribute, table }: StoredLinks, { target, loaded }: Linking): LinkCopy[] {
  const { type, locale, publish } = target;
  const { own, base } = loaded.versions;
  const shared = isShared(attribute, type);
  const live: HolderRows[] =
    type.draftAndPublish && publish ? [{ published: true, locale: shared ? null : locale }] : [];
  if (own !== undefined) return live.map((to) => ({ links: table, from: own.id, to }));
  // A new locale takes over what it shares.
  if (base === undefined || !shared) return [];
  const fresh = { published: !type.draftAndPublish, locale };
  return [fresh, ...live].map((to) => ({ links: table, from: base.id, to }));
}

/** The links of a draft that takes back those of its published version, the row `from`. */
export const linksOfDiscard = (type: ContentType, from: number, to: Linked): LinksStep => ({
  kind: 'links',
  type,
  ...to,
  draftsOnly: true,
  changes: [],
  copies: type.storage.links.map(({ attribute, table }) => ({
    links: table,
    from,
    to: { published: false, locale: isShared(attribute, type) ? null : to.locale },
  })),
  reassigned: type.storage.exclusive.map((attribute) => ({ attribute, from, published: false })),
});

/** Whose links they are. */
interface Linked {
  readonly documentId: string;
  readonly locale: string;
}

/**
 * Splits off the other sides of relations of a type with itself: they write rows that the document's own side
 * may write too, which one statement cannot do twice.
 */
export function splitByTable(step: LinksStep): readonly [LinksStep, LinksStep] {
  const second = step.changes.filter(
    ({ attribute: { join, target } }) => target === step.type && join.side === 'inverse',
  );
  const first = step.changes.filter((change) => !second.includes(change));
  return [
    { ...step, changes: first },
    { ...step, changes: second, copies: [], reassigned: [] },
  ];
}
