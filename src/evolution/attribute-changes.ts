/** What becomes of attributes, of types and of components: one row for each kind of change. */
import type { Attribute, Component, ContentType } from '../schema/model.js';
import { isUnique } from '../schema/attribute-storage.js';
import { constant, param, quote, type Sql, sql, typeName } from '../sql.js';
import {
  type AttributeScope,
  fitChoice,
  guardOf,
  isStated,
  nameOf,
  ownerName,
  scalarsOf,
  typeOf,
} from './attribute-scope.js';
import { type Change, type Guard, inBatches, type Steps } from './change.js';
import { defaultOf, embeddedPair } from './instances.js';
import { conversionOf, isBoth } from './pairs.js';
import { columnAsJson, isLostIn, isUnreadable, jsonAsColumn, readAs, readsAlike } from './readings.js';

/** A kind of change; several may be true of one attribute. */
interface AttributeKind {
  readonly is: (scope: AttributeScope) => boolean;
  readonly told: (scope: AttributeScope) => string;
  readonly guards?: (scope: AttributeScope) => readonly Guard[];
  readonly steps?: (scope: AttributeScope) => Steps;
}

function conversionGuards(scope: AttributeScope): readonly Guard[] {
  const scalars = scalarsOf(scope);
  if (scalars === null) return [];
  const told = `becomes ${scalars.after.def.type}, from ${scalars.before.def.type}; these values cannot`;
  const said = conversionOf(scope.pair);
  const fits = said === 'fit';
  // What is said for each value is done, and leads back to none of them.
  const replaced = typeof said === 'object' && said !== null;
  return [
    ...(replaced ? guardOf(scope, sql`true`, { told, choice: '', stated: true }) : []),
    ...guardOf(scope, isLostIn(sql`v.j`, scalars), {
      told,
      choice: fitChoice(scope),
      stated: isStated(scope),
    }),
    ...(fits
      ? guardOf(scope, isUnreadable(sql`v.j`, scalars), {
          told,
          choice: `say convert: 'empty' on ${ownerName(scope)}.${nameOf(scope)}`,
          stated: false,
        })
      : []),
  ];
}

/** A column takes its new type with its new values. */
function conversionSteps(scope: AttributeScope): Steps {
  const [type, scalars] = [typeOf(scope), scalarsOf(scope)];
  if (type === null || scalars === null) return {};
  const { before, after } = scalars;
  const column = quote(after.column);
  const value = jsonAsColumn(after, sql`(${readAs(columnAsJson(before, column), scalars)})`);
  return {
    retype: [
      sql`alter table ${quote(type.table)} alter column ${column} type ${typeName(after.type.column)}
        using case when ${column} is not null then ${value} end`,
    ],
  };
}

/** Of all locales of a document, the value of the default one, or else of the first that has any. */
function sharedSteps(scope: AttributeScope): Steps {
  const type = typeOf(scope);
  const { after } = scope.pair;
  if (type === null || after === null || !('column' in after)) return {};
  const [table, column] = [quote(type.table), quote(after.column)];
  const first = constant(scope.evolution.before.defaultLocale);
  const value = sql`(select o.${column} from ${table} o where o.document_id = t.document_id and o.published = t.published and o.${column} is not null
    order by o.locale = ${first} desc, o.id limit 1)`;
  return { fill: [inBatches(table, sql`${column} = ${value}`)] };
}

function sharedGuards(scope: AttributeScope): readonly Guard[] {
  const { owner, pair } = scope;
  if (owner.before === null || owner.before.model !== 'type' || pair.before === null) return [];
  if (!('column' in pair.before)) return [];
  const column = quote(pair.before.column);
  return [
    {
      question: sql`select t.document_id as "row" from ${quote(owner.before.table)} t group by t.document_id, t.published having count(distinct t.${column}) > 1`,
      told: 'is shared by all locales; these documents have other values in each',
      choice: `say convert: 'fit' on ${ownerName(scope)}.${nameOf(scope)} to keep that of the default locale`,
      stated: isStated(scope),
    },
  ];
}

function filledSteps(scope: AttributeScope): Steps {
  const type = typeOf(scope);
  const { after } = scope.pair;
  if (type === null || after === null || !('searchable' in after)) return {};
  const value = sql`${param(JSON.stringify(defaultOf(scope.pair)))}::jsonb`;
  const column = quote(after.column);
  return {
    fill: [
      inBatches(quote(type.table), sql`${column} = ${jsonAsColumn(after, value)}`, sql`t.${column} is null`),
    ],
  };
}

function rewrittenSteps(scope: AttributeScope): Steps {
  const type = typeOf(scope);
  const { pair, owner, instances } = scope;
  const held = embeddedPair(pair);
  if (type === null || held === null) return {};
  const column = quote(held.after.column);
  const value = instances.value(owner, pair, sql`t.${column}`);
  return { fill: [inBatches(quote(type.table), sql`${column} = ${value}`, sql`t.${column} is not null`)] };
}

/** The components that an attribute takes no more. */
function lostMembers({ evolution, pair }: AttributeScope): readonly Component[] {
  const held = embeddedPair(pair);
  if (held === null) return [];
  return held.before.components.filter((component) => {
    const later = evolution.components.find(({ before }) => before === component)?.after ?? null;
    return later === null || !held.after.components.some((one) => one === later);
  });
}

const memberGuards = (scope: AttributeScope): readonly Guard[] =>
  lostMembers(scope).flatMap(({ uid }) => {
    const path = `$[*] ? (@.__component == "${uid}")`;
    const entry = `${nameOf(scope)}.${uid}`;
    return guardOf(scope, sql`jsonb_path_exists(v.j, ${param(path)})`, {
      told: `takes ${uid} no more; these have instances of it`,
      choice: `say removed: ['${entry}'] on ${ownerName(scope)}`,
      stated: scope.owner.after?.removed.includes(entry) === true || scope.evolution.removed.includes(uid),
    });
  });

function uniqueGuards(scope: AttributeScope): readonly Guard[] {
  const { owner, pair } = scope;
  if (owner.before === null || owner.before.model !== 'type' || pair.before === null) return [];
  if (!('column' in pair.before)) return [];
  const column = quote(pair.before.column);
  return [
    {
      question: sql`select string_agg(t.document_id, ' and ') as "row" from ${quote(owner.before.table)} t where t.published and t.${column}::text <> ''
        group by t.${column}, t.locale having count(*) > 1`,
      told: 'is unique; these documents have the same value',
      choice: 'give them values of their own first',
      stated: false,
    },
  ];
}

/** On the way back, values that the way there has filled in may go. */
function notFilled({ evolution, pair }: AttributeScope): Sql {
  const value = evolution.isBack ? defaultOf({ before: null, after: pair.before }) : null;
  return value === null ? sql`true` : sql`v.j <> ${param(JSON.stringify(value))}::jsonb`;
}

const isUniqueScalar = (attribute: Attribute | null): boolean =>
  attribute !== null && 'searchable' in attribute && isUnique(attribute);

const isMany = (attribute: Attribute): boolean => 'many' in attribute && attribute.many;

/** Whether the values of both stand in columns of their type, or in instances. */
const isStoredHere = ({ owner, pair: { before, after } }: AttributeScope): boolean =>
  owner.before?.model === 'component' || owner.after?.model === 'component' || !(after ?? before)?.linked;

const KINDS: Readonly<Record<string, AttributeKind>> = {
  'attribute added': {
    is: ({ pair, owner }) => pair.before === null && owner.before !== null,
    told: () => 'is new',
  },
  'attribute removed': {
    is: ({ pair, owner }) => pair.after === null && owner.after !== null,
    told: () => 'is removed',
    guards: (scope) =>
      guardOf(scope, notFilled(scope), {
        told: 'is removed; these values would go with it',
        choice: scope.evolution.isBack
          ? 'the way back is open once they are empty'
          : `say removed: ['${nameOf(scope)}'] on ${ownerName(scope)}`,
        stated: scope.owner.after?.removed.includes(nameOf(scope)) === true,
      }),
  },
  'attribute renamed': {
    is: ({ pair }) => isBoth(pair) && pair.before.name !== pair.after.name,
    told: ({ pair }) => `is renamed from ${pair.before?.name ?? ''}`,
  },
  'values converted': {
    is: (scope) => {
      const scalars = scalarsOf(scope);
      return scalars !== null && !readsAlike(scalars);
    },
    told: ({ pair }) => `becomes ${pair.after?.def.type ?? ''}, from ${pair.before?.def.type ?? ''}`,
    guards: conversionGuards,
    steps: conversionSteps,
  },
  'values filled': {
    is: ({ pair, owner }) => owner.before !== null && defaultOf(pair) !== null,
    told: ({ pair }) => `is required; what has no value gets ${JSON.stringify(defaultOf(pair))}`,
    steps: filledSteps,
  },
  'made single': {
    is: ({ pair }) => isBoth(pair) && isMany(pair.before) && !isMany(pair.after),
    told: () => 'holds one in place of a list',
    guards: (scope) =>
      guardOf(scope, sql`case jsonb_typeof(v.j) when 'array' then jsonb_array_length(v.j) > 1 end`, {
        told: 'holds one; these have several',
        choice: `say convert: 'fit' on ${ownerName(scope)}.${nameOf(scope)} to keep the first`,
        stated: isStated(scope),
      }),
  },
  'made a list': {
    is: ({ pair }) => isBoth(pair) && !isMany(pair.before) && isMany(pair.after),
    told: () => 'holds a list in place of one',
  },
  'members removed': {
    is: (scope) => lostMembers(scope).length > 0,
    told: (scope) =>
      `takes ${lostMembers(scope)
        .map(({ uid }) => uid)
        .join(', ')} no more`,
    guards: memberGuards,
  },
  'shared by locales': {
    is: ({ pair, owner }) =>
      isBoth(pair) && pair.before.localized && !pair.after.localized && typeIsLocalized(owner.after),
    told: () => 'is shared by all locales',
    guards: sharedGuards,
    steps: sharedSteps,
  },
  localized: {
    is: ({ pair }) => isBoth(pair) && !pair.before.localized && pair.after.localized,
    told: () => 'has a value for each locale',
  },
  unique: {
    is: ({ pair }) => isBoth(pair) && !isUniqueScalar(pair.before) && isUniqueScalar(pair.after),
    told: () => 'is unique',
    guards: uniqueGuards,
  },
  'instances rewritten': {
    is: ({ pair, instances }) => instances.isRewritten(pair),
    told: () => 'has its instances rewritten',
    steps: rewrittenSteps,
  },
};

const typeIsLocalized = (model: ContentType | Component | null): boolean =>
  model !== null && model.model === 'type' && model.localized;

/** The later types whose rows hold values of an attribute. */
const touched = (scope: AttributeScope): readonly ContentType[] => {
  const type = typeOf(scope);
  return type === null ? [] : [type];
};

/** What becomes of one attribute. */
export function attributeChanges(scope: AttributeScope): Change[] {
  if (!isStoredHere(scope)) return [];
  return Object.entries(KINDS)
    .filter(([, kind]) => kind.is(scope))
    .map(([kind, { told, guards, steps }]) => ({
      kind,
      at: `${ownerName(scope)}.${nameOf(scope)}`,
      told: told(scope),
      guards: guards?.(scope) ?? [],
      steps: steps?.(scope) ?? {},
      touches: touched(scope),
    }));
}
