/** The table of all kinds of changes between two models: a row says all that there is to say of one. */
import type { Attribute, ContentType } from '../schema/model.js';
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
import type { Guard, Steps } from './change.js';
import { heldLinksOf, leadOn } from './held-links.js';
import { defaultOf } from './instances.js';
import { localeGuards, localeSteps } from './locale-steps.js';
import { isBoth } from './pairs.js';
import { readsAlike } from './readings.js';
import { goneGuards, movingGuards, movingSteps, movingTold, splitGuards } from './relation-steps.js';
import {
  type AttributeScope,
  isShared,
  type LocaleScope,
  mayGo,
  type RelationScope,
  scalarsOf,
  type TypeScope,
} from './scopes.js';
import { staysInPlace } from './table-pairs.js';
import {
  calledAnew,
  draftsOnly,
  forgetName,
  goneWithVersions,
  grantsByNewNames,
  inNewLocale,
  inOtherLocales,
  newNames,
  severalDocuments,
  startingDrafts,
  takenTable,
  withoutDrafts,
  withoutLocales,
} from './type-steps.js';
import { becomesUnique, uniqueGuards } from './unique-steps.js';

/** A kind of change: how it is found, told and undone, what it may lose, and what it does. */
export interface Kind<S> {
  readonly is: (scope: S) => boolean;
  readonly told: (scope: S) => string;
  /** The kind that the way back has in its place; null where that may have nothing to do. */
  readonly undoneBy: string | null;
  readonly guards?: (scope: S) => readonly Guard[];
  readonly steps?: (scope: S) => Steps;
}

type Kinds<S> = Readonly<Record<string, Kind<S>>>;

const isMany = (attribute: Attribute): boolean => 'many' in attribute && attribute.many;

/** Whether a type is of another kind by now, and of which. */
const becomes = ({ pair }: TypeScope, kind: ContentType['kind']): boolean =>
  isBoth(pair) && pair.before.kind !== kind && pair.after.kind === kind;

/** The table, by what changes. Several kinds may be true of one part of a model. */
export const KINDS: {
  readonly locale: Kinds<LocaleScope>;
  readonly type: Kinds<TypeScope>;
  readonly attribute: Kinds<AttributeScope>;
  readonly relation: Kinds<RelationScope>;
} = {
  locale: {
    'locale removed': {
      is: ({ evolution, locale }) => !evolution.after.locales.includes(locale),
      told: (scope) =>
        mayGo(scope)
          ? 'is removed, with its versions'
          : `is removed; its versions can be read and deleted, not written (removed: ['${scope.locale}'] drops them)`,
      undoneBy: null,
      guards: localeGuards,
      steps: localeSteps,
    },
  },
  type: {
    'type added': {
      is: ({ pair }) => pair.before === null,
      told: () => 'is new',
      undoneBy: 'type removed',
      guards: takenTable,
    },
    'type removed': {
      is: ({ pair }) => pair.after === null,
      told: () => 'is removed',
      undoneBy: 'type added',
      guards: goneWithVersions,
      steps: forgetName,
    },
    'type renamed': {
      is: ({ pair }) => isBoth(pair) && pair.before.singularApiId !== pair.after.singularApiId,
      told: ({ pair }) => `is renamed from ${pair.before?.singularApiId ?? ''}`,
      undoneBy: 'type renamed',
      steps: calledAnew,
    },
    'grants narrowed to other names': {
      is: (scope) => isBoth(scope.pair) && Object.keys(newNames(scope)).length > 0,
      told: (scope) => `has grants on ${Object.keys(newNames(scope)).join(', ')} by the new names, or none`,
      undoneBy: null,
      steps: grantsByNewNames,
    },
    'table renamed': {
      is: ({ pair }) => isBoth(pair) && pair.before.table !== pair.after.table,
      told: ({ pair }) => `has its table renamed from ${pair.before?.table ?? ''}`,
      undoneBy: 'table renamed',
      guards: takenTable,
    },
    'made a single type': {
      is: (scope) => becomes(scope, 'singleType'),
      told: () => 'becomes a single type',
      undoneBy: 'made a collection type',
      guards: severalDocuments,
    },
    'made a collection type': {
      is: (scope) => becomes(scope, 'collectionType'),
      told: () => 'becomes a collection type',
      undoneBy: 'made a single type',
    },
    'drafts switched on': {
      is: ({ pair }) => isBoth(pair) && !pair.before.draftAndPublish && pair.after.draftAndPublish,
      told: () => 'has drafts: each document gets one of what is published',
      undoneBy: 'drafts switched off',
      steps: startingDrafts,
    },
    'drafts switched off': {
      is: ({ pair }) => isBoth(pair) && pair.before.draftAndPublish && !pair.after.draftAndPublish,
      told: () => 'has no drafts: what is published stays',
      undoneBy: 'drafts switched on',
      guards: draftsOnly,
      steps: withoutDrafts,
    },
    'localized switched on': {
      is: ({ pair }) => isBoth(pair) && !pair.before.localized && pair.after.localized,
      told: () => 'is localized: what is there is in the default locale',
      undoneBy: 'localized switched off',
    },
    'localized switched off': {
      is: ({ pair }) => isBoth(pair) && pair.before.localized && !pair.after.localized,
      told: () => 'is not localized: the versions in the default locale stay',
      undoneBy: 'localized switched on',
      guards: inOtherLocales,
      steps: withoutLocales,
    },
    'default locale changed': {
      is: ({ pair, evolution: { before, after } }) =>
        isBoth(pair) &&
        !(pair.before.localized && pair.after.localized) &&
        before.defaultLocale !== after.defaultLocale,
      told: () => 'has its documents in the new default locale',
      undoneBy: 'default locale changed',
      steps: inNewLocale,
    },
  },
  attribute: {
    'attribute added': {
      is: ({ pair, owner }) => pair.before === null && owner.before !== null,
      told: () => 'is new',
      undoneBy: 'attribute removed',
      guards: hashGuards,
    },
    'attribute removed': {
      is: ({ pair, owner }) => pair.after === null && owner.after !== null,
      told: () => 'is removed',
      undoneBy: 'attribute added',
      guards: removalGuards,
    },
    'attribute renamed': {
      is: ({ pair }) => isBoth(pair) && pair.before.name !== pair.after.name,
      told: ({ pair }) => `is renamed from ${pair.before?.name ?? ''}`,
      undoneBy: 'attribute renamed',
    },
    'values converted': {
      is: (scope) => {
        const scalars = scalarsOf(scope);
        return scalars !== null && !readsAlike(scalars);
      },
      told: ({ pair }) => `becomes ${pair.after?.def.type ?? ''}, from ${pair.before?.def.type ?? ''}`,
      undoneBy: null,
      guards: conversionGuards,
      steps: conversionSteps,
    },
    'values filled': {
      is: ({ pair, owner }) => owner.before !== null && defaultOf(pair) !== null,
      told: ({ pair }) => `is required; what has no value gets ${JSON.stringify(defaultOf(pair))}`,
      undoneBy: null,
      steps: filledSteps,
    },
    'made single': {
      is: ({ pair }) => isBoth(pair) && isMany(pair.before) && !isMany(pair.after),
      told: () => 'holds one in place of a list',
      undoneBy: 'made a list',
      guards: singleGuards,
    },
    'made a list': {
      is: ({ pair }) => isBoth(pair) && !isMany(pair.before) && isMany(pair.after),
      told: () => 'holds a list in place of one',
      undoneBy: 'made single',
    },
    'members removed': {
      is: (scope) => lostMembers(scope).length > 0,
      told: (scope) =>
        `takes ${lostMembers(scope)
          .map(({ uid }) => uid)
          .join(', ')} no more`,
      undoneBy: null,
      guards: memberGuards,
    },
    'links led elsewhere': {
      is: ({ evolution, pair }) => {
        const links = heldLinksOf(evolution, pair);
        return links !== null && !leadOn(links);
      },
      told: () => 'leads elsewhere',
      undoneBy: null,
      guards: strayGuards,
    },
    'shared by locales': {
      is: isShared,
      told: () => 'is shared by all locales',
      undoneBy: 'localized',
      guards: sharedGuards,
      steps: sharedSteps,
    },
    localized: {
      is: ({ pair }) => isBoth(pair) && !pair.before.localized && pair.after.localized,
      told: () => 'has a value for each locale',
      undoneBy: null,
    },
    unique: {
      is: becomesUnique,
      told: () => 'is unique',
      undoneBy: null,
      guards: uniqueGuards,
    },
    'instances rewritten': {
      is: ({ pair, instances }) => instances.isRewritten(pair),
      told: () => 'has its instances rewritten',
      undoneBy: null,
      steps: rewrittenSteps,
    },
  },
  relation: {
    'relation added': {
      is: ({ pair }) => pair.before === null,
      told: () => 'is new',
      undoneBy: 'relation removed',
      guards: splitGuards,
    },
    'relation removed': {
      is: ({ pair }) => pair.after === null,
      told: () => 'is removed',
      undoneBy: 'relation added',
      guards: goneGuards,
    },
    'relation moved': {
      is: ({ pair, evolution }) => isBoth(pair) && !staysInPlace(evolution, pair),
      told: movingTold,
      undoneBy: null,
      guards: movingGuards,
      steps: movingSteps,
    },
    'relation renamed': {
      is: ({ pair, evolution }) =>
        staysInPlace(evolution, pair) && pair.before?.attribute.name !== pair.after?.attribute.name,
      told: ({ pair }) => `is renamed from ${pair.before?.attribute.name ?? ''}`,
      undoneBy: null,
    },
  },
};
