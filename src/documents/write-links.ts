/** Which links a write changes, copies or leaves alone. */
import type { LinkChange, LinkCopy, LinksRequest, Takeover } from '../compile/compile-links.js';
import type { Settled } from '../plan/settle.js';
import type { ContentType, RelationAttribute } from '../schema/model.js';
import type { Loaded, VersionRow, Versions, WriteRequest } from './load.js';

/** Which rows' links a relation's new list belongs to. */
function ownersOf(
  attribute: RelationAttribute,
  request: WriteRequest,
  touched: readonly VersionRow[],
): number[] {
  const shared = request.type.localized && !attribute.localized;
  return touched
    .filter((row) => shared || !request.type.localized || row.locale === request.locale)
    .map(({ id }) => id);
}

/** The links of a write, once the rows are known that they belong to. */
export function linksRequest(
  request: WriteRequest,
  documentId: string,
  { versions, result, targets: found, touched }: Linking,
): LinksRequest {
  const { type } = request;
  const inserted = touched === 'inserted';
  const changes = [...result.lists].map(([attribute, targets]): LinkChange => ({
    attribute,
    targets,
    untouched: othersOf(attribute, request, found),
    owners: inserted ? 'inserted' : ownersOf(attribute, request, touched),
  }));
  return {
    type,
    documentId,
    locale: request.locale,
    draftsOnly: type.draftAndPublish && !request.publish,
    changes,
    copies: inserted ? [] : copiesOf(request, { versions, result, touched, targets: found }),
    takeovers: takeoversOf(request, versions, result),
  };
}

/** Documents of others whose links a relation must leave as they are (D26). */
function othersOf(
  attribute: RelationAttribute,
  { body }: WriteRequest,
  targets: Loaded['targets'],
): readonly string[] {
  const given = body.values.get(attribute.name);
  if (given?.kind !== 'relation' || !given.scope.ownOnly) return [];
  return targets.get(attribute.target)?.others ?? [];
}

/**
 * Publishing copies the draft's one-to-one targets, which other documents may hold in their published
 * versions.
 */
function takeoversOf({ type, publish }: WriteRequest, { own }: Versions, result: Settled): Takeover[] {
  if (own === undefined || !publish || !type.draftAndPublish) return [];
  return exclusiveColumns(type).flatMap((attribute) =>
    result.lists.has(attribute) ? [] : [{ attribute, from: own.id, published: true }],
  );
}

/** The one-to-one relations that a type holds in columns. */
export const exclusiveColumns = (type: ContentType): RelationAttribute[] =>
  [...type.attributes.values()]
    .filter((attribute) => attribute.kind === 'relation')
    .filter(({ exclusive, join }) => exclusive && join.kind === 'column');

/** What decides about links: what was there, what is wanted, and the rows written. */
export interface Linking {
  readonly versions: Versions;
  readonly result: Settled;
  readonly targets: Loaded['targets'];
  readonly touched: readonly VersionRow[] | 'inserted';
}

/** Links that published rows and new locales take over as they are. */
function copiesOf(
  request: WriteRequest,
  { versions, result, touched }: Linking & { readonly touched: readonly VersionRow[] },
): LinkCopy[] {
  const { type } = request;
  const own = touched.find(
    (row) => row.published === !type.draftAndPublish && (!type.localized || row.locale === request.locale),
  );
  const source = versions.own ?? versions.base;
  return [...type.attributes.values()].flatMap((attribute): LinkCopy[] => {
    if (attribute.kind !== 'relation' || attribute.join.kind !== 'link' || result.lists.has(attribute))
      return [];
    if (source === undefined || (versions.own === undefined && attribute.localized)) return [];
    const to = ownersOf(attribute, request, touched).filter(
      (id) =>
        id !== source.id && (id !== own?.id || versions.own === undefined) && isCopied(id, touched, versions),
    );
    return [{ attribute, from: source.id, to }];
  });
}

/**
 * The rows that an update will touch, when all of them exist already; undefined when one will be inserted.
 */
export function foreseen({ publish }: WriteRequest, versions: Versions): readonly VersionRow[] | undefined {
  if (versions.own === undefined || (publish && versions.published === undefined)) return undefined;
  return versions.all.filter((row) => (row.published ? publish : true));
}

/**
 * Splits off the other sides of relations of a type with itself: they write rows that the document's own side
 * may write too, which one statement cannot do twice.
 */
export function inTurn(request: LinksRequest): readonly [LinksRequest, LinksRequest] {
  const second = request.changes.filter(
    ({ attribute: { join, target } }) =>
      target === request.type && (join.kind === 'inverseColumn' || join.kind === 'inverseLink'),
  );
  const first = request.changes.filter((change) => !second.includes(change));
  return [
    { ...request, changes: first },
    { ...request, changes: second, copies: [], takeovers: [] },
  ];
}

/** Published rows always take the draft's links; drafts only when they are new. */
const isCopied = (id: number, touched: readonly VersionRow[], versions: Versions): boolean =>
  touched.some((row) => row.id === id && row.published) || !versions.all.some((row) => row.id === id);
