/** Link changes of a write: replaced lists, and copies between draft and published links. */
import { type Caller, userOf } from '../access/caller.js';
import { ownerTypeOf } from '../model/joins.js';
import type { ContentType, LinkedAttribute } from '../model/model.js';
import type { LoadedState } from './loaded.js';
import type { WriteValues } from './plan-values.js';
import { decideOwners } from './write-rights.js';
import type { LinkChange, LinksStep, LinkTransfer } from './steps.js';
import { documentIdsOf } from './target-key.js';
import { isInOtherLocale, isUnmodified } from './versions.js';
import type { CheckedBody, Restores, WriteTarget } from './write-plan.js';

interface Linking {
  readonly target: WriteTarget;
  readonly caller: Caller;
  readonly restores?: Restores;
  readonly documentId: string;
  readonly loaded: LoadedState;
}

interface LinkedBody extends Linking {
  readonly body: CheckedBody;
  readonly writeValues: WriteValues;
}

function statesOf({ draftAndPublish }: ContentType, publish: boolean): readonly boolean[] {
  if (!draftAndPublish) return [true];
  return publish ? [false, true] : [false];
}

export function linksOfWrite(linking: LinkedBody): LinksStep {
  const { target, loaded, writeValues } = linking;
  const isNew = loaded.versions.own === undefined && loaded.versions.base === undefined;
  const publishes = target.publish && target.type.draftAndPublish && !isNew;
  // A version's own links are part of its revision; links that other documents own are not.
  const isSame = isUnmodified(loaded.versions);
  const isRight = (attribute: LinkedAttribute): boolean =>
    loaded.unlinked.has(attribute) || (isSame && attribute.join.side === 'owning');
  const leftOf = (transfer: LinkTransfer): LinkTransfer[] => {
    const { attribute, locale } = transfer;
    if (!writeValues.lists.has(attribute)) return isRight(attribute) ? [] : [transfer];
    // A body gives the links of one locale, regardless of the document's own locales.
    return locale === null && attribute.join.perLocale ? [{ ...transfer, except: target.linkLocale }] : [];
  };
  return {
    ...about(linking),
    changes: [...writeValues.lists].flatMap(([attribute, targets]) => changesOf(attribute, targets, linking)),
    transfers: publishes ? transfersOf(linking, true).flatMap(leftOf) : [],
  };
}

export function linksOfTransition(linking: Linking, published: boolean): LinksStep {
  const step = about(linking);
  return {
    ...step,
    // Publishing all locales leaves none.
    hasOthers: step.hasOthers && !(published && linking.target.everyLocale),
    changes: [],
    transfers: transfersOf(linking, published),
  };
}

const about = ({
  target,
  documentId,
  loaded,
  caller,
}: Linking): Omit<LinksStep, 'changes' | 'transfers'> => ({
  type: target.type,
  documentId,
  hasOthers: loaded.versions.all.some(isInOtherLocale(loaded.versions.all, target)),
  isNew: loaded.versions.documentId === null,
  isThere: loaded.versions.own !== undefined && (!target.publish || loaded.versions.published !== undefined),
  by: userOf(caller),
});

/** Change of a relation; empty if its other side, in the same body, decides. */
function changesOf(
  attribute: LinkedAttribute,
  targets: readonly string[],
  linking: LinkedBody,
): LinkChange[] {
  const { target, documentId } = linking;
  const { type, linkLocale, publish } = target;
  const isOwning = attribute.join.side !== 'inverse';
  const change = {
    attribute,
    locale: linkLocale,
    states: statesOf(isOwning ? type : ownerTypeOf(attribute), publish),
  };
  if (isOwning) return [{ ...change, targets, untouched: [] }];
  const untouched = othersOf(attribute, linking);
  const own = ownSideOf(attribute, linking);
  if (own === undefined) return [{ ...change, targets, untouched }];
  // If a body sets both sides of a relation, the owning side decides about a document's link to itself (D22).
  if (!own.includes(documentId))
    return [{ ...change, targets: targets.filter((id) => id !== documentId), untouched }];
  if (!attribute.many) return [];
  const isListed = targets.includes(documentId);
  return [{ ...change, targets, untouched: isListed ? untouched : [...untouched, documentId] }];
}

/** Document ids on the owning side, if a body sets both sides of a relation to the same type. */
function ownSideOf(
  { join: way }: LinkedAttribute,
  { writeValues }: LinkedBody,
): readonly string[] | undefined {
  const isOwn = ({ join }: LinkedAttribute): boolean => join.side === 'owning' && join.name === way.name;
  const own = [...writeValues.lists].find(([attribute]) => isOwn(attribute));
  return own === undefined ? undefined : documentIdsOf(...own);
}

/** Documents of other owners, whose links must stay unchanged (D26). */
function othersOf(attribute: LinkedAttribute, { body, loaded }: LinkedBody): readonly string[] {
  const scope = body.values.relations.get(attribute.name)?.scope.targets ?? 'all';
  if (scope === 'all') return [];
  return loaded.targets.get(ownerTypeOf(attribute))?.others ?? [];
}

/**
 * Locales whose versions a transition copies: those with a draft, or those with a published version. Null for
 * a type without locales.
 */
function copiedLocales({ target, loaded }: Linking, published: boolean): LinkTransfer['locale'] {
  const { type, locale, everyLocale } = target;
  if (!type.localized) return null;
  if (!everyLocale) return locale;
  return loaded.versions.all.filter((version) => version.published !== published).map((one) => one.locale);
}

/**
 * Links that a transition copies (D22): links of the document, and links on its inverse sides. The latter
 * need owners with drafts that the caller may update. The undo of a release copies none: it writes the former
 * links of the document itself. Those on its inverse sides stay (27.13).
 */
function transfersOf(linking: Linking, published: boolean): LinkTransfer[] {
  const { target, caller, restores = null } = linking;
  if (restores === 'published') return [];
  const { type } = target;
  const transfer = { published, locale: copiedLocales(linking, published), except: null };
  const own = type.storage.owning.map((attribute): LinkTransfer => ({
    ...transfer,
    attribute,
    owners: 'all',
  }));
  const inverse = type.storage.relations
    .filter((attribute) => attribute.join.side === 'inverse' && ownerTypeOf(attribute).draftAndPublish)
    .flatMap((attribute): LinkTransfer[] => {
      const owners = decideOwners(caller, attribute, published);
      return owners === 'none' ? [] : [{ ...transfer, attribute, owners }];
    });
  return [...own, ...inverse];
}
