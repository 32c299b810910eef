/** Which links a write changes, copies or leaves alone. */
import { type LinkChange, type LinkCopy, type LinksRequest } from '../compile/compile-links.js';
import { referencesOf } from '../plan/relation-input.js';
import type { Settled } from '../plan/settle.js';
import type { RelationAttribute } from '../schema/model.js';
import type { VersionRow, Versions, WriteRequest } from './load.js';

/** Which rows' links a relation's new list belongs to. */
function ownersOf(attribute: RelationAttribute, request: WriteRequest, touched: readonly VersionRow[]): number[] {
  const shared = request.type.localized && !attribute.localized;
  return touched.filter((row) => shared || !request.type.localized || row.locale === request.locale).map(({ id }) => id);
}

/** The links of a write, once the rows are known that they belong to. */
export function linksRequest(request: WriteRequest, documentId: string, { versions, result, touched }: Linking): LinksRequest {
  const { type } = request;
  const inserted = touched === 'inserted';
  const changes = [...result.lists].map(([attribute, targets]): LinkChange => ({
    attribute,
    targets,
    owners: inserted ? 'inserted' : ownersOf(attribute, request, touched),
  }));
  return { type, documentId, draftsOnly: type.draftAndPublish && !request.publish, changes, copies: inserted ? [] : copiesOf(request, { versions, result, touched }) };
}

/** What decides about links: what was there, what is wanted, and the rows written. */
export interface Linking {
  readonly versions: Versions;
  readonly result: Settled;
  readonly touched: readonly VersionRow[] | 'inserted';
}

/** Links that published rows and new locales take over as they are. */
function copiesOf(request: WriteRequest, { versions, result, touched }: Linking & { readonly touched: readonly VersionRow[] }): LinkCopy[] {
  const { type } = request;
  const own = touched.find((row) => row.published === !type.draftAndPublish && (!type.localized || row.locale === request.locale));
  const source = versions.own ?? versions.base;
  return [...type.attributes.values()].flatMap((attribute): LinkCopy[] => {
    if (attribute.kind !== 'relation' || attribute.join.kind !== 'link' || result.lists.has(attribute)) return [];
    if (source === undefined || (versions.own === undefined && attribute.localized)) return [];
    const to = ownersOf(attribute, request, touched).filter((id) => id !== source.id && (id !== own?.id || versions.own === undefined) && isCopied(id, touched, versions));
    return [{ attribute, from: source.id, to }];
  });
}

/**
 * The rows that an update will touch, when all of them exist already; undefined when one will be inserted. Links can
 * then go into the same statement, unless they change rows of the document's own table, which the statement changes too.
 */
export function foreseen(request: WriteRequest, versions: Versions, result: Settled): readonly VersionRow[] | undefined {
  const { type, publish } = request;
  if (versions.own === undefined || (publish && versions.published === undefined)) return undefined;
  const entangled = [...result.lists.keys()].some(({ target, join }) => target === type && join.kind === 'inverseColumn');
  return entangled ? undefined : versions.all.filter((row) => (row.published ? publish : true));
}

/** Published rows always take the draft's links; drafts only when they are new. */
const isCopied = (id: number, touched: readonly VersionRow[], versions: Versions): boolean =>
  touched.some((row) => row.id === id && row.published) || !versions.all.some((row) => row.id === id);

/** Documents whose rows a write may change beside its own: those it takes from others, and those of inverse sides. */
export function contendedDocuments({ type, documentId, body }: WriteRequest): string[] {
  const named = [...body.values.values()].flatMap((given) => {
    if (given.kind !== 'relation') return [];
    const { attribute, input } = given;
    const touches = attribute.exclusive || attribute.join.kind === 'inverseColumn' || attribute.join.kind === 'inverseLink';
    return touches ? referencesOf(input).map((reference) => `${attribute.target.table}:${'id' in reference ? reference.id : reference.documentId}`) : [];
  });
  return named.length === 0 ? [] : [...new Set([...named, `${type.table}:${documentId ?? ''}`])];
}
