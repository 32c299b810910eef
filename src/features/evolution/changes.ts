/** Finds the changes between two models; visits each part once. */
import type { Change } from './change.js';
import { Instances } from './instances.js';
import { type Kind, KINDS } from './kinds.js';
import { type Evolution, isBoth } from './pairs.js';
import { type RelationPair, relationPairs } from './relation-pairs.js';
import {
  type AttributeScope,
  idOf,
  isStoredInRow,
  type LocaleScope,
  namedSide,
  nameOf,
  ownerName,
  pathOf,
  type RelationScope,
  typeOf,
  type TypeScope,
} from './scopes.js';

/** All changes between two models, with their context. */
export interface Changes {
  readonly evolution: Evolution;
  readonly instances: Instances;
  readonly relations: readonly RelationPair[];
  readonly list: readonly Change[];
}

type Place = Pick<Change, 'at' | 'touches'>;

const PLACES = {
  locale: ({ locale }: LocaleScope): Place => ({ at: `locale ${locale}`, touches: [] }),
  type: (scope: TypeScope): Place => ({ at: idOf(scope), touches: withoutNulls([scope.pair.after]) }),
  attribute: (scope: AttributeScope): Place => ({
    at: `${ownerName(scope)}.${nameOf(scope)}`,
    touches: withoutNulls([typeOf(scope)]),
  }),
  relation: (scope: RelationScope): Place => {
    const { before, after } = scope.pair;
    const side = isBoth(scope.pair) ? after : namedSide(scope);
    const former = scope.evolution.types.find((pair) => pair.before !== null && pair.before === before?.type);
    return {
      at: side === null ? '' : pathOf(side),
      touches: withoutNulls([after?.type ?? null, former?.after ?? null]),
    };
  },
};

const withoutNulls = <T>(list: readonly (T | null)[]): T[] => list.filter((one) => one !== null);

const changesIn = <S>(
  scopes: readonly S[],
  kinds: Readonly<Record<string, Kind<S>>>,
  placeOf: (scope: S) => Place,
): Change[] =>
  scopes.flatMap((scope) =>
    Object.entries(kinds)
      .filter(([, { is }]) => is(scope))
      .map(([kind, { description, undoneBy, guards, steps, backfill }]) => ({
        kind,
        undoneBy,
        description: description(scope),
        guards: guards?.(scope) ?? [],
        steps: steps?.(scope) ?? {},
        backfill: backfill?.(scope) ?? null,
        ...placeOf(scope),
      })),
  );

export function changesOf(evolution: Evolution): Changes {
  const instances = new Instances(evolution);
  const relations = relationPairs(evolution);
  const attributes = [...evolution.types, ...evolution.components].flatMap((owner) =>
    owner.attributes.map((pair): AttributeScope => ({ evolution, owner, pair, instances })),
  );
  const list = [
    ...changesIn(
      evolution.before.locales.map((locale) => ({ evolution, locale })),
      KINDS.locale,
      PLACES.locale,
    ),
    ...changesIn(
      evolution.types.map((pair) => ({ evolution, pair })),
      KINDS.type,
      PLACES.type,
    ),
    ...changesIn(attributes.filter(isStoredInRow), KINDS.attribute, PLACES.attribute),
    ...changesIn(
      relations.map((pair) => ({ evolution, pair })),
      KINDS.relation,
      PLACES.relation,
    ),
  ];
  return { evolution, instances, relations, list };
}

/** Whether the changes back revert all changes of the migration. */
export const isUndone = (there: Changes, back: Changes): boolean =>
  there.list.every(({ undoneBy }) => undoneBy === null || back.list.some(({ kind }) => kind === undoneBy));
