/** Invariants of the tables after any concurrent writes, as SQL from the storage that the library derives. */
import type { ContentSchema } from 'nestjs-content-api';
import type { RunSql } from '../faults/picture.ts';

/** A statement that returns rows only if the invariant is violated, and its description. */
interface Invariant {
  readonly what: string;
  readonly sql: string;
}

/** The part of the storage of a type that is checked. */
interface Stored {
  readonly singularApiId: string;
  readonly table: string;
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
  readonly storage: { readonly columns: readonly Column[]; readonly links: readonly Links[] };
}

interface Column {
  readonly name: string;
  readonly attribute: Attribute;
  readonly reference: Stored | null;
  readonly isPosition?: boolean;
}

interface Attribute {
  readonly name: string;
  readonly kind: string;
  readonly localized: boolean;
  readonly exclusive?: boolean;
  /** Targets of the relation. */
  readonly targets?: readonly Stored[];
}

interface Links {
  readonly attribute: Attribute;
  readonly table: {
    readonly table: string;
    readonly perLocale: boolean;
    readonly toOne: boolean;
    readonly exclusive: boolean;
    /** Names of the types in links to several types whose documents have one owner at most. */
    readonly exclusiveTypes: readonly string[];
    readonly targetType: Named | null;
  } & Readonly<Record<'owner' | 'published' | 'locale' | 'target' | 'position', Named>> & {
      readonly inversePosition: Named | null;
    };
}

interface Named {
  readonly name: string;
}

const quoted = (name: string): string =>
  name
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');

const twice = (
  what: string,
  table: string,
  { by, where = 'true' }: { readonly by: string; readonly where?: string },
): Invariant => ({
  what,
  sql: `select ${by}, count(*) from ${table} where ${where} group by ${by} having count(*) > 1`,
});

function ofVersions({ singularApiId: name, table, draftAndPublish }: Stored): Invariant[] {
  const rows = quoted(table);
  const draft = `select 1 from ${rows} d where d.document_id = t.document_id and d.locale = t.locale and not d.published`;
  return [
    twice(`${name}: two rows of one version`, rows, { by: 'document_id, locale, published' }),
    {
      what: `${name}: ${draftAndPublish ? 'published without a draft' : 'a draft of a type without drafts'}`,
      sql: draftAndPublish
        ? `select document_id from ${rows} t where published and not exists (${draft})`
        : `select document_id from ${rows} where not published`,
    },
  ];
}

function ofColumn(type: Stored, { name, attribute, reference, isPosition = false }: Column): Invariant[] {
  const rows = quoted(type.table);
  const column = quoted(name);
  const what = `${type.singularApiId}.${attribute.name}`;
  const found: Invariant[] = [];
  if (!attribute.localized && !isPosition)
    found.push({
      what: `${what}: locales differ`,
      sql: `select document_id, published from ${rows} group by 1, 2 having count(distinct coalesce(${column}::text, '')) > 1`,
    });
  if (reference !== null)
    found.push({
      what: `${what}: target is missing`,
      sql: `select document_id from ${rows} t where ${column} is not null
        and not exists (select 1 from ${quoted(reference.table)} r where r.document_id = t.${column})`,
    });
  if (reference !== null && attribute.exclusive === true)
    found.push({
      what: `${what}: two owners`,
      sql: `select ${column}, published from ${rows} where ${column} is not null group by 1, 2 having count(distinct document_id) > 1`,
    });
  if (attribute.kind === 'component' || attribute.kind === 'zone')
    found.push({
      what: `${what}: an instance in two documents`,
      sql: `select instance, count(distinct document_id) from ${rows}, lateral jsonb_path_query(${column}, '$.**.id ? (@.type() == "number")') instance
        group by 1 having count(distinct document_id) > 1`,
    });
  return found;
}

/** Positions on the other side of a to-one relation in a column. */
function ofPlaces(type: Stored): Invariant[] {
  return type.storage.columns.flatMap(({ name, attribute, isPosition = false }) => {
    const column = type.storage.columns.find((one) => one.attribute === attribute && one.reference !== null);
    if (!isPosition || column === undefined || /former/.test(name)) return [];
    const places = `${quoted(column.name)}, published${attribute.localized ? ', locale' : ''}, ${quoted(name)}`;
    return [
      {
        what: `${type.singularApiId}.${attribute.name}: two at one position of the other side`,
        sql: `select ${places} from ${quoted(type.table)} where ${quoted(column.name)} is not null group by ${places} having count(distinct document_id) > 1`,
      },
    ];
  });
}

function ofLinks(type: Stored, { attribute, table: links }: Links): Invariant[] {
  const table = quoted(links.table);
  const [owner, published, locale, target, position] = [
    links.owner.name,
    links.published.name,
    links.locale.name,
    links.target.name,
    links.position.name,
  ].map(quoted);
  const what = `${type.singularApiId}.${attribute.name}`;
  const inverse = links.inversePosition === null ? null : quoted(links.inversePosition.name);
  // A link may wait for a version of its owner, or until it is published again (D13, D25).
  const version = `select 1 from ${quoted(type.table)} v where v.document_id = l.${owner}`;
  const there = (attribute.targets ?? [])
    .map((to) => `select 1 from ${quoted(to.table)} t where t.document_id = l.${target}`)
    .join(' union all ');
  const exclusive = links.exclusiveTypes.map((name) => `'${name}'`).join(', ');
  return [
    {
      what: `${what}: links without an owner`,
      sql: `select l.*, (select json_agg(v.locale || ' ' || v.published) from ${quoted(type.table)} v where v.document_id = l.${owner}) as versions
        from ${table} l where not exists (${version})`,
    },
    { what: `${what}: links without a target`, sql: `select * from ${table} l where not exists (${there})` },
    {
      what: `${what}: links without a locale or with a wrong one`,
      sql: `select * from ${table} where (${locale} <> '') <> ${links.perLocale}`,
    },
    twice(`${what}: two at one position`, table, { by: `${owner}, ${published}, ${locale}, ${position}` }),
    ...(inverse === null
      ? []
      : [
          twice(`${what}: two at one position of the other side`, table, {
            by: `${target}, ${published}, ${locale}, ${inverse}`,
          }),
        ]),
    ...(links.toOne
      ? [twice(`${what}: two targets`, table, { by: `${owner}, ${published}, ${locale}` })]
      : []),
    ...(exclusive === '' || links.targetType === null
      ? []
      : [
          twice(`${what}: two owners`, table, {
            by: `${target}, ${published}, ${locale}`,
            where: `${quoted(links.targetType.name)} in (${exclusive})`,
          }),
        ]),
    ...(links.exclusive
      ? [twice(`${what}: two owners`, table, { by: `${target}, ${published}, ${locale}` })]
      : []),
  ];
}

export function invariantsOf(schema: ContentSchema): readonly Invariant[] {
  const types = [...schema.types.values()] as unknown as readonly Stored[];
  return types.flatMap((type) => [
    ...ofVersions(type),
    ...type.storage.columns.flatMap((column) => ofColumn(type, column)),
    ...ofPlaces(type),
    ...type.storage.links.flatMap((links) => ofLinks(type, links)),
  ]);
}

/** Joins all invariants to one statement, which returns the violated ones. */
export const asOne = (invariants: readonly Invariant[]): string =>
  invariants.map(({ what, sql }) => `select '${what}' as what where exists (${sql})`).join(' union all ');

/** Returns the violated invariants, with the first rows of each. */
export async function violations(sql: RunSql, invariants: readonly Invariant[]): Promise<string[]> {
  const found: string[] = [];
  for (const { what, sql: text } of invariants) {
    const rows = await sql(`${text} limit 3`);
    if (rows.length > 0) found.push(`${what}: ${JSON.stringify(rows)}`);
  }
  return found;
}
