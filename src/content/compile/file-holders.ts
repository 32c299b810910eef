/** Selects the documents with a file in a media attribute, each in the version that is read. */
import { byKind } from '../model/by-kind.js';
import { filePathOf } from '../model/media-names.js';
import type { Attribute, ContentType, EmbeddedAttribute, RelationAttribute } from '../model/model.js';
import { alias, constant, join, param, quote, type Sql, sql, union } from '../../kernel/sql.js';
import type { NamedLinks } from './joins/join-sql.js';
import { column, type Context, nestedJson, type RowScope, rowScope, versionConditions } from './scope.js';
import { targetsOf } from './targets.js';

interface Search {
  readonly holder: RowScope;
  readonly file: Sql;
  readonly context: Context;
}

/** Searches instances at any depth for the document id of the file. */
function inInstances(attribute: EmbeddedAttribute, { holder, file }: Search): Sql | null {
  const path = filePathOf(attribute);
  if (path === null) return null;
  const found = sql`${param(path)}::jsonpath, jsonb_build_object('file', ${file})`;
  return sql`jsonb_path_exists(${nestedJson(holder, attribute)}, ${found})`;
}

function inRelation(attribute: RelationAttribute, { holder, file, context }: Search): Sql | null {
  if (!attribute.media || attribute.hidden) return null;
  const { from, conditions, scope } = targetsOf(holder, attribute, context);
  const same = sql`${column(scope as RowScope, 'document_id')} = ${file}`;
  return sql`exists (select 1 from ${from} where ${join([...conditions, same], ' and ')})`;
}

/** Condition that an attribute references the file; null for attributes that cannot. */
const inAttribute = byKind<Attribute, [Search], Sql | null>({
  scalar: () => null,
  morph: () => null,
  relation: inRelation,
  component: inInstances,
  zone: inInstances,
});

function ofType(type: ContentType, file: RowScope, context: Context): Sql {
  const holder = rowScope(type, alias('t', context.next()));
  const search = { holder, file: column(file, 'document_id'), context };
  const found = [...type.attributes.values()].flatMap((attribute) => inAttribute(attribute, search) ?? []);
  // A component that contains itself can have files under names that are also names of hidden attributes.
  const anywhere = found.length === 0 ? sql`false` : sql`(${join(found, ' or ')})`;
  const conditions = [...versionConditions(holder, file, context), anywhere];
  return sql`select ${constant(type.singularApiId)} as type, ${column(holder, 'document_id')} as document_id,
    ${column(holder, 'id')} as n from ${quote(type.table)} ${holder.alias} where ${join(conditions, ' and ')}`;
}

export function fileHolders(types: readonly ContentType[], file: RowScope, context: Context): NamedLinks {
  const link = alias('l', context.next());
  const none = sql`select null::text as type, null::text as document_id, 0 as n where false`;
  const all = types.length === 0 ? none : union(types.map((type) => ofType(type, file, context)));
  // Row ids of several types can be equal.
  const ordered = sql`select type, document_id, row_number() over (order by n, type)
    from (${all}) a(type, document_id, n)`;
  return {
    from: sql`(${ordered}) ${link}(type, document_id, n)`,
    conditions: [],
    position: sql`${link}.n`,
    type: sql`${link}.type`,
    documentId: sql`${link}.document_id`,
  };
}
