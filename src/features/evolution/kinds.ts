/** All kinds of changes between two models, one row per kind. */
import {
  conversionGuards,
  conversionSteps,
  filledSteps,
  hashGuards,
  lostMembers,
  memberGuards,
  removalGuards,
  rewrittenSteps,
  sharedGuards,
  sharedSteps,
  singleGuards,
  strayGuards,
} from './attribute-steps.js';
import { columnBackfill, draftsBackfill } from './backfill.js';
import type { Backfill, Guard, Steps } from './change.js';
import { embeddedLinksOf, acceptsAllTargets } from './embedded-links.js';
import { defaultOf } from './instances.js';
import { localeGuards, localeSteps } from './locale-steps.js';
import { isBoth } from './pairs.js';
import { needsNoConversion } from './readings.js';
import { lostLinksGuards, movingGuards, movingSteps, describeMove, splitGuards } from './relation-steps.js';
import {
  type AttributeScope,
  becomesKind,
  isMany,
  isShared,
  type LocaleScope,
  mayRemove,
  type RelationScope,
  scalarsOf,
  type TypeScope,
  namedSide,
} from './scopes.js';
import { hasNewNames, renameAttributesInVersions } from './history-steps.js';
import { keepsStorage } from './table-pairs.js';
import {
  renameTypeSteps,
  lostDraftsGuards,
  deleteTraces,
  removedTypeGuards,
  lostGrantNames,
  renameInGrantsSteps,
  moveToLocaleSteps,
  lostLocalesGuards,
  singleTypeGuards,
  createDraftsSteps,
  reusedTableGuards,
  deleteDraftsSteps,
  mergeLocalesSteps,
} from './type-steps.js';
import { becomesUnique, becomesUniqueTogether, uniqueGuards, uniqueTogetherGuards } from './unique-steps.js';

/** Kind of change: its condition, description, inverse, guards and steps. */
export interface Kind<S> {
  readonly is: (scope: S) => boolean;
  readonly description: (scope: S) => string;
  /** Kind of the change that reverts this one; null if none is needed. */
  readonly undoneBy: string | null;
  readonly guards?: (scope: S) => readonly Guard[];
  readonly steps?: (scope: S) => Steps;
  /** Part of the steps that can run before the migration. */
  readonly backfill?: (scope: S) => Backfill | null;
}

type Kinds<S> = Readonly<Record<string, Kind<S>>>;

/** Kinds by the part of the model that changes. Several kinds may apply to one part. */
export const KINDS: {
  readonly locale: Kinds<LocaleScope>;
  readonly type: Kinds<TypeScope>;
  readonly attribute: Kinds<AttributeScope>;
  readonly relation: Kinds<RelationScope>;
} = {
  locale: {
    'locale removed': {
      is: ({ evolution, locale }) => !evolution.after.locales.includes(locale),
      description: (scope) =>
        mayRemove(scope)
          ? 'is removed together with its versions'
          : 'is removed; its versions can be read and deleted, but not written ' +
            `(set removed: ['${scope.locale}'] to delete them)`,
      undoneBy: null,
      guards: localeGuards,
      steps: localeSteps,
    },
  },
  type: {
    'type added': {
      is: ({ pair }) => pair.before === null,
      description: () => 'is new',
      undoneBy: 'type removed',
      guards: reusedTableGuards,
    },
    'type removed': {
      is: ({ pair }) => pair.after === null,
      description: () => 'is removed',
      undoneBy: 'type added',
      guards: removedTypeGuards,
      steps: deleteTraces,
    },
    'type renamed': {
      is: ({ pair }) => isBoth(pair) && pair.before.singularApiId !== pair.after.singularApiId,
      description: ({ pair }) => `is renamed from ${pair.before?.singularApiId ?? ''}`,
      undoneBy: 'type renamed',
      steps: renameTypeSteps,
    },
    'grants narrowed to other names': {
      is: (scope) => isBoth(scope.pair) && lostGrantNames(scope).length > 0,
      description: (scope) =>
        `has its grants on ${lostGrantNames(scope).join(', ')} changed to the new names, or removed`,
      undoneBy: null,
      steps: renameInGrantsSteps,
    },
    'versions under new names': {
      is: hasNewNames,
      description: () => 'has its stored versions changed to the new names',
      undoneBy: 'versions under new names',
      steps: renameAttributesInVersions,
    },
    'table renamed': {
      is: ({ pair }) => isBoth(pair) && pair.before.table !== pair.after.table,
      description: ({ pair }) => `has its table renamed from ${pair.before?.table ?? ''}`,
      undoneBy: 'table renamed',
      guards: reusedTableGuards,
    },
    'made a single type': {
      is: (scope) => becomesKind(scope, 'singleType'),
      description: () => 'becomes a single type',
      undoneBy: 'made a collection type',
      guards: singleTypeGuards,
    },
    'made a collection type': {
      is: (scope) => becomesKind(scope, 'collectionType'),
      description: () => 'becomes a collection type',
      undoneBy: 'made a single type',
    },
    'drafts switched on': {
      is: ({ pair }) => isBoth(pair) && !pair.before.draftAndPublish && pair.after.draftAndPublish,
      description: () => 'gets drafts: each document gets a draft equal to its published version',
      undoneBy: 'drafts switched off',
      steps: createDraftsSteps,
      backfill: draftsBackfill,
    },
    'drafts switched off': {
      is: ({ pair }) => isBoth(pair) && pair.before.draftAndPublish && !pair.after.draftAndPublish,
      description: () => 'loses its drafts: only published versions remain',
      undoneBy: 'drafts switched on',
      guards: lostDraftsGuards,
      steps: deleteDraftsSteps,
    },
    'localized switched on': {
      is: ({ pair }) => isBoth(pair) && !pair.before.localized && pair.after.localized,
      description: () => 'becomes localized: existing versions are in the default locale',
      undoneBy: 'localized switched off',
    },
    'localized switched off': {
      is: ({ pair }) => isBoth(pair) && pair.before.localized && !pair.after.localized,
      description: () => 'is no longer localized: each document keeps one locale, the default if it has that',
      undoneBy: 'localized switched on',
      guards: lostLocalesGuards,
      steps: mergeLocalesSteps,
    },
    'unique together': {
      is: becomesUniqueTogether,
      description: () => 'becomes unique by several attributes',
      undoneBy: null,
      guards: uniqueTogetherGuards,
    },
    'default locale changed': {
      is: ({ pair, evolution: { before, after } }) =>
        isBoth(pair) &&
        !(pair.before.localized && pair.after.localized) &&
        before.defaultLocale !== after.defaultLocale,
      description: () => 'has its documents moved to the new default locale',
      undoneBy: 'default locale changed',
      steps: moveToLocaleSteps,
    },
  },
  attribute: {
    'attribute added': {
      is: ({ pair, owner }) => pair.before === null && owner.before !== null,
      description: () => 'is new',
      undoneBy: 'attribute removed',
      guards: hashGuards,
    },
    'attribute removed': {
      is: ({ pair, owner }) => pair.after === null && owner.after !== null,
      description: () => 'is removed',
      undoneBy: 'attribute added',
      guards: removalGuards,
    },
    'attribute renamed': {
      is: ({ pair }) => isBoth(pair) && pair.before.name !== pair.after.name,
      description: ({ pair }) => `is renamed from ${pair.before?.name ?? ''}`,
      undoneBy: 'attribute renamed',
    },
    'values converted': {
      is: (scope) => {
        const scalars = scalarsOf(scope);
        return scalars !== null && !needsNoConversion(scalars);
      },
      description: ({ pair: { before, after } }) => `changes from ${before?.def.type} to ${after?.def.type}`,
      undoneBy: null,
      guards: conversionGuards,
      steps: conversionSteps,
      backfill: columnBackfill,
    },
    'made single': {
      is: ({ pair }) => isBoth(pair) && isMany(pair.before) && !isMany(pair.after),
      description: () => 'becomes a single value instead of a list',
      undoneBy: 'made a list',
      guards: singleGuards,
    },
    'made a list': {
      is: ({ pair }) => isBoth(pair) && !isMany(pair.before) && isMany(pair.after),
      description: () => 'becomes a list instead of a single value',
      undoneBy: 'made single',
    },
    'members removed': {
      is: (scope) => lostMembers(scope).length > 0,
      description: (scope) =>
        `no longer accepts ${lostMembers(scope)
          .map(({ uid }) => uid)
          .join(', ')}`,
      undoneBy: null,
      guards: memberGuards,
    },
    'links led elsewhere': {
      is: ({ evolution, pair }) => {
        const links = embeddedLinksOf(evolution, pair);
        return links !== null && !acceptsAllTargets(links);
      },
      description: () => 'changes its target',
      undoneBy: null,
      guards: strayGuards,
    },
    'shared by locales': {
      is: isShared,
      description: () => 'becomes shared by all locales',
      undoneBy: 'localized',
      guards: sharedGuards,
      steps: sharedSteps,
    },
    // Only values that no locale has are missing.
    'values filled': {
      is: ({ pair, owner }) => owner.before !== null && defaultOf(pair) !== null,
      description: ({ pair }) => `is required; missing values are set to ${JSON.stringify(defaultOf(pair))}`,
      undoneBy: null,
      steps: filledSteps,
    },
    localized: {
      is: ({ pair }) => isBoth(pair) && !pair.before.localized && pair.after.localized,
      description: () => 'gets a value per locale',
      undoneBy: null,
    },
    unique: {
      is: becomesUnique,
      description: () => 'becomes unique',
      undoneBy: null,
      guards: uniqueGuards,
    },
    'instances rewritten': {
      is: ({ pair, instances }) => instances.isRewritten(pair),
      description: () => 'has its instances rewritten',
      undoneBy: null,
      steps: rewrittenSteps,
    },
  },
  relation: {
    'relation added': {
      is: (scope) => scope.pair.before === null && namedSide(scope) !== null,
      description: () => 'is new',
      undoneBy: 'relation removed',
      guards: splitGuards,
    },
    'relation removed': {
      is: (scope) => scope.pair.after === null && namedSide(scope) !== null,
      description: () => 'is removed',
      undoneBy: 'relation added',
      guards: lostLinksGuards,
    },
    'relation moved': {
      is: ({ pair, evolution }) => isBoth(pair) && !keepsStorage(evolution, pair),
      description: describeMove,
      undoneBy: null,
      guards: movingGuards,
      steps: movingSteps,
    },
    'relation renamed': {
      is: ({ pair, evolution }) =>
        keepsStorage(evolution, pair) && pair.before?.attribute.name !== pair.after?.attribute.name,
      description: ({ pair }) => `is renamed from ${pair.before?.attribute.name ?? ''}`,
      undoneBy: null,
    },
  },
};
