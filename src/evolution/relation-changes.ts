/** What becomes of relations: one row for each kind of change. */
import { nextCount } from '../compile/changes.js';
import type { ContentType } from '../schema/model.js';
import { name } from '../schema/naming.js';
import { besideTable } from '../schema/table-shapes.js';
import { constant, type Identifier, plain, quote, type Sql, sql } from '../sql.js';
import type { Change, Guard, Steps } from './change.js';
import {
  formerOf,
  hasDrafts,
  isPerLocale,
  linksInLocales,
  linksInStates,
  linksThatFit,
  type Move,
  type MovedRelation,
  possibleLinks,
  storedLinks,
  turnedLinks,
} from './moved-links.js';
import { type Evolution, isBoth } from './pairs.js';
import type { Relation, RelationPair } from './relation-pairs.js';
import { keepsTargets, staysInPlace } from './table-pairs.js';

/** A kind of change of a relation. */
interface RelationKind {
  readonly is: (evolution: Evolution, pair: RelationPair) => boolean;
  readonly told: (pair: RelationPair) => string;
  readonly guards?: (evolution: Evolution, pair: RelationPair) => readonly Guard[];
  readonly steps?: (evolution: Evolution, pair: RelationPair) => Steps;
}

const pathOf = ({ type, attribute }: Relation): string => `${type.singularApiId}.${attribute.name}`;

const relationOf = ({ attribute: { def } }: Relation): string => ('relation' in def ? def.relation : 'media');

/** Where the links wait between two shapes. */
const waitingTable = ({ before }: MovedRelation): Identifier =>
  besideTable(before.type.table, name('content', 'moved', before.type.table, before.attribute.name));

/** The links as they were, as the later side may have them. */
function leavingLinks(evolution: Evolution, pair: MovedRelation): Sql {
  const links = storedLinks(evolution, pair.before);
  return possibleLinks(evolution, pair.swapped ? turnedLinks(evolution, links, pair) : links, pair);
}

/** Moves the links on to what the later side may have; all but what it has no room for. */
const arrivingLinks = (links: Sql, move: Move): Sql => linksInLocales(linksInStates(links, move), move);

const PAIR = sql`x.owner || ' with ' || x.target as "row"`;
const GROUP = sql`x.owner || ' (' || x.locale || case when x.published then ')' else ', draft)' end as "row"`;

const statedFor = ({ before, after }: MovedRelation): boolean =>
  [after, ...after.others].some(({ attribute }) => typeof attribute.def.convert === 'string') &&
  before !== after;

/** No versions at all, of a type that is new. */
const NO_VERSIONS = sql`(select null::text as document_id, null::text as locale, true as published where false)`;

/** The values that a list has in several locales although all are to have one. */
function differingLocales({ evolution, pair }: Move): Sql {
  const links = storedLinks(evolution, pair.before);
  const targets = sql`array(select x.target from (${links}) x where x.owner = v.document_id and x.published = v.published and x.locale = v.locale order by x.position)`;
  return sql`select d.document_id as "row" from (select v.document_id, v.published, ${targets} as targets from ${quote(pair.before.type.table)} v) d
    group by d.document_id, d.published having count(distinct d.targets) > 1`;
}

function reshapeGuards(evolution: Evolution, pair: RelationPair): readonly Guard[] {
  if (!isBoth(pair)) return [];
  const former = formerOf(evolution, pair.after.type);
  const versions = former === null ? NO_VERSIONS : quote(former.table);
  const move = { evolution, pair, versions };
  const stored = storedLinks(evolution, pair.before);
  const turned = pair.swapped ? turnedLinks(evolution, stored, pair) : stored;
  const possible = leavingLinks(evolution, pair);
  const arriving = arrivingLinks(possible, move);
  const { after } = pair;
  const guard = (question: Sql, told: string): Guard => ({
    question,
    told,
    choice: `say convert: 'fit' on ${pathOf(after)} to keep what fits`,
    stated: statedFor(pair),
  });
  const losesStates =
    pair.swapped && hasDrafts(evolution, pair.before.type) && !hasDrafts(evolution, after.type);
  const merges = isPerLocale(pair.before) && !isPerLocale(after);
  return [
    ...(keepsTargets(evolution, pair) && !pair.swapped
      ? []
      : [
          guard(
            sql`select ${PAIR} from (${turned} except all ${possible}) x`,
            'leads elsewhere; these links have no document there',
          ),
        ].filter(() => !pair.swapped)),
    ...(losesStates
      ? [
          guard(
            sql`select ${PAIR} from (select y.owner, y.target from (${possible}) y where not y.published except select y.owner, y.target from (${possible}) y where y.published) x`,
            'is owned by a type without drafts; these links are in drafts alone',
          ),
        ]
      : []),
    ...(merges
      ? [guard(differingLocales(move), 'is shared by all locales; these documents have other links in each')]
      : []),
    ...(after.attribute.many
      ? []
      : [
          guard(
            sql`select ${GROUP} from (${arriving}) x group by x.owner, x.published, x.locale having count(*) > 1`,
            'leads to one document; these have several',
          ),
        ]),
    ...(after.attribute.exclusive
      ? [
          guard(
            sql`select x.target as "row" from (${arriving}) x group by x.target, x.type, x.published, x.locale having count(*) > 1`,
            'leads to documents with one owner each; these have several',
          ),
        ]
      : []),
  ];
}

/** Numbers for links that have no place yet, in their order. */
const placed = (type: ContentType, isKept: boolean): Sql =>
  isKept ? sql`coalesce(x.place, ${nextCount(type)})` : nextCount(type);

function storeLinks({ type, attribute, links, column }: Relation, arriving: Sql, keepsPlace: boolean): Sql {
  const place = placed(type, keepsPlace);
  const order = sql`order by x.place, x.owner, x.position`;
  if (links !== null) {
    const typeColumn = links.targetType === null ? null : plain(links.targetType.name);
    const placeColumn = links.inversePosition === null ? null : plain(links.inversePosition.name);
    const position = sql`row_number() over (partition by x.owner, x.published, x.locale order by x.position, x.place, x.target)`;
    return sql`insert into ${quote(links.table)} (${plain(links.owner.name)}, published, locale, ${plain(links.target.name)}, ${plain(links.position.name)}${typeColumn === null ? sql`` : sql`, ${typeColumn}`}${placeColumn === null ? sql`` : sql`, ${placeColumn}`})
      select x.owner, x.published, x.locale, x.target, ${position}${typeColumn === null ? sql`` : sql`, x.type`}${placeColumn === null ? sql`` : sql`, ${place}`}
      from (${arriving}) x ${order} on conflict do nothing`;
  }
  const held = quote((column ?? { name: attribute.name }).name);
  const ordered = type.storage.columns.find(
    (one) => one.attribute === attribute && one.placeOf !== null && one.remembers === null,
  );
  const set = ordered === undefined ? sql`` : sql`, ${quote(ordered.name)} = m.seat`;
  const nth = ordered === undefined ? sql`null::int8` : place;
  return sql`update ${quote(type.table)} t set ${held} = m.target${set} from (select x.*, ${nth} as seat from (${arriving}) x ${order}) m
    where m.owner = t.document_id and m.published = t.published and m.locale in (t.locale, ${constant('')})`;
}

function reshapeSteps(evolution: Evolution, pair: RelationPair): Steps {
  if (!isBoth(pair)) return {};
  const waiting = quote(waitingTable(pair));
  const move = { evolution, pair, versions: quote(pair.after.type.table) };
  const arriving = linksThatFit(arrivingLinks(sql`select * from ${waiting}`, move), pair);
  return {
    aside: [sql`create table ${waiting} as ${leavingLinks(evolution, pair)}`],
    fill: [storeLinks(pair.after, arriving, !pair.swapped)],
    clean: [sql`drop table ${waiting}`],
  };
}

const shapeTold = ({ before, after, swapped }: RelationPair): string => {
  if (before === null || after === null) return '';
  if (swapped) return `is owned by ${pathOf(after)} in place of ${pathOf(before)}`;
  const [old, next] = [relationOf(before), relationOf(after)];
  return old === next ? 'has its links stored in another way' : `becomes ${next}, from ${old}`;
};

/** The kinds, of which the first that fits is a pair's. */
const KINDS: Readonly<Record<string, RelationKind>> = {
  'relation added': { is: (_, { before }) => before === null, told: () => 'is new' },
  'relation removed': {
    is: (_, { after }) => after === null,
    told: () => 'is removed',
    guards: (evolution, { before }) =>
      before === null
        ? []
        : [
            {
              question: sql`select ${PAIR} from (${storedLinks(evolution, before)}) x`,
              told: 'is removed; these links would go with it',
              choice: `say removed: ['${before.attribute.name}'] on ${before.type.singularApiId}`,
              stated: evolution.types.some(
                (pair) =>
                  pair.before === before.type &&
                  (pair.after?.removed.includes(before.attribute.name) === true ||
                    (pair.after === null && evolution.removed.includes(before.type.singularApiId))),
              ),
            },
          ],
  },
  'relation moved': {
    is: (evolution, pair) => !staysInPlace(evolution, pair),
    told: shapeTold,
    guards: reshapeGuards,
    steps: reshapeSteps,
  },
  'relation renamed': {
    is: (_, { before, after }) => before?.attribute.name !== after?.attribute.name,
    told: ({ before }) => `is renamed from ${before?.attribute.name ?? ''}`,
  },
};

/** What becomes of one relation; nothing where it stays as it is. */
export function relationChange(evolution: Evolution, pair: RelationPair): Change[] {
  const found = Object.entries(KINDS).find(([, kind]) => kind.is(evolution, pair));
  const relation = pair.after ?? pair.before;
  if (found === undefined || relation === null) return [];
  const [kind, { told, guards, steps }] = found;
  const owners = [
    pair.after?.type,
    ...evolution.types.filter(({ before }) => before === pair.before?.type).map(({ after }) => after),
  ];
  return [
    {
      kind,
      at: pathOf(relation),
      told: told(pair),
      guards: guards?.(evolution, pair) ?? [],
      steps: steps?.(evolution, pair) ?? {},
      touches: owners.filter((type) => type !== null && type !== undefined),
    },
  ];
}
