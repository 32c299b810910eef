/** What becomes of types and their versions: one row for each kind of change. */
import { startDrafts } from '../compile/compile-drafts.js';
import type { ContentType } from '../schema/model.js';
import { ledgerTablesOf } from '../schema/ledger.js';
import { scheduleTableOf } from '../schema/schedule.js';
import { constant, type Identifier, plain, quote, type Sql, sql } from '../sql.js';
import { type Change, type Guard, inBatches, rowsWhere, type Steps } from './change.js';
import { type Evolution, isBoth, type ModelPair } from './pairs.js';
import { calledInGrants, calledInLinks, fieldsInGrants, forgotten, goneFromGrants } from './references.js';

type TypePair = ModelPair<ContentType>;

/** A kind of change; several may be true of one type. */
interface TypeKind {
  readonly is: (pair: TypePair, evolution: Evolution) => boolean;
  readonly told: (pair: TypePair) => string;
  readonly guards?: (pair: TypePair, evolution: Evolution) => readonly Guard[];
  readonly steps?: (pair: TypePair, evolution: Evolution) => Steps;
}

/** Both types of a pair, for steps of what was and is. */
const both =
  (
    steps: (
      types: { readonly before: ContentType; readonly after: ContentType },
      evolution: Evolution,
    ) => Steps,
  ) =>
  (pair: TypePair, evolution: Evolution): Steps =>
    isBoth(pair) ? steps(pair, evolution) : {};

const mayGo = ({ after }: TypePair, what: string): boolean => after?.removed.includes(what) === true;

const idOf = ({ after, before }: TypePair): string => (after ?? before)?.singularApiId ?? '';

/** The times at which documents of a type are published by themselves. */
const schedulesOf = (type: ContentType, called: string): { readonly table: Sql; readonly own: Sql } => ({
  table: quote(scheduleTableOf(type)),
  own: sql`type = ${constant(called)}`,
});

const nameOf = ({ after, before }: TypePair, key: 'table' | 'singularApiId'): readonly [string?, string?] => [
  before?.[key],
  after?.[key],
];

/** Drafts that are nowhere else: of what is not published, or that say something else. */
const UNPUBLISHED = (type: ContentType): Sql =>
  sql`not t.published and not exists (select 1 from ${quote(type.table)} p where p.document_id = t.document_id
    and p.locale = t.locale and p.published and p.revision = t.revision)`;

function withoutDrafts({ before }: { readonly before: ContentType }, evolution: Evolution): Steps {
  const links = before.storage.links.map(
    ({ table }) => sql`delete from ${quote(table.table)} where not published`,
  );
  const { table, own } = schedulesOf(before, before.singularApiId);
  return {
    shrink: [
      sql`delete from ${quote(before.table)} where not published`,
      ...links,
      ...forgotten(evolution.before.schema, before),
    ],
    fill: [sql`delete from ${table} where ${own}`],
  };
}

/** The locale in which a document stays: the default one, or else the first that it has. */
const keptLocale = (type: ContentType, { before }: Evolution, documentId: Sql): Sql =>
  sql`(select k.locale from ${quote(type.table)} k where k.document_id = ${documentId}
    order by k.locale = ${constant(before.defaultLocale)} desc, k.locale limit 1)`;

const otherLocales = (type: ContentType, evolution: Evolution): Sql => {
  const kept = keptLocale(type, evolution, sql`t.document_id`);
  return sql`t.locale <> ${kept} and not exists (select 1 from ${quote(type.table)} o where o.document_id = t.document_id
    and o.published = t.published and o.locale = ${kept} and o.revision = t.revision)`;
};

function withoutLocales({ before }: { readonly before: ContentType }, evolution: Evolution): Steps {
  const table = quote(before.table);
  const locale = constant(evolution.before.defaultLocale);
  const links = before.storage.links
    .filter(({ table: { perLocale } }) => perLocale)
    .flatMap(({ table: { table: of, owner } }) => [
      sql`delete from ${quote(of)} l where not exists (select 1 from ${table} o where o.document_id = l.${plain(owner.name)} and o.locale = l.locale)`,
      sql`update ${quote(of)} set locale = ${locale} where locale <> ${locale}`,
    ]);
  const schedules = schedulesOf(before, before.singularApiId);
  // The links go by what is left of the versions, so these move last.
  const [deleted, moved] = [links.filter((_, i) => i % 2 === 0), links.filter((_, i) => i % 2 === 1)];
  return {
    shrink: [
      sql`delete from ${table} t where t.locale <> ${keptLocale(before, evolution, sql`t.document_id`)}`,
      ...deleted,
      sql`update ${table} set locale = ${locale} where locale <> ${locale}`,
      ...moved,
      ...forgotten(evolution.before.schema, before),
    ],
    fill: [sql`delete from ${schedules.table} where ${schedules.own} and locale <> ${locale}`],
  };
}

/** The rows of a type that has no locales are in the default one. */
function inNewLocale({ after }: { readonly after: ContentType }, { before, after: next }: Evolution): Steps {
  const [old, locale] = [constant(before.defaultLocale), constant(next.defaultLocale)];
  const { table, own } = schedulesOf(after, after.singularApiId);
  return {
    fill: [
      inBatches(quote(after.table), sql`locale = ${locale}`, sql`t.locale = ${old}`),
      sql`update ${table} set locale = ${locale} where ${own} and locale = ${old}`,
    ],
  };
}

/** What is noted of a type, of its documents and of grants on it; before another type takes its name. */
const forgetName = (evolution: Evolution, type: ContentType): Sql[] => {
  const { table, own } = schedulesOf(type, type.singularApiId);
  const ledger = Object.values(ledgerTablesOf(evolution.after.schema.file));
  return [
    sql`delete from ${table} where ${own}`,
    ...ledger.map((one: Identifier) => sql`delete from ${quote(one)} where ${own}`),
    ...goneFromGrants(evolution, type.singularApiId),
  ];
};

const renamed = both(({ before, after }, evolution) => {
  const { table, own } = schedulesOf(after, before.singularApiId);
  return {
    shrink: calledInLinks(evolution, before, after.singularApiId),
    fill: [
      sql`update ${table} set type = ${constant(after.singularApiId)} where ${own}`,
      ...Object.values(ledgerTablesOf(after)).map(
        (ledger: Identifier) =>
          sql`update ${quote(ledger)} set type = ${constant(after.singularApiId)} where ${own}`,
      ),
      ...calledInGrants(evolution, before.singularApiId, after.singularApiId),
    ],
  };
});

/** The attributes of a type that have another name, or null where they are gone. */
const newNames = ({ attributes }: TypePair): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    attributes.flatMap(({ before, after }) =>
      before === null || before.name === after?.name ? [] : [[before.name, after?.name ?? null]],
    ),
  );

const KINDS: Readonly<Record<string, TypeKind>> = {
  'type added': { is: ({ before }) => before === null, told: () => 'is new' },
  'type removed': {
    is: ({ after }) => after === null,
    told: () => 'is removed',
    guards: (pair, { removed }) =>
      pair.before === null
        ? []
        : [
            {
              question: rowsWhere(pair.before, sql`true`),
              told: 'is removed; these versions would go with it',
              choice: `say removed: ['${idOf(pair)}'] beside contentTypes`,
              stated: removed.includes(idOf(pair)),
            },
          ],
    steps: ({ before }, evolution) => (before === null ? {} : { retype: forgetName(evolution, before) }),
  },
  'type renamed': {
    is: (pair) => isBoth(pair) && pair.before.singularApiId !== pair.after.singularApiId,
    told: ({ before }) => `is renamed from ${before?.singularApiId ?? ''}`,
    steps: renamed,
  },
  'grants narrowed to other names': {
    is: (pair) => isBoth(pair) && Object.keys(newNames(pair)).length > 0,
    told: (pair) => `has grants on ${Object.keys(newNames(pair)).join(', ')} by the new names, or none`,
    steps: (pair, evolution) =>
      pair.after === null ? {} : { fill: fieldsInGrants(evolution, pair.after, newNames(pair)) },
  },
  'table renamed': {
    is: (pair) => isBoth(pair) && pair.before.table !== pair.after.table,
    told: (pair) => `has its table renamed from ${nameOf(pair, 'table')[0] ?? ''}`,
  },
  'made a single type': {
    is: (pair) => isBoth(pair) && pair.before.kind !== pair.after.kind && pair.after.kind === 'singleType',
    told: () => 'becomes a single type',
    guards: ({ before }) =>
      before === null
        ? []
        : [
            {
              question: sql`select d.document_id as "row" from (select distinct t.document_id from ${quote(before.table)} t) d
                where (select count(distinct c.document_id) from ${quote(before.table)} c) > 1`,
              told: 'becomes a single type, which has one document; there are several',
              choice: 'delete all but one first',
              stated: false,
            },
          ],
  },
  'made a collection type': {
    is: (pair) => isBoth(pair) && pair.before.kind !== pair.after.kind && pair.after.kind !== 'singleType',
    told: () => 'becomes a collection type',
  },
  'drafts switched on': {
    is: (pair) => isBoth(pair) && !pair.before.draftAndPublish && pair.after.draftAndPublish,
    told: () => 'has drafts: each document gets one of what is published',
    steps: both(({ after }) => ({ grow: [startDrafts(after, null)] })),
  },
  'drafts switched off': {
    is: (pair) => isBoth(pair) && pair.before.draftAndPublish && !pair.after.draftAndPublish,
    told: () => 'has no drafts: what is published stays',
    guards: (pair) =>
      pair.before === null
        ? []
        : [
            {
              question: rowsWhere(pair.before, UNPUBLISHED(pair.before)),
              told: 'has no drafts; these say what is not published',
              choice: `publish or discard them, or say removed: ['drafts'] on ${idOf(pair)}`,
              stated: mayGo(pair, 'drafts'),
            },
          ],
    steps: both(withoutDrafts),
  },
  'localized switched on': {
    is: (pair) => isBoth(pair) && !pair.before.localized && pair.after.localized,
    told: () => 'is localized: what is there is in the default locale',
  },
  'localized switched off': {
    is: (pair) => isBoth(pair) && pair.before.localized && !pair.after.localized,
    told: () => 'is not localized: the versions in the default locale stay',
    guards: (pair, evolution) =>
      pair.before === null
        ? []
        : [
            {
              question: rowsWhere(pair.before, otherLocales(pair.before, evolution)),
              told: 'is not localized; these versions are in other locales',
              choice: `say removed: ['localizations'] on ${idOf(pair)} to keep those of the default locale alone`,
              stated: mayGo(pair, 'localizations'),
            },
          ],
    steps: both(withoutLocales),
  },
  'default locale changed': {
    is: (pair, { before, after }) =>
      isBoth(pair) && !pair.after.localized && before.defaultLocale !== after.defaultLocale,
    told: () => 'has its documents in the new default locale',
    steps: both(inNewLocale),
  },
};

/** What becomes of one type. */
export function typeChanges(evolution: Evolution, pair: TypePair): Change[] {
  return Object.entries(KINDS)
    .filter(([, kind]) => kind.is(pair, evolution))
    .map(([kind, { told, guards, steps }]) => ({
      kind,
      at: idOf(pair),
      told: told(pair),
      guards: guards?.(pair, evolution) ?? [],
      steps: steps?.(pair, evolution) ?? {},
      touches: pair.after === null ? [] : [pair.after],
    }));
}
